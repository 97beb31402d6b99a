"""Workers and frontend as the chart's values have them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gptoss.deployment.model import Platform, Role, Runtime
from gptoss.importing.claim_values import worker_claims
from gptoss.importing.context import leaf
from gptoss.importing.document import Block, Leaf
from gptoss.importing.engine import engine
from gptoss.importing.environment import QUANTIZATION, environment
from gptoss.importing.flags import extra_args
from gptoss.importing.pods import QUANTITY, note_left_out, resources, termination_grace
from gptoss.importing.rdma_values import AS_ROOT, locks_memory, rdma_resource, sends
from gptoss.importing.scaled_values import scaling_block
from gptoss.importing.shutdown_values import GRACE, shares_grace
from gptoss.values.component_values import FrontendValues
from gptoss.values.contract import Quantization

if TYPE_CHECKING:
    from gptoss.deployment.model import Frontend, Worker
    from gptoss.importing.context import Context

ROUTER_MODES = FrontendValues.model_json_schema(by_alias=True)["properties"]["routerMode"]["enum"]
QUANTIZATIONS = next(
    option["enum"]
    for option in Quantization.model_json_schema()["properties"]["override"]["anyOf"]
    if "enum" in option
)
# Shared memory of a container that nobody asked any for.
DOCKERS_OWN = "64Mi"
PARSERS: dict[str, Any] = {"--dyn-reasoning-parser": "gpt_oss", "--dyn-tool-call-parser": "harmony"}


def named_workers(context: Context) -> list[tuple[str, Worker]]:
    """Every worker with its name in the values: that of its role, numbered from the second on."""
    found = []
    for role in Role:
        base = "worker" if role is Role.AGGREGATED else role.value
        for number, worker in enumerate(context.deployment.workers_with(role), 1):
            found.append((base if number == 1 else f"{base}-{number}", worker))
    return found


def worker_block(worker: Worker, quantization: bool, context: Context) -> Block:
    """One worker.

    Args:
        worker: The worker.
        quantization: Whether ``quantization.override`` stands for its variable.
        context: The import.
    """
    found: Block = {"role": Leaf(worker.role.value)}
    replicas = worker.replicas
    found["replicas"] = leaf(max(0, replicas.value), replicas.place) if replicas else Leaf(1)
    _note_gpus(worker, context)
    if worker.nodes.value > 1:
        found["nodes"] = leaf(worker.nodes.value, worker.nodes.place)
    found["engine"] = engine(worker, context)
    args = extra_args(worker, worker.arguments, context, _chart_flags(context))
    if args:
        found["extraArgs"] = args
    locked = sends(worker) and locks_memory(context)
    handled = (
        *[QUANTIZATION] * quantization,
        *[GRACE] * shares_grace(context),
        *AS_ROOT * locked,
    )
    found["env"] = environment(worker.name, worker.pod, worker.arguments.program, context, handled)
    device = rdma_resource(context) if sends(worker) else None
    found["resources"] = resources(worker.name, worker.pod, context, device)
    memory = worker.pod.shared_memory
    of_docker = context.deployment.platform is Platform.CONTAINERS
    defaulted = of_docker and memory is not None and memory.value == DOCKERS_OWN
    if memory and memory.value != "0" and not defaulted and QUANTITY.fullmatch(memory.value):
        found["sharedMemory"] = leaf(memory.value, memory.place)
    found |= worker_claims(worker, context)
    found |= termination_grace(worker.pod)
    found |= scaling_block(worker, context)
    note_left_out(worker.name, worker.pod, context, locks_memory=locked)
    return found


def frontend_block(frontend: Frontend, context: Context) -> Block:
    """The frontend."""
    found: Block = {}
    if frontend.replicas:
        found["replicas"] = leaf(max(0, frontend.replicas.value), frontend.replicas.place)
    arguments = frontend.arguments
    if arguments:
        mode, enforce = arguments["--router-mode"], arguments["--enforce-disagg"]
        if mode.place:
            found |= _router_mode(mode.value, context, leaf(mode.value, mode.place))
        if enforce.place:
            found["enforceDisagg"] = leaf(bool(enforce.value), enforce.place)
        elif context.deployment.is_disaggregated and _enforces(context):
            context.mended(
                "frontend: --enforce-disagg is added, so that requests are refused while no "
                "prefill worker is there; set frontend.enforceDisagg: false to have it as before",
                arguments.command.place,
            )
        chart = {"--router-mode": None, "--enforce-disagg": None, "--migration-limit": None}
        args = extra_args(frontend, arguments, context, chart)
        if args:
            found["extraArgs"] = args
    handled = ("DYN_ROUTER_MODE", "DYN_ENFORCE_DISAGG", "DYN_MIGRATION_LIMIT")
    found["env"] = environment("frontend", frontend.pod, None, context, handled)
    found["resources"] = resources("frontend", frontend.pod, context)
    found |= termination_grace(frontend.pod)
    found |= scaling_block(frontend, context)
    note_left_out("frontend", frontend.pod, context)
    return found


def quantization_block(context: Context) -> Block:
    """The quantisation that every worker asks for; empty when they ask for several or none."""
    variables = [w.pod.environment.get(QUANTIZATION) for w in context.deployment.workers]
    first = variables[0] if variables else None
    if first is None or first.value not in QUANTIZATIONS:
        return {}
    if any(variable is None or variable.value != first.value for variable in variables):
        return {}
    return {"override": leaf(first.value, first.place)}


def _chart_flags(context: Context) -> dict[str, Any]:
    """Flags of a worker that the chart sets itself."""
    if context.deployment.runtime is Runtime.SERVE:
        return {"--host": "0.0.0.0", "--port": 8000}  # noqa: S104 (the chart's own flags)
    routes = context.deployment.frontend and context.deployment.frontend.arguments
    if routes and routes["--router-mode"].value == "kv":
        return {**PARSERS, context.release.kv_events_flag: None, "--kv-block-size": None}
    return PARSERS


def _note_gpus(worker: Worker, context: Context) -> None:
    if worker.gpus_per_pod and not worker.engine_known:
        context.left_out(
            f"{worker.name}: {worker.gpus} GPUs; write the parallel sizes under engine, from which "
            "the chart counts them",
            worker.gpus_per_pod.place,
        )
    elif worker.gpus_per_pod and worker.gpus != worker.ranks:
        context.mended(
            f"{worker.name}: it has {worker.gpus} GPUs, but its parallel sizes need "
            f"{worker.ranks}; the chart gives it as many as they need",
            worker.gpus_per_pod.place,
        )


def _enforces(context: Context) -> bool:
    return context.release.enforce_disagg == "effective"


def _router_mode(mode: str, context: Context, found: Leaf) -> Block:
    if mode in ROUTER_MODES and mode in context.release.router_modes:
        return {"routerMode": found}
    context.left_out(f"frontend: --router-mode {mode} is none that the chart has: {found.comment}")
    return {}
