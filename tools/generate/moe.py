"""The tables of docs/moe.md: what each MoE backend does on each generation of GPUs, and why."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from generate.markdown import table
from gptoss.facts.moe_kernels import moe_kernels
from gptoss.facts.versions import version_number
from gptoss.facts.world import Facts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gptoss.facts.moe_kernels import Generation, MoeBackend
    from gptoss.facts.world import Release

MODEL = "openai/gpt-oss-120b"
WORKS, UNKNOWN, ANOTHER = "works", "not known: sources disagree", "another backend runs"


def cell(named: str, algorithm: str, generation: Generation, release: Release) -> tuple[str, ...]:
    """What becomes of a backend with a quantisation algorithm: in words, then rules that say it."""
    kernels = moe_kernels()
    known = kernels.backends.get(named)
    backend = kernels.backends.get(known.instead) if known and known.instead else known
    kind = generation.name
    if known is None or backend is None or backend.stops(release):
        return ("refused", "M001")
    if backend.is_replaced(kind, release):
        return (ANOTHER, "M008")
    instead = ("M008",) if known.instead else ()
    if algorithm not in backend.runs[kind]:
        return ("refused", "M002", *instead)
    told = UNKNOWN if algorithm in backend.doubtful.get(kind, ()) else WORKS
    said = _remarks(known, kind, release)
    return (f"{backend.name} runs" if instead else told, *instead, *said)


def _remarks(backend: MoeBackend, kind: str, release: Release) -> Iterator[str]:
    """Rules that say something of a backend that runs."""
    if backend.deprecated and release.number >= version_number(backend.deprecated):
        yield "M005"
    if backend.name == "CUTLASS" and moe_kernels().generations[kind].auto == "TRTLLM":
        yield "M006"
    if kind in backend.experimental:
        yield "M007"


def refused_backends() -> list[str]:
    """Backends that the engine has and that cannot run the model's experts."""
    facts = Facts()
    known = facts.engine_fields["moe_config.backend"]["enum"]
    taken = {*facts.models[MODEL].moe_backends, *moe_kernels().backends}
    return [name for name in known if name not in taken]


def moe_table() -> str:
    """A table a generation: a row a backend, a column an algorithm, release by release."""
    return "\n\n".join(_of(each) for each in reversed(list(moe_kernels().generations.values())))


def _of(generation: Generation) -> str:
    kernels, facts = moe_kernels(), Facts()
    releases = list(facts.releases.values())
    gpus = [g.name for g in facts.gpus.values() if kernels.generation(g) == generation]
    heads = [
        f"{activations} `{name}`" + (" (default)" if name == generation.algorithm else "")
        for name, activations in kernels.activations.items()
    ]
    rows = [["`moe_config.backend`", *heads, "recommended for"], ["---"] * (len(heads) + 2)]
    for name, backend in kernels.backends.items():
        cells = [_cell(name, each, generation, releases) for each in kernels.activations]
        rows.append([_name(name, generation), *cells, backend.recommended.get(generation.name, "")])
    others = refused_backends()
    cells = [_cell(others[0], each, generation, releases) for each in kernels.activations]
    rows.append([", ".join(f"`{name}`" for name in others), *cells, ""])
    return f"### {generation.name.capitalize()}: {', '.join(gpus)}\n\n{table(rows)}"


def _name(backend: str, generation: Generation) -> str:
    """A backend, with what makes it special on a generation."""
    own = moe_kernels().backends[backend].algorithms.get(generation.name)
    said = ["AUTO picks it"] if backend == generation.auto else []
    said += [f"its default is `{own}`"] if own else []
    return f"`{backend}`" + (f" ({'; '.join(said)})" if said else "")


def _cell(backend: str, algorithm: str, generation: Generation, releases: Sequence[Release]) -> str:
    """What becomes of it, by release where that is not the same in all."""
    found = [(each, cell(backend, algorithm, generation, each)) for each in releases]
    alike = [(said, [r for r, _ in group]) for said, group in groupby(found, lambda pair: pair[1])]
    if len(alike) == 1:
        return _said(alike[0][0])
    return "; ".join(f"{_span(those, releases)} {_said(said)}" for said, those in alike)


def _span(those: Sequence[Release], releases: Sequence[Release]) -> str:
    last = those[-1]
    return f"from {those[0].version}" if last is releases[-1] else f"up to {last.version}"


def _said(found: tuple[str, ...]) -> str:
    told, *rules = found
    links = ", ".join(f"[{rule}](rules/{rule}.md)" for rule in rules)
    return f"{told} ({links})" if links else told


def moe_sources() -> str:
    """Where it was read: a row a backend."""
    rows = [["backend", "source"], ["---", "---"]]
    rows += [[f"`{name}`", each.source] for name, each in moe_kernels().backends.items()]
    return table(rows)
