"""Does every component say what it is in a way that the operator understands?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.deployment.model import Frontend, Role, Worker
from gptoss.rules.fixes import add_beside, set_value
from gptoss.rules.right_answers import component_key
from gptoss.rules.rule import Said, Severity, rule
from gptoss.rules.subjects import COMPONENTS, WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Component, Deployment

WORKER_TYPES = ("worker", "prefill", "decode")
TYPES = ("frontend", *WORKER_TYPES, "planner", "epp")
DISCOVERY = "nvidia.com/dynamo-discovery-backend"
# What names the same to a process: from 1.0 on, and before.
BACKENDS = ("DYN_DISCOVERY_BACKEND", "DYN_STORE_KV")
ETCD = "etcd"
# The first release whose operator lets workers register in Kubernetes unless told otherwise.
BY_KUBERNETES_FROM = (0, 9)


def _type_field(deployment: Deployment) -> str:
    return "type" if deployment.api_version.value.endswith("v1beta1") else "componentType"


def _split_role(worker: Worker) -> str | None:
    """The half of disaggregated serving that a worker's component type claims, if any."""
    declared = (worker.sub_type, worker.type)
    return next((t.value for t in declared if t and t.value in ("prefill", "decode")), None)


@rule(
    "G001",
    "component-type-unknown",
    Severity.ERROR,
    of=COMPONENTS,
    fixable=True,
)
def component_type_unknown(component: Component, deployment: Deployment) -> Iterator[Said]:
    """The frontend or a worker has a component type that the operator does not know.

    For a type that it does not know the operator adds no ports, no probes and no discovery: the
    pod starts and loads the model, and the frontend never hears of it. v1alpha1 takes any text,
    so nothing refuses it; v1beta1 refuses it. Workers that register in etcd are found all the same:
    that was the operator's way before release 0.9, and is that of a graph that asks for it.
    """
    field = _type_field(deployment)
    declared = component.type.value if component.type else None
    serves = isinstance(component, Frontend | Worker)
    if declared in TYPES or not (serves or field == "type"):
        return
    if (
        isinstance(component, Worker)
        and field != "type"
        and _registers_in_etcd(component, deployment)
    ):
        return
    says = f"{field} is {declared!r}" if declared else f"{field} is missing"
    wanted = "frontend" if isinstance(component, Frontend) else "worker"
    yield Said(
        component.type or component,
        f"{says}, which the operator does not know, so the {wanted} is never discovered",
        f"write {field}: {wanted}",
        fix=(
            set_value(component.type.place, field, wanted)
            if component.type
            else component_key(component, field, wanted)
        ),
    )


def _registers_in_etcd(worker: Worker, deployment: Deployment) -> bool:
    """Whether workers are found through etcd, which asks for no component type."""
    asked = deployment.annotations.get(DISCOVERY)
    if asked:
        return asked.value == ETCD
    variables = (deployment.environment, worker.pod.environment)
    given = [v.value for found in variables for name in BACKENDS if (v := found.get(name))]
    if given:
        return ETCD in given
    release = deployment.release
    return release is not None and release.number < BY_KUBERNETES_FROM


@rule(
    "G002",
    "sub-component-type-missing",
    Severity.INFO,
    of=WORKERS,
    fixable=True,
)
def sub_component_type_missing(worker: Worker, deployment: Deployment) -> Iterator[Said]:
    """A prefill or decode worker does not say which of the two it is.

    Without it prefill and decode pods carry the same component labels: the planner, dashboards
    and selectors cannot tell them apart.
    """
    if _type_field(deployment) == "type":
        return
    if worker.role is Role.AGGREGATED or worker.sub_type or _split_role(worker):
        return
    yield Said(
        worker.type or worker,
        "the worker runs with --disaggregation-mode but has no subComponentType",
        "write the mode as subComponentType: prefill or decode",
        fix=(
            add_beside(worker.type.place, "componentType", "subComponentType", str(worker.role))
            if worker.type
            else component_key(worker, "subComponentType", str(worker.role))
        ),
    )


@rule(
    "G003",
    "component-type-of-another-program",
    Severity.ERROR,
    of=COMPONENTS,
    fixable=True,
)
def component_type_of_another_program(
    component: Component, deployment: Deployment
) -> Iterator[Said]:
    """A component runs the frontend but is typed as a worker, or the other way round.

    The type decides ports and probes. A frontend's probes ask port 8000 and a worker's port 9090,
    where the other program does not listen, so the pod is restarted for ever.
    """
    field = _type_field(deployment)
    if component.type is None or component.type.value not in TYPES:
        return
    if isinstance(component, Frontend):
        wanted: tuple[str, ...] = ("frontend",)
        program = "dynamo.frontend"
        runs = component.command is not None
    elif isinstance(component, Worker):
        wanted, program, runs = WORKER_TYPES, "dynamo.trtllm", True
    else:
        return
    if runs and component.type.value not in wanted:
        yield Said(
            component.type,
            f"the component runs {program} but {field} is {component.type.value!r}, whose "
            "probes it never answers",
            f"write {field}: {wanted[0]}",
            fix=set_value(component.type.place, field, wanted[0]),
        )


@rule(
    "G004",
    "component-type-and-mode-disagree",
    Severity.WARNING,
    of=WORKERS,
)
def component_type_and_mode_disagree(worker: Worker) -> Iterator[Said]:
    """The component type says prefill or decode and ``--disaggregation-mode`` says otherwise.

    The worker does what its flag says, and both prefill and decode without one; labels, planner and
    dashboards believe the type. A prefill worker beside it waits for a decode worker that does not
    come: every pod is ready, and the model is not listed.
    """
    declared = _split_role(worker)
    mode = worker.arguments["--disaggregation-mode"].located
    says_nothing = mode is None and worker.arguments.complete
    if declared is None or (declared == worker.role and not says_nothing):
        return
    runs = f"--disaggregation-mode {mode.value}" if mode else "no --disaggregation-mode"
    at = worker.sub_type or worker.type or worker
    yield Said(
        at,
        f"the component is typed {declared!r} but runs with {runs}",
        "make the type and the flag name the same role",
        also=[(mode or worker.command, f"runs as {'aggregated' if says_nothing else worker.role}")],
    )
