"""MoE kernels that TensorRT-LLM has for the model's experts, read from ``schema/moe.yaml``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from gptoss.facts import folders
from gptoss.facts.fact_files import read_facts, refuse
from gptoss.facts.shapes import MOE, faults_of
from gptoss.facts.versions import version_number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gptoss.facts.world import Gpu, Release

AUTO = "AUTO"


@dataclass(frozen=True, slots=True)
class Generation:
    """A generation of GPUs.

    Attributes:
        name: As in ``blackwell``.
        auto: The MoE backend that AUTO stands for.
        algorithm: The quantisation algorithm without an override.
    """

    name: str
    auto: str
    algorithm: str


@dataclass(frozen=True, slots=True)
class MoeBackend:
    """A value of ``moe_config.backend``.

    Attributes:
        name: Its name.
        runs: Algorithms that it has kernels for, by generation.
        doubtful: Those of them that the sources contradict each other about.
        algorithms: The algorithm without an override, where it is not the generation's.
        instead: The backend that the engine takes in its place; '' where it is taken itself.
        degrades: The first release in which the engine takes another backend where this one has no
            kernel at all, by generation.
        experimental: Generations on which it is experimental.
        deprecated: The first release that deprecates it; '' where none does.
        recommended: What it is recommended for, by generation.
        source: Where that was read.
    """

    name: str
    runs: Mapping[str, tuple[str, ...]]
    doubtful: Mapping[str, tuple[str, ...]]
    algorithms: Mapping[str, str]
    instead: str
    degrades: Mapping[str, str]
    experimental: tuple[str, ...]
    deprecated: str
    recommended: Mapping[str, str]
    source: str

    @property
    def has_kernels(self) -> bool:
        """Whether it, or the backend in its place, has kernels for these experts anywhere."""
        return bool(self.instead) or any(self.runs.values())

    def is_replaced(self, generation: str, release: Release | None) -> bool:
        """Whether another backend runs where this one has no kernel; on unknown releases too."""
        first = self.degrades.get(generation)
        if first is None or self.runs[generation]:
            return False
        return release is None or release.number >= version_number(first)

    def stops(self, release: Release | None) -> bool:
        """Whether the engine stops with it on every generation."""
        replaced = any(self.is_replaced(generation, release) for generation in self.runs)
        return not self.has_kernels and not replaced


@dataclass(frozen=True, slots=True)
class MoeKernels:
    """All of it.

    Attributes:
        activations: The type that activations have, by algorithm.
        generations: Generations by name.
        backends: Backends by name.
    """

    activations: Mapping[str, str]
    generations: Mapping[str, Generation]
    backends: Mapping[str, MoeBackend]
    _capabilities: Mapping[str, tuple[int, int]]

    def generation(self, gpu: Gpu | None) -> Generation | None:
        """The generation of a GPU; None for one of another."""
        for name, (first, end) in self._capabilities.items():
            if gpu is not None and first <= gpu.sm < end:
                return self.generations[name]
        return None

    def taken(self, named: str, generation: Generation | None) -> str | None:
        """The backend that the engine takes for a name; None for AUTO on an unknown GPU."""
        if named == AUTO:
            return generation.auto if generation else None
        backend = self.backends.get(named)
        return backend.instead or named if backend else named

    def algorithm(self, backend: str | None, generation: Generation) -> str:
        """The algorithm that the engine takes without an override."""
        known = self.backends.get(backend or "")
        return (known.algorithms if known else {}).get(generation.name, generation.algorithm)


@cache
def moe_kernels() -> MoeKernels:
    """What is known.

    Raises:
        InputError: The file is missing or wrong.
    """
    content = read_facts(folders.root() / "schema" / "moe.yaml", "schema/moe.yaml")
    refuse("schema/moe.yaml", faults_of(content, MOE))
    generations = content["generations"]
    return MoeKernels(
        activations={name: each["activations"] for name, each in content["algorithms"].items()},
        generations={
            name: Generation(name, each["auto"], each["algorithm"])
            for name, each in generations.items()
        },
        backends={name: _backend(name, each) for name, each in content["backends"].items()},
        _capabilities={name: tuple(each["sm"]) for name, each in generations.items()},
    )


def _backend(name: str, entry: Mapping[str, Any]) -> MoeBackend:
    return MoeBackend(
        name=name,
        runs={key: tuple(each) for key, each in entry.get("runs", {}).items()},
        doubtful={key: tuple(each) for key, each in entry.get("doubtful", {}).items()},
        algorithms=entry.get("algorithm", {}),
        instead=entry.get("instead", ""),
        degrades=entry.get("degrades", {}),
        experimental=tuple(entry.get("experimental", ())),
        deprecated=entry.get("deprecated", ""),
        recommended=entry.get("for", {}),
        source=entry["source"],
    )
