"""Do the pods find nodes: of the right GPU, without taints in their way, and with room?"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING

from gptoss.cluster.live_cluster import ALL, DeniedError
from gptoss.cluster.pod_sets import GPU, requests
from gptoss.cluster.preflight.answer import Answer, Status
from gptoss.cluster.released import INSTANCE
from gptoss.cluster.scheduling import keeps_out, lacks, nodes, selects, take
from gptoss.sources.kubernetes.graph import GRAPH_LABEL

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gptoss.cluster.live_cluster import Cluster, Object
    from gptoss.cluster.pod_sets import PodSet
    from gptoss.cluster.scheduling import Node
    from gptoss.cluster.wanted import Wanted

PRODUCT, ARCHITECTURE = "nvidia.com/gpu.product", "kubernetes.io/arch"
GIB = 1024**3
# Why a node does not take a pod, in the order in which one looks.
LABELS, READY, TAINT, ROOM = "labels", "ready", "taint", "room"


def placement(cluster: Cluster, wanted: Wanted) -> Iterator[Answer]:
    """Whether every pod finds a node beside all others, the largest first.

    Pods of the same release do not count: an upgrade takes their places.
    """
    found = cluster.objects("v1", "Node")
    try:
        pods = [pod for pod in cluster.objects("v1", "Pod", ALL) if not is_own(pod, wanted)]
    except DeniedError as error:
        pods = []
        says = "what other pods take of the nodes cannot be seen: nodes are taken for empty"
        yield Answer("nodes", Status.UNKNOWN, says, f"grant: {error.right}")
    left = nodes(found, pods)
    for each in sorted(wanted.pods, key=lambda pods: -requests(pods.spec).get(GPU, 0)):
        yield _everywhere(left, each) if each.everywhere else _placed(left, each)


def is_own(pod: Object, wanted: Wanted) -> bool:
    """Whether a pod belongs to the release, or to the graph of its name."""
    meta = pod["metadata"]
    labels = meta.get("labels") or {}
    names = (wanted.release, wanted.deployment.name)
    own = labels.get(INSTANCE) in names or labels.get(GRAPH_LABEL) in names
    return own and meta["namespace"] == wanted.namespace


def _placed(left: list[Node], pods: PodSet) -> Answer:
    """Places the pods of a set one by one, in what is left of the nodes."""
    wanted = {**requests(pods.spec), "pods": Fraction(1)}
    suitable = [node for node in left if _why_not(node, pods, {})[0] == ""]
    done = 0
    while done < pods.count:
        room = [node for node in suitable if not lacks(node, wanted)]
        if not room:
            break
        # Where least is left, so that large pods still find whole nodes.
        take(min(room, key=lambda node: (node.free.get(GPU, Fraction()), node.name)), wanted)
        done += 1
    if not pods.count:
        return Answer("nodes", Status.OK, f"{pods.name} has no replicas")
    told = f"{pods.name} ({_pods(pods.count)} of {_amounts(wanted)})"
    if done < pods.count:
        status = Status.ERROR if pods.is_worker else Status.WARNING
        missing = "no node" if not done else f"nodes for {done} only"
        says = f"{told} finds {missing}: {_reasons(left, pods, wanted)}"
        return Answer("nodes", status, says, _advice(left, pods, wanted))
    if pods.spec.get("resourceClaims"):
        says = f"{told} fits, apart from the devices that it claims, which are not counted"
        return Answer("nodes", Status.INFO, says, "kubectl get resourceslices lists the devices")
    return Answer("nodes", Status.OK, f"{told} fits; {len(suitable)} of {len(left)} nodes take it")


def _everywhere(left: list[Node], pods: PodSet) -> Answer:
    """Where the pods of a DaemonSet run."""
    count = sum(_why_not(node, pods, {})[0] == "" for node in left)
    status = Status.OK if count else Status.WARNING
    says = f"{pods.name} runs on {count} of {len(left)} nodes"
    return Answer("nodes", status, says, "" if count else _advice(left, pods, {}))


def _why_not(node: Node, pods: PodSet, wanted: Mapping[str, Fraction]) -> tuple[str, str]:
    """Why a node does not take a pod, and the words for it; '' where it does."""
    if not selects(node, pods.spec):
        return LABELS, "other labels"
    if not node.is_ready:
        return READY, "not ready or cordoned"
    if taints := keeps_out(node, pods.spec):
        return TAINT, f"taint {taints[0]}"
    if short := lacks(node, wanted):
        return ROOM, f"too little {short[0]} left"
    return "", ""


def _reasons(left: list[Node], pods: PodSet, wanted: Mapping[str, Fraction]) -> str:
    """Why no node is left, counted."""
    counted = Counter(_why_not(node, pods, wanted)[1] for node in left)
    told = ", ".join(f"{count} {reason}" for reason, count in counted.most_common() if reason)
    return told or "the cluster has no nodes"


def _advice(left: list[Node], pods: PodSet, wanted: Mapping[str, Fraction]) -> str:
    """What to do about the reason that is nearest to a place."""
    near = [(node, *_why_not(node, pods, wanted)) for node in left]
    of_kind = [(node, why) for node, kind, why in near if kind == ROOM]
    if of_kind:
        free = {str(name): max(n.free.get(name, Fraction()) for n, _ in of_kind) for name in wanted}
        short = [name for name in lacks(of_kind[0][0], wanted) if name in free]
        most = ", ".join(f"{_amount(name, free[name])} {name}" for name in short)
        return f"the most that one of these nodes has left is {most}; free some, or add a node"
    for kind, do in (
        (TAINT, "tolerate it (hardware.tolerations), or take the {} off the nodes"),
        (READY, "kubectl get nodes shows which; kubectl uncordon brings a cordoned one back"),
    ):
        if found := next((why for _, reason, why in near if reason == kind), ""):
            return do.format(found)
    have = sorted({n.labels[PRODUCT] for n in left if PRODUCT in n.labels})
    if not pods.is_worker:
        return "see what its node selector and affinity ask for"
    if not have:
        return f"no node has the label {PRODUCT}: install NVIDIA's GPU operator, or label them"
    return f"the cluster has {', '.join(have)}; choose a target for one (gptoss targets)"


def _pods(count: int) -> str:
    return "1 pod" if count == 1 else f"{count} pods"


def _amounts(wanted: Mapping[str, Fraction]) -> str:
    """What one pod asks for, the GPUs first."""
    names = {GPU: "GPU", "cpu": "CPU", "memory": "memory"}
    told = [f"{_amount(n, wanted[n])} {word}" for n, word in names.items() if wanted.get(n)]
    return ", ".join(told) or "no requests"


def _amount(name: str, value: Fraction) -> str:
    if name in ("memory", "ephemeral-storage"):
        return f"{float(value / GIB):g}Gi" if value % GIB == 0 else f"{float(value / GIB):.1f}Gi"
    return f"{float(value):g}"
