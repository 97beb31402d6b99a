"""The table of what a deployment says, and the values that it follows from.

Of a row's values the first one that is set is the one to edit.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING

from gptoss.deployment import paths
from gptoss.deployment.paths import (
    ACCURACY,
    BENCHMARK,
    DEPLOYMENT,
    DOWNLOADS,
    FRONTEND,
    TESTS,
    Path,
)
from gptoss.sources.chart.access_rows import access_rows
from gptoss.sources.chart.cache_rows import cache_rows
from gptoss.sources.chart.job_rows import KEY, accuracy_rows, benchmark_rows, placed_rows
from gptoss.sources.chart.scaling_rows import scaling_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Names = Mapping[str, tuple[str, ...]]
    # Steps of a path, or 0 for any number, and the last of them.
    End = tuple[int, tuple[str, ...]]

# Stand for the name of a worker and for the rest of a path.
NAME, REST = "{w}", "{k}"
WORKER = paths.workers(NAME)
# Those whose image is theirs to choose.
JOBS = (BENCHMARK, ACCURACY, DOWNLOADS, TESTS)


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the table.

    Attributes:
        pattern: What the deployment says, with placeholders for names.
        values: Dotted values paths with the same placeholders, strongest first.
    """

    pattern: Path
    values: tuple[str, ...]

    def match(self, path: Path) -> Names | None:
        """What stands for the placeholders in a path; None when it is another one."""
        pattern, steps = self.pattern.steps, path.steps
        if pattern[-1] == REST:
            steps, rest = steps[: len(pattern) - 1], steps[len(pattern) - 1 :]
            pattern, names = pattern[:-1], {REST: rest}
            if not rest:
                return None
        else:
            names = {}
        if len(pattern) != len(steps):
            return None
        for expected, step in zip(pattern, steps, strict=True):
            if expected in (NAME, KEY):
                names[expected] = (step,)
            elif expected != step:
                return None
        return names

    def lines(self, names: Names) -> list[tuple[str, ...]]:
        """The steps of its values paths with names filled in."""
        return [
            tuple(step for part in value.split(".") for step in names.get(part, (part,)))
            for value in self.values
        ]


def _rows() -> Iterator[tuple[Path, tuple[str, ...]]]:
    yield DEPLOYMENT / "name", ()
    yield DEPLOYMENT.entry("fixed", "Deployment"), ("nameOverride",)
    yield DEPLOYMENT.entry("fixed", "Service"), ("service.loadBalancerClass", "service")
    yield DEPLOYMENT / "backend", ("runtime.kind",)
    yield DEPLOYMENT / "api_version", ("runtime.apiVersion", "runtime.release", "runtime.kind")
    yield DEPLOYMENT / "release", ("runtime.release",)
    yield DEPLOYMENT.entry("annotations", KEY), ("annotations.{n}", "monitoring.podMonitor.enabled")
    yield from _worker_rows()
    yield from _fabric_rows()
    yield from _frontend_rows()
    yield from benchmark_rows()
    yield from accuracy_rows()
    yield from cache_rows(NAME)
    yield paths.services(KEY), ("service.type", "runtime.kind")
    yield from access_rows()
    yield from scaling_rows(NAME)
    yield from _pod_rows(FRONTEND, "frontend")
    yield from _pod_rows(WORKER, "workers.{w}")
    yield from _pod_rows(BENCHMARK, "benchmark")
    yield from _pod_rows(ACCURACY, "accuracy")
    yield from _pod_rows(DOWNLOADS, "modelCache.download")
    yield from _pod_rows(TESTS, "tests")
    yield from placed_rows(TESTS, "tests")
    yield DEPLOYMENT.entry("config_maps", KEY), ("workers",)


