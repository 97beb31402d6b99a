"""The one typed model of a deployment.

Every source (rendered chart, manifests, ...) builds a :class:`Deployment`; every rule, ``show``
and ``bench`` reads it. Nothing downstream looks at YAML again. Each leaf knows the place of the
line that its user edits.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from gptoss.deployment.autoscalers import Scaling
from gptoss.deployment.operator import OperatorSettings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gptoss.command_lines.arguments import Arguments
    from gptoss.deployment.access import WayIn
    from gptoss.deployment.alerts import Alert
    from gptoss.deployment.jobs import Accuracy, Benchmark, Download, HelmTest
    from gptoss.deployment.objects import Claim, ConfigMap, Fixed, Rollout, Service
    from gptoss.deployment.pods import Pod
    from gptoss.deployment.settings import Settings
    from gptoss.facts.world import Gpu, Model, Release
    from gptoss.text.command import Command, Variable
    from gptoss.text.places import Located, Place

PARALLEL_SIZES = ("tensor_parallel_size", "pipeline_parallel_size", "context_parallel_size")
# Kinds of problems that leave nothing to check.
REFUSALS = ("values-schema", "chart-guard")


class Runtime(StrEnum):
    """What serves the model."""

    DYNAMO = "dynamo"
    SERVE = "trtllm-serve"


class Platform(StrEnum):
    """What starts the containers."""

    KUBERNETES = "kubernetes"
    CONTAINERS = "containers"


class Role(StrEnum):
    """What a worker does in the deployment."""

    AGGREGATED = "aggregated"
    PREFILL = "prefill"
    DECODE = "decode"


@dataclass(frozen=True, slots=True, kw_only=True)
class Component:
    """A service of the graph as the operator sees it.

    Attributes:
        name: Its key or name.
        place: Where it begins.
        type, sub_type: ``componentType`` or ``type``, and ``subComponentType`` (v1alpha1 only).
        replicas: Number of replicas; None when left to the operator's defaulting.
        floor: The fewest replicas that an autoscaler keeps; None where none changes them.
        counted: False where it is not known how many there are, as in a loop of a script.
        ignored: Fields that the operator accepts and ignores, by name.
        runtime_version: ``runtimeVersionOverride``.
        pod: Its pod.
    """

    name: str
    place: Place
    pod: Pod
    type: Located[str] | None = None
    sub_type: Located[str] | None = None
    replicas: Located[int] | None = None
    floor: Located[int] | None = None
    counted: bool = True
    ignored: Mapping[str, Place] = field(default_factory=dict)
    runtime_version: Located[str] | None = None

    @property
    def replica_count(self) -> int:
        """Replicas, or the fewest under an autoscaler; 1 when not set, as the operator has it."""
        written = self.floor or self.replicas
        return written.value if written else 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Frontend(Component):
    """The HTTP frontend.

    Attributes:
        arguments: What ``dynamo.frontend`` makes of its command; None where nothing runs it.
    """

    arguments: Arguments | None = None

    @property
    def command(self) -> Command | None:
        """The ``dynamo.frontend`` command."""
        return self.arguments.command if self.arguments else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Worker(Component):
    """A component that runs ``dynamo.trtllm``, or the server of ``trtllm-serve``.

    Attributes:
        role: What it does, from its flags.
        gpus_per_pod: GPUs of one pod, by its limit and by what it claims; None when it has none.
        nodes: Nodes of one replica.
        engine: Its engine settings with everybody who sets them.
        engine_file: The engine YAML's path in the container, where the flag names one.
        engine_known: False when the engine YAML is named but is not among what was given, or what
            the command line sets is left to a shell.
        gpu: Facts about its GPU when its placement names one.
        arguments: What ``dynamo.trtllm`` or ``trtllm-serve`` makes of its command.
        model, served_name: Model id or path it loads, and the public name.
    """

    arguments: Arguments
    role: Role
    nodes: Located[int]
    engine: Settings
    gpus_per_pod: Located[int] | None = None
    engine_file: Located[str] | None = None
    engine_known: bool = True
    gpu: Gpu | None = None
    model: Located[str] | None = None
    served_name: Located[str] | None = None

    @property
    def command(self) -> Command:
        """The command of ``dynamo.trtllm`` or ``trtllm-serve``."""
        return self.arguments.command

    @property
    def gpus(self) -> int:
        """GPUs of one replica."""
        return (self.gpus_per_pod.value if self.gpus_per_pod else 0) * self.nodes.value

    @property
    def ranks(self) -> int:
        """GPUs the engine's parallel sizes need: tensor × pipeline × context parallel size."""
        product = 1
        for size in PARALLEL_SIZES:
            product *= self.engine.whole(size) or 1
        return product

    @property
    def attention_ranks(self) -> int:
        """Attention data parallel ranks: each has its own batch and its own KV cache."""
        return (self.engine.whole("tensor_parallel_size") or 1) if self.attention_dp else 1

    @property
    def attention_dp(self) -> bool:
        """Whether attention data parallelism is on."""
        return self.engine.switch("enable_attention_dp")

    @property
    def capacity(self) -> int | None:
        """Requests that all replicas decode at once, or None when that is unknown.

        ``max_batch_size`` counts per attention data parallel rank.
        """
        batch = self.engine.whole("max_batch_size")
        if batch is None or not self.engine_known or not self.counted:
            return None
        return batch * self.attention_ranks * self.replica_count


