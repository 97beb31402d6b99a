"""Paths through a deployment: what a source has read, by name.

A source asks for the place to show of every value it reads by such a path. The chart's table of
lines answers with the line that the user edits; other sources show where the value stands. A name
that no reader and no table knows is an error of types.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Field = Literal[
    # of the whole deployment
    "name", "api_version", "release", "backend", "frontend", "benchmark", "accuracy", "downloads",
    "tests", "rollout", "scraped", "alerts", "operator", "manifest",
    # of a pod
    "image", "command", "secrets", "anti_affinity", "pull_secrets", "privileged", "root",
    "non_root", "termination_grace", "shared_memory", "device_claims",
    "spread",
    # of a component
    "type", "sub_type", "replicas", "runtime_version",
    # of a worker, with its engine YAML as a whole
    "gpus", "node_count", "model", "served_name", "engine",
    # of benchmark, evaluation and download
    "concurrency", "requests", "input_tokens", "output_tokens", "concurrency_per_gpu", "gpu_count",
    "efforts", "revision", "kept",
    # of a Service or a way in, and of how the pods of a server are replaced
    "port", "service", "gives_up", "strategy", "surge", "deadline",
    # of what is asked of the operator
    "restart", "topology", "priority_class", "scaling", "min_available", "epp_config",
    "gpu_sharing",
    # of an autoscaler, and of a disruption budget
    "target", "fewest", "most", "signals", "kept",
]  # fmt: skip
"""What there is once."""

Table = Literal[
    # of the whole deployment
    "annotations", "environment", "workers", "others", "components", "config_maps", "claims",
    "services", "autoscalers", "budgets", "ingresses", "routes", "claim_templates",
    "fixed", "policies",
    # of a pod
    "env", "flags", "mounts", "nodes", "tolerations", "requests", "limits", "probes",
    "capabilities", "host_namespaces",
    # of a component: fields that the operator ignores
    "ignored",
    # of a claim
    "fields",
]  # fmt: skip
"""What there is by name."""


@dataclass(frozen=True, slots=True)
class Path:
    """A path: ``workers("decode") / "replicas"``, or ``FRONTEND.entry("env", "HF_HOME")``."""

    steps: tuple[str, ...] = ()

    def __truediv__(self, field: Field) -> Path:
        return Path((*self.steps, field))

    def entry(self, table: Table, key: str) -> Path:
        """Something that has a name of its own, dots and all."""
        return Path((*self.steps, table, key))

    def engine(self, key: str) -> Path:
        """A setting of a worker's engine YAML by its dotted key."""
        return Path((*self.steps, "engine", *key.split(".")))

    @property
    def parent(self) -> Path:
        """What it is in."""
        return Path(self.steps[:-1])

    def __str__(self) -> str:
        return ".".join(self.steps)


DEPLOYMENT = Path()
FRONTEND = DEPLOYMENT / "frontend"
BENCHMARK = DEPLOYMENT / "benchmark"
ACCURACY = DEPLOYMENT / "accuracy"
DOWNLOADS = DEPLOYMENT / "downloads"
TESTS = DEPLOYMENT / "tests"
ROLLOUT = DEPLOYMENT / "rollout"
OPERATOR = DEPLOYMENT / "operator"


def workers(name: str) -> Path:
    """A worker, by the name that the user gives it."""
    return DEPLOYMENT.entry("workers", name)


def others(name: str) -> Path:
    """A component that is neither frontend nor worker."""
    return DEPLOYMENT.entry("others", name)


def components(name: str) -> Path:
    """What a component asks of the operator."""
    return DEPLOYMENT.entry("components", name)


def services(name: str) -> Path:
    """A Service that leads to a server."""
    return DEPLOYMENT.entry("services", name)


def autoscalers(name: str) -> Path:
    """What changes the replicas of a component, by the component's name where that is known."""
    return DEPLOYMENT.entry("autoscalers", name)


def budgets(name: str) -> Path:
    """What keeps pods of a component, by the component's name where that is known."""
    return DEPLOYMENT.entry("budgets", name)
