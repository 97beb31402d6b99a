"""The way back from rendered output to the line that a user edits.

The one table of deployment path ↔ values path. A path is looked up in the ``--set`` arguments and
the values files from the last to the first, then in the engine file, then in the chart's defaults.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from gptoss.sources.chart.job_lines import accuracy_rows, benchmark_rows
from gptoss.text.places import Place

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gptoss.text.yaml_tree import Tree

# In a pattern {w} is the name of a worker, {n} one key with dots and all, {k} a dotted path.
# The first values path that is set is the one to edit.
POD: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("env.{n}", ("env.{n}",)),
    ("requests.{n}", ("resources.requests.{n}",)),
    ("limits.{n}", ("resources.limits.{n}",)),
    ("annotations.{n}", ("podAnnotations.{n}",)),
    ("mounts.{n}", ("extraVolumeMounts", "extraVolumes", "extraPodSpec.volumes")),
    ("privileged", ("extraPodSpec",)),
    ("nodes.{n}", ("extraPodSpec.nodeSelector.{n}", "extraPodSpec.affinity")),
    ("anti_affinity", ("extraPodSpec.affinity",)),
    ("tolerations.{n}", ("extraPodSpec.tolerations",)),
    ("pull_secrets", ("extraPodSpec.imagePullSecrets",)),
    ("probes.{n}", ("extraPodSpec",)),
    ("host_namespaces.{n}", ("extraPodSpec.{n}",)),
    ("capabilities.{n}", ("extraPodSpec",)),
    ("command", ("extraPodSpec",)),
)
SHARED: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("root", ("podSecurityContext.runAsUser", "containerSecurityContext.runAsUser")),
    ("non_root", ("podSecurityContext.runAsNonRoot", "containerSecurityContext.runAsNonRoot")),
    ("privileged", ("containerSecurityContext.privileged",)),
    ("capabilities.{n}", ("containerSecurityContext.capabilities.add",)),
    ("pull_secrets", ("imagePullSecrets",)),
    ("tolerations.{n}", ("hardware.tolerations", "hardware.gpu")),
)


def _rows() -> Iterator[tuple[str, tuple[str, ...]]]:
    yield "name", ()
    yield "backend", ("runtime.kind",)
    yield "api_version", ("runtime.apiVersion", "runtime.release", "runtime.kind")
    yield "release", ("runtime.release",)
    yield "annotations.{n}", ("annotations.{n}",)
    pods = {
        "frontend": "frontend",
        "workers.{w}": "workers.{w}",
        "benchmark": "benchmark",
        "accuracy": "accuracy",
        "downloads": "modelCache.download",
    }
    yield from _worker_rows()
    yield from _frontend_rows()
    yield from benchmark_rows()
    yield from accuracy_rows()
    yield from _cache_rows()
    for pod, values in pods.items():
        for path, candidates in POD:
            yield f"{pod}.{path}", tuple(f"{values}.{candidate}" for candidate in candidates)
        for path, candidates in SHARED:
            yield f"{pod}.{path}", candidates
        image = ("runtime.image", "runtime.release")
        yield f"{pod}.image", (f"{values}.image", *image) if pod in JOBS else image
        grace = f"{values}.terminationGracePeriodSeconds"
        yield f"{pod}.termination_grace", (grace, f"{values}.extraPodSpec")
        yield pod, (values,)
    yield "config_maps.{n}", ("workers",)


JOBS = ("benchmark", "accuracy", "downloads")


def _worker_rows() -> Iterator[tuple[str, tuple[str, ...]]]:
    worker = "workers.{w}"
    sizes = ("tensor_parallel_size", "pipeline_parallel_size", "context_parallel_size")
    yield f"{worker}.engine.{{k}}", (f"{worker}.engine.{{k}}",)
    yield f"{worker}.engine", (f"{worker}.engineConfig",)
    yield f"{worker}.type", (f"{worker}.role",)
    yield f"{worker}.sub_type", (f"{worker}.role",)
    yield f"{worker}.replicas", (f"{worker}.replicas",)
    gpus = (f"{worker}.gpus", *(f"{worker}.engine.{size}" for size in sizes))
    yield f"{worker}.gpus", gpus
    yield f"{worker}.node_count", (f"{worker}.nodes", *gpus, "hardware.gpu")
    yield f"{worker}.shared_memory", (f"{worker}.sharedMemory",)
    yield f"{worker}.model", ("model.revision", "model.id")
    yield f"{worker}.served_name", ("model.servedName", "model.id")
    yield (
        f"{worker}.env.OVERRIDE_QUANT_ALGO",
        (
            f"{worker}.env.OVERRIDE_QUANT_ALGO",
            "quantization.override",
        ),
    )
    yield f"{worker}.flags.--disaggregation-mode", (f"{worker}.role",)
    yield f"{worker}.flags.--model", ("model.revision", "model.id")
    yield f"{worker}.flags.--served-model-name", ("model.servedName", "model.id")
    yield f"{worker}.flags.--extra-engine-args", (f"{worker}.engineConfig",)
    yield f"{worker}.flags.--revision", ("model.revision",)
    yield f"{worker}.flags.--config", (f"{worker}.engineConfig",)
    yield f"{worker}.flags.--served_model_name", ("model.servedName",)
    for size in ("max-seq-len", "max-num-tokens", "max-batch-size"):
        yield f"{worker}.flags.--{size}", (f"{worker}.engine.{size.replace('-', '_')}",)
    yield f"{worker}.flags.{{n}}", (f"{worker}.extraArgs",)
    for placed in ("nodes.kubernetes.io/arch", "nodes.nvidia.com/gpu.product"):
        yield f"{worker}.{placed}", ("hardware.affinity", "hardware.nodeSelector", "hardware.gpu")
    yield f"{worker}.nodes.{{n}}", ("hardware.nodeSelector.{n}", "hardware.affinity")


def _frontend_rows() -> Iterator[tuple[str, tuple[str, ...]]]:
    yield "frontend.replicas", ("frontend.replicas",)
    yield "frontend.flags.--router-mode", ("frontend.routerMode",)
    yield "frontend.flags.--enforce-disagg", ("frontend.enforceDisagg",)
    yield "frontend.flags.{n}", ("frontend.extraArgs",)


def _cache_rows() -> Iterator[tuple[str, tuple[str, ...]]]:
    yield "downloads.model", ("model.id",)
    yield "downloads.revision", ("model.revision",)
    yield "downloads.env.MODEL_ID", ("model.id",)
    yield "downloads.env.MODEL_REVISION", ("model.revision",)
    yield (
        "downloads.env.HF_TOKEN",
        (
            "modelCache.download.tokenSecret.name",
            "modelCache.download.tokenSecret.key",
        ),
    )
    yield "downloads.env.VOCABULARY_URL", ("modelCache.download.vocabularyUrl",)
    for pod in ("frontend", "workers.{w}", "benchmark", "downloads"):
        yield f"{pod}.mounts./opt/models", ("modelCache.existingClaim", "modelCache")
    for pod in ("frontend", "workers.{w}", "benchmark"):
        for name in ("HF_HOME", "HF_HUB_OFFLINE", "TIKTOKEN_ENCODINGS_BASE"):
            yield f"{pod}.env.{name}", (f"{pod}.env.{name}", "modelCache")
    yield "claims.{n}", ("modelCache",)
    yield "services.{n}", ("runtime.kind",)


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the table.

    Attributes:
        pattern: Deployment path with placeholders.
        values: Values paths with the same placeholders, strongest first.
        matcher: The pattern as a regular expression.
    """

    pattern: str
    values: tuple[str, ...]
    matcher: re.Pattern[str]