def _pod_rows(pod: Path, values: str) -> Iterator[tuple[Path, tuple[str, ...]]]:
    own: dict[Path, tuple[str, ...]] = {
        pod.entry("env", KEY): ("env.{n}", "container.env", "container.envFrom"),
        pod.entry("requests", KEY): ("resources.requests.{n}", "container.resources"),
        pod.entry("limits", KEY): ("resources.limits.{n}", "container.resources"),
        pod.entry("annotations", KEY): ("podAnnotations.{n}",),
        pod.entry("mounts", KEY): (
            *(
                "extraVolumeMounts",
                "extraVolumes",
                "container.volumeMounts",
                "extraPodSpec.volumes",
            ),
        ),
        pod / "privileged": ("container.securityContext", "extraPodSpec"),
        pod.entry("nodes", KEY): ("extraPodSpec.nodeSelector.{n}", "extraPodSpec.affinity"),
        pod / "anti_affinity": ("extraPodSpec.affinity",),
        pod / "spread": ("topologySpreadConstraints", "extraPodSpec.topologySpreadConstraints"),
        pod / "device_claims": ("extraPodSpec.resourceClaims", "container.resources"),
        pod.entry("tolerations", KEY): ("extraPodSpec.tolerations",),
        pod / "pull_secrets": ("extraPodSpec.imagePullSecrets",),
        pod.entry("probes", KEY): ("container.{n}", "container", "extraPodSpec"),
        pod.entry("host_namespaces", KEY): ("extraPodSpec.{n}",),
        pod.entry("capabilities", KEY): ("container.securityContext", "extraPodSpec"),
        pod / "command": ("container.command", "container", "extraPodSpec"),
        pod / "termination_grace": ("terminationGracePeriodSeconds", "extraPodSpec"),
    }
    context = ("podSecurityContext", "containerSecurityContext")
    shared: dict[Path, tuple[str, ...]] = {
        pod / "root": tuple(f"{each}.runAsUser" for each in context),
        pod / "non_root": tuple(f"{each}.runAsNonRoot" for each in context),
        pod / "privileged": ("containerSecurityContext.privileged",),
        pod.entry("capabilities", KEY): ("containerSecurityContext.capabilities.add",),
        pod / "pull_secrets": ("imagePullSecrets", "global.imagePullSecrets"),
        pod.entry("tolerations", KEY): ("hardware.tolerations", "hardware.gpu"),
    }
    for path, candidates in own.items():
        yield path, tuple(f"{values}.{candidate}" for candidate in candidates)
    yield from shared.items()
    image = ("runtime.image", "global.imageRegistry", "runtime.release")
    yield pod / "image", (f"{values}.image", *image) if pod in JOBS else image
    yield pod, (values,)


def _worker_rows() -> Iterator[tuple[Path, tuple[str, ...]]]:
    worker = "workers.{w}"
    sizes = ("tensor_parallel_size", "pipeline_parallel_size", "context_parallel_size")
    gpus = (f"{worker}.gpus", *(f"{worker}.engine.{size}" for size in sizes))
    yield WORKER.engine(REST), (f"{worker}.engine.{{k}}",)
    yield (
        WORKER / "engine",
        (
            f"{worker}.engineConfig",
            f"{worker}.engineConfigMap.name",
            f"{worker}.engineConfigMap.key",
        ),
    )
    yield WORKER / "type", (f"{worker}.role",)
    yield WORKER / "sub_type", (f"{worker}.role",)
    yield WORKER / "replicas", (f"{worker}.replicas", f"{worker}.component")
    yield WORKER / "gpus", gpus
    yield WORKER / "node_count", (f"{worker}.nodes", *gpus, "hardware.gpu")
    yield WORKER / "shared_memory", (f"{worker}.sharedMemory",)
    yield WORKER / "model", ("model.revision", "model.id")
    yield WORKER / "served_name", ("model.servedName", "model.id")
    quantization = "OVERRIDE_QUANT_ALGO"
    override = (f"{worker}.env.{quantization}", "quantization.override")
    yield WORKER.entry("env", quantization), override
    longest, grace = "shutdown.longestAnswerSeconds", "DYN_GRACEFUL_SHUTDOWN_GRACE_PERIOD_SECS"
    yield WORKER.entry("env", grace), (f"{worker}.env.{grace}", longest)
    yield WORKER / "termination_grace", (longest,)
    flags = {
        "--disaggregation-mode": (f"{worker}.role",),
        "--model": ("model.revision", "model.id"),
        "--served-model-name": ("model.servedName", "model.id"),
        "--extra-engine-args": (f"{worker}.engineConfig",),
        "--publish-metrics": ("monitoring.engineMetrics",),
        "--revision": ("model.revision",),
        "--config": (f"{worker}.engineConfig",),
        "--served_model_name": ("model.servedName",),
        "--max-seq-len": (f"{worker}.engine.max_seq_len",),
        "--max-num-tokens": (f"{worker}.engine.max_num_tokens",),
        "--max-batch-size": (f"{worker}.engine.max_batch_size",),
        KEY: (f"{worker}.extraArgs",),
    }
    for flag, values in flags.items():
        yield WORKER.entry("flags", flag), values
    for label in ("kubernetes.io/arch", "nvidia.com/gpu.product"):
        placed = ("hardware.affinity", "hardware.nodeSelector", "hardware.gpu")
        yield WORKER.entry("nodes", label), placed
    yield WORKER.entry("nodes", KEY), ("hardware.nodeSelector.{n}", "hardware.affinity")


