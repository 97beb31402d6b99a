"""Will the operator accept what a component asks for beside its pod?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.deployment.model import Worker
from gptoss.rules.graph.claimed_gpus import gpu_limit
from gptoss.rules.graph.operator.asked import EPP, REQUESTS, WORKER_TYPES, type_of
from gptoss.rules.rule import Need, Said, Severity, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Component, Deployment
    from gptoss.deployment.operator import ComponentRequest
    from gptoss.facts.world import Release

# From this release on only worker types may run on several nodes.
# The first release whose frontend image has the endpoint picker, which takes no configuration.
OWN_PICKER_FROM = (1, 5)
MULTINODE_TYPES_FROM = (1, 5)


@rule(
    "G074",
    "endpoint-picker-refused",
    Severity.ERROR,
    of=REQUESTS,
)
def endpoint_picker_refused(
    component: Component, request: ComponentRequest, deployment: Deployment
) -> Iterator[Said]:
    """An endpoint picker (epp) has no eppConfig, several replicas or several nodes.

    The operator's webhook refuses the graph. From release 1.5 on the picker needs no eppConfig. It
    also needs the InferencePool API in the cluster, which is not known here.
    """
    if type_of(component) != EPP:
        return
    release = deployment.release
    if request.epp_config is None and release and release.number < OWN_PICKER_FROM:
        yield Said(
            component,
            "the component is of type epp and has no eppConfig, which the operator needs",
            "add eppConfig with configMapRef or config",
        )
    if component.replicas and component.replicas.value != 1:
        yield Said(
            component.replicas,
            f"the component is of type epp and has {component.replicas.value} replicas; the "
            "operator takes one",
            "write replicas: 1",
        )
    if request.nodes.value > 1:
        yield Said(
            request.nodes,
            f"the component is of type epp and runs on {request.nodes.value} nodes; the "
            "operator takes one",
            "remove multinode",
        )


@rule(
    "G075",
    "gpu-sharing-refused",
    Severity.ERROR,
    of=REQUESTS,
)
def gpu_sharing_refused(
    component: Component, request: ComponentRequest, deployment: Deployment
) -> Iterator[Said]:
    """A GPU memory service or failover is on where the operator cannot provide it.

    The GPU memory service is for workers with a GPU. Failover needs it in the same mode and, inside
    a pod, discovery by container. The mode between pods is refused up to 1.2, and later for any
    engine but vLLM.
    """
    memory, failover = request.gpu_memory, request.failover
    if memory:
        if type_of(component) not in WORKER_TYPES:
            yield Said(
                memory,
                "the component has gpuMemoryService but is no worker, so the operator refuses it",
                "remove it, or type the component worker, prefill or decode",
            )
        elif isinstance(component, Worker) and not gpu_limit(component):
            yield Said(
                memory,
                "the component has gpuMemoryService but no GPU limit, so the operator refuses it",
                "give it a GPU limit",
            )
    if failover and memory is None:
        yield Said(
            failover,
            "the component has failover without gpuMemoryService, which the operator refuses",
            "switch gpuMemoryService on too",
        )
    elif failover and memory and failover.mode != memory.mode:
        yield Said(
            failover,
            "failover and gpuMemoryService are of different modes, which the operator refuses",
            "give both the same mode",
            also=[(memory, "gpuMemoryService")],
        )
    for asked in (memory, failover):
        if asked and asked.mode == "interpod":
            yield Said(
                asked,
                "GPUs are shared between pods, which the operator refuses for TensorRT-LLM",
                "use the mode inside one pod",
            )
    if failover and failover.mode == "intrapod":
        yield from _discovery(deployment, request)


def _discovery(deployment: Deployment, request: ComponentRequest) -> Iterator[Said]:
    mode = deployment.annotations.get("nvidia.com/dynamo-kube-discovery-mode")
    if request.failover and request.gpu_memory and (mode is None or mode.value != "container"):
        yield Said(
            mode or request.failover,
            "failover is inside the pod, and for that the operator wants workers discovered by "
            "container",
            "annotate the graph with nvidia.com/dynamo-kube-discovery-mode: container",
        )


@rule(
    "G080",
    "several-nodes-of-no-worker",
    Severity.ERROR,
    of=REQUESTS,
    needs=(Need.RELEASE,),
)
def several_nodes_of_no_worker(
    component: Component, request: ComponentRequest, release: Release
) -> Iterator[Said]:
    """A component that is no worker is spread over several nodes.

    From release 1.5 on the operator's webhook refuses it; before, the nodes beyond the first idle.
    """
    if release.number < MULTINODE_TYPES_FROM:
        return
    if request.nodes.value > 1 and type_of(component) not in (*WORKER_TYPES, EPP):
        yield Said(
            request.nodes,
            f"the component runs on {request.nodes.value} nodes but is no worker, which the "
            "operator refuses",
            "remove multinode and use replicas",
        )