def _compiled() -> tuple[Row, ...]:
    groups = {"{w}": r"(?P<w>[^.]+)", "{n}": r"(?P<n>.+)", "{k}": r"(?P<k>.+)"}
    rows = []
    for pattern, values in _rows():
        expression = re.escape(pattern)
        for placeholder, group in groups.items():
            expression = expression.replace(re.escape(placeholder), group)
        rows.append(Row(pattern, values, re.compile(f"{expression}$")))
    return tuple(rows)


class ChartPlaces:
    """Finds the line that sets a deployment path.

    Args:
        settings: ``--set`` arguments.
        files: Values files with their trees, first to last.
        defaults: The chart's ``values.yaml``.
        engines: Engine file of each worker.
    """

    ROWS = _compiled()

    def __init__(
        self,
        settings: Sequence[str],
        files: Sequence[Tree],
        defaults: Tree,
        engines: dict[str, Tree],
    ) -> None:
        self._settings = settings
        self._files = files
        self._defaults = defaults
        self._engines = engines
        self._found: dict[str, Place] = {}

    def locate(self, path: str, _rendered: Place) -> Place:
        """The line to edit for a deployment path; the rendered line is of no use to a user."""
        found = self._found.get(path)
        if found is None:
            found = self._found[path] = self._search(path) or self.start
        return found

    def values_path(self, path: str) -> Place | None:
        """Where a dotted values path, or the nearest map above it, is set."""
        steps = tuple(path.split("."))
        while steps:
            place = self._set_by_user(steps) or self._in_engine(steps)
            if place or (place := self._in(self._defaults, steps)):
                return place
            steps = steps[:-1]
        return None

    def set_by_user(self, path: str) -> Place | None:
        """Where ``--set`` or a values file sets a dotted values path itself."""
        return self._set_by_user(tuple(path.split(".")))

    def argument(self, path: str) -> Place | None:
        """The last ``--set`` argument that sets a dotted values path or anything below it."""
        for setting in reversed(self._settings):
            if any(f"{key}.".startswith(f"{path}.") for key in _keys(setting)):
                return Place(f"--set {setting}")
        return None

    @cached_property
    def start(self) -> Place:
        """Where to point when no line is to blame: the top of the last values file."""
        return Place(self._files[-1].place.file) if self._files else self._defaults.place

    def _search(self, path: str) -> Place | None:
        """The first row that matches and leads to a line; else the same for the path's parent."""
        for row in self.ROWS:
            match = row.matcher.match(path)
            if match and (place := self._first(row, match.groupdict())):
                return place
        parent, _, last = path.rpartition(".")
        return self._search(parent) if last and parent else None

    def _first(self, row: Row, names: dict[str, str]) -> Place | None:
        candidates = [_steps(pattern, names) for pattern in row.values]
        for steps in candidates:
            if place := self._set_by_user(steps) or self._in_engine(steps):
                return place
        for steps in candidates:
            if place := self._in(self._defaults, steps):
                return place
        return None

    def _set_by_user(self, steps: tuple[str, ...]) -> Place | None:
        for setting in reversed(self._settings):
            if ".".join(steps) in _keys(setting):
                return Place(f"--set {setting}")
        for tree in reversed(self._files):
            if place := self._in(tree, steps):
                return place
        return None

    def _in(self, tree: Tree, steps: tuple[str, ...]) -> Place | None:
        """Where a values file sets a path; null is no setting, save for engine settings."""
        found = tree.at(*steps)
        if found is None or (found.value is None and "engine" not in steps):
            return None
        if found.value in ({}, []):
            return None
        return found.where

    def _in_engine(self, steps: tuple[str, ...]) -> Place | None:
        if len(steps) < 3 or steps[0] != "workers":
            return None
        engine = self._engines.get(steps[1])
        if engine is None:
            return None
        if steps[2] == "engineConfig":
            return engine.place
        found = engine.at(*steps[3:]) if steps[2] == "engine" and len(steps) > 3 else None
        return found.where if found else None


def _keys(setting: str) -> list[str]:
    """The dotted values paths that a ``--set`` argument sets."""
    return [part.partition("=")[0] for part in re.split(r"(?<!\\),", setting)]


def _steps(pattern: str, names: dict[str, str]) -> tuple[str, ...]:
    """A values path's steps with the placeholders filled in."""
    steps: list[str] = []
    for step in pattern.split("."):
        if step == "{k}":
            steps += names["k"].split(".")
        else:
            steps.append(names.get(step.strip("{}"), step) if step.startswith("{") else step)
    return tuple(steps)