def _fabric_rows() -> Iterator[tuple[Path, tuple[str, ...]]]:
    domain, dra = "hardware.computeDomain", "hardware.dra"
    yield WORKER.entry("limits", KEY), ("hardware.rdma.resource",)
    yield WORKER.entry("capabilities", "IPC_LOCK"), ("hardware.rdma.lockMemory",)
    yield WORKER / "root", ("hardware.rdma.lockMemory",)
    yield (
        WORKER / "device_claims",
        (
            "workers.{w}.resourceClaims",
            "workers.{w}.computeDomain",
            f"{domain}.resourceClaimTemplate",
            f"{domain}.enabled",
            f"{dra}.enabled",
        ),
    )
    yield (
        DEPLOYMENT.entry("claim_templates", KEY),
        (
            f"{domain}.numNodes",
            *(f"{dra}.{key}" for key in ("apiVersion", "deviceClassName", "selectors")),
            f"{domain}.enabled",
            f"{dra}.enabled",
        ),
    )


def _frontend_rows() -> Iterator[tuple[Path, tuple[str, ...]]]:
    yield FRONTEND / "replicas", ("frontend.replicas", "frontend.component")
    yield FRONTEND.entry("flags", "--router-mode"), ("frontend.routerMode",)
    yield FRONTEND.entry("flags", "--enforce-disagg"), ("frontend.enforceDisagg",)
    yield FRONTEND.entry("flags", "--migration-limit"), ("shutdown.migrationLimit",)
    yield FRONTEND.entry("flags", KEY), ("frontend.extraArgs",)
    longest, waits = "shutdown.longestAnswerSeconds", "DYN_HTTP_GRACEFUL_SHUTDOWN_TIMEOUT_SECS"
    yield FRONTEND.entry("env", waits), (f"frontend.env.{waits}", longest)
    yield FRONTEND / "termination_grace", (longest,)


ROWS = tuple(Row(*row) for row in _rows())


def _end(pattern: tuple[str, ...]) -> End:
    """What the paths that a pattern matches have in common at their end."""
    if pattern[-1:] == (REST,):
        return REACHING
    placeholder = pattern[-1:] in ((NAME,), (KEY,))
    return len(pattern), (*pattern[-2:-1], KEY) if placeholder else pattern[-1:]


def _by_end() -> Mapping[End, list[tuple[int, Row]]]:
    """The rows of each end, with their numbers in the table."""
    found = defaultdict(list)
    for number, row in enumerate(ROWS):
        found[_end(row.pattern.steps)].append((number, row))
    return found


# The end of patterns whose last placeholder stands for any number of steps.
REACHING = (0, (REST,))
BY_END = _by_end()


def matching(path: Path) -> Iterator[tuple[Row, Names]]:
    """The rows that match a path, in the table's order, and what stands for their placeholders."""
    steps, length = path.steps, len(path.steps)
    ends = {(length, steps[-1:]), (length, (*steps[-2:-1], KEY)), REACHING}
    near = [numbered for end in ends for numbered in BY_END.get(end, ())]
    for _, row in sorted(near, key=itemgetter(0)):
        names = row.match(path)
        if names is not None:
            yield row, names
