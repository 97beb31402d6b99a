"""Does a pod have rights over its node?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.rules.readings import quoted
from gptoss.rules.rule import CONTAINERS, KUBERNETES, Need, Said, Severity, rule
from gptoss.rules.subjects import PODS, WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Deployment, Worker
    from gptoss.deployment.pods import Pod
    from gptoss.facts.world import Model

# Capabilities that amount to root on the node, or to its network.
MIGHTY = (
    "ALL",
    "BPF",
    "DAC_READ_SEARCH",
    "NET_ADMIN",
    "SYS_ADMIN",
    "SYS_BOOT",
    "SYS_MODULE",
    "SYS_RAWIO",
)


@rule(
    "X006",
    "capability-not-needed",
    Severity.WARNING,
    of=PODS,
)
def capability_not_needed(pod: Pod) -> Iterator[Said]:
    """A container adds a capability that amounts to root on its node.

    RDMA needs IPC_LOCK to pin memory, copies between processes may need SYS_PTRACE, and placement
    on NUMA nodes SYS_NICE; serving needs nothing beyond these.
    """
    for capability in pod.capabilities:
        if capability.value.removeprefix("CAP_") in MIGHTY:
            yield Said(
                capability,
                f"capability {capability.value} is added, which amounts to root on the node",
                "remove it; RDMA needs IPC_LOCK only",
            )


@rule(
    "X007",
    "namespace-of-the-node",
    Severity.WARNING,
    of=PODS,
    platforms=KUBERNETES,
)
def namespace_of_the_node(pod: Pod) -> Iterator[Said]:
    """A pod shares its node's processes, shared memory or network.

    Namespaces with a Pod Security Standard refuse it. Shared memory comes from the operator. With
    hostNetwork two pods of a node want the same ports, and network policies do not apply; RDMA
    works without it where a device plugin or a secondary network hands out the devices.
    """
    if pod.host_namespaces:
        used = [found.value for found in pod.host_namespaces]
        yield Said(pod.host_namespaces[0], f"the pod sets {quoted(used)}", f"remove {quoted(used)}")


@rule(
    "X010",
    "namespace-of-the-machine",
    Severity.INFO,
    of=PODS,
    platforms=CONTAINERS,
)
def namespace_of_the_machine(pod: Pod) -> Iterator[Said]:
    """A container shares its machine's processes or shared memory, where one container's would do.

    NVIDIA's quick starts do so, and it works. Containers that open each other's GPU memory need the
    namespaces of one of them, not those of the machine; one alone needs shared memory of a size.
    """
    used = [each.value for each in pod.host_namespaces if each.value in ("hostIPC", "hostPID")]
    if used:
        yield Said(
            pod.host_namespaces[0],
            f"the container sets {quoted(used)}",
            f"remove {quoted(used)} and set the size of shared memory, or share those of one "
            "container, as in pid: service:NAME",
        )


@rule(
    "X008",
    "memory-unbounded",
    Severity.INFO,
    of=PODS,
    platforms=KUBERNETES,
)
def memory_unbounded(name: str, pod: Pod, deployment: Deployment) -> Iterator[Said]:
    """The frontend or a Job says nothing about its memory.

    It may take all that its node has, and is the first to be killed when others need it: in the
    middle of a run or of a download of 61 GiB. Workers are judged by L004.
    """
    judged = {component.name for component in (*deployment.workers, *deployment.others)}
    if name not in judged and "memory" not in {*pod.requests, *pod.limits}:
        yield Said(
            pod,
            "there is neither a memory request nor a limit",
            "add resources.requests.memory and resources.limits.memory",
        )


@rule(
    "X009",
    "remote-code-not-needed",
    Severity.INFO,
    of=WORKERS,
    needs=(Need.MODEL,),
)
def remote_code_not_needed(worker: Worker, model: Model) -> Iterator[Said]:
    """A worker may run Python code of the model's repository, which has none.

    The switch does nothing today. Should the repository, or one of its name on another hub, bring
    code some day, it runs with everything that the worker may do.
    """
    if worker.engine.switch("trust_remote_code"):
        yield Said(
            worker.engine["trust_remote_code"],
            f"the worker may run code of {model.id}, which has none",
            "remove trust_remote_code",
        )