@dataclass(frozen=True, slots=True)
class Problem:
    """Something found wrong while reading, which a rule reports.

    Attributes:
        kind: Which rule reports it.
        message: What is wrong.
        place: Where.
    """

    kind: str
    message: str
    place: Place


@dataclass(frozen=True, slots=True)
class Deployment:
    """A deployment with everything it needs.

    Attributes:
        name: Name of the DynamoGraphDeployment, or of the workload that runs ``trtllm-serve``.
        place, source: Where it begins, and what it was read from, as the user named it.
        api_version: ``nvidia.com/v1alpha1`` or ``nvidia.com/v1beta1``.
        release, release_place: Facts about the Dynamo release it runs on, and where it is chosen.
        model: Facts about the model; None when unknown.
        frontend, workers: The frontend, if the manifests have one, and the workers.
        others: Components that are neither.
        annotations, environment: Of the DynamoGraphDeployment; variables are for every component.
        config_maps, claims: ConfigMaps, and names of claims, given along with it.
        volumes: Those of them that are objects of their own, with what they ask for.
        downloads: Jobs that fill the model cache.
        services: Services that lead to the server; the operator makes those of a graph.
        rollout: How the pods of the server are replaced; None where no Deployment runs it.
        scraped, alerts: Paths of the server's metrics that are read, and what alerts ask for.
        namespace: The namespace that it says it belongs to, if any.
        given: Kind and name of every object that it was read from.
        fixed: Fields of those objects that cannot be changed once they are there.
        claim_templates: Fields of ResourceClaimTemplates by name, and of those of ComputeDomains.
        ways_in: What clients outside the cluster reach it by.
        benchmark, accuracy, tests: Jobs that measure and evaluate, and pods of ``helm test``.
        problems: What the reader found wrong.
        installed: What is installed under the same name, to compare with; None when unknown.
        backend: ``backendFramework``; None when the operator is left to find out.
        engine_only: Whether an engine YAML is all that was given; the rest is not known.
        runtime: What serves the model; ``release`` is then the one that ships its TensorRT-LLM.
        operator, scaling: What is asked of the operator beside pods; autoscalers and budgets.
        platform: What starts the containers; what only a cluster has is for Kubernetes alone.
    """

    name: str
    place: Place
    source: str
    api_version: Located[str]
    release: Release | None
    release_place: Place
    model: Model | None
    frontend: Frontend | None
    workers: tuple[Worker, ...]
    others: tuple[Component, ...] = ()
    annotations: Mapping[str, Located[str]] = field(default_factory=dict)
    environment: Mapping[str, Variable] = field(default_factory=dict)
    config_maps: tuple[ConfigMap, ...] = ()
    claims: tuple[Located[str], ...] = ()
    volumes: tuple[Claim, ...] = ()
    downloads: tuple[Download, ...] = ()
    benchmark: Benchmark | None = None
    accuracy: Accuracy | None = None
    tests: tuple[HelmTest, ...] = ()
    problems: tuple[Problem, ...] = ()
    installed: Deployment | None = None
    backend: Located[str] | None = None
    engine_only: bool = False
    runtime: Runtime = Runtime.DYNAMO
    platform: Platform = Platform.KUBERNETES
    operator: OperatorSettings = field(default_factory=OperatorSettings)
    services: tuple[Service, ...] = ()
    rollout: Rollout | None = None
    scaling: Scaling = field(default_factory=Scaling)
    scraped: tuple[Located[str], ...] = ()
    alerts: tuple[Alert, ...] = ()
    namespace: Located[str] | None = None
    given: tuple[Located[str], ...] = ()
    fixed: tuple[Fixed, ...] = ()
    claim_templates: Mapping[str, Located[Mapping[str, str]]] = field(default_factory=dict)
    ways_in: tuple[WayIn, ...] = ()

    def called(self, source: str) -> Deployment:
        """The same deployment under another source."""
        return replace(self, source=source)

    @property
    def is_refused(self) -> bool:
        """Whether Helm refused to render it, so that there is nothing but problems."""
        return any(problem.kind in REFUSALS for problem in self.problems)

    @property
    def components(self) -> tuple[Component, ...]:
        """Every component of the graph."""
        frontend = (self.frontend,) if self.frontend else ()
        return (*frontend, *self.workers, *self.others)

    def workers_with(self, role: Role) -> list[Worker]:
        """The workers that have a role."""
        return [worker for worker in self.workers if worker.role is role]

    @property
    def is_disaggregated(self) -> bool:
        """Whether prefill and decode run in workers of their own."""
        return any(worker.role is not Role.AGGREGATED for worker in self.workers)

    @property
    def gpus(self) -> int:
        """GPUs of all workers and replicas."""
        return sum(worker.gpus * worker.replica_count for worker in self.workers)

    @property
    def capacity(self) -> int | None:
        """Requests that can decode at once; None when a batch size is unknown.

        Prefill workers hold a request only while it is prefilled and do not count.
        """
        decoding = [worker for worker in self.workers if worker.role is not Role.PREFILL]
        capacities = [worker.capacity for worker in decoding]
        known = [capacity for capacity in capacities if capacity is not None]
        return sum(known) if decoding and len(known) == len(decoding) else None
