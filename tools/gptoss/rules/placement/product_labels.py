"""Do nodes have the labels that pods ask for?"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gptoss.rules.placement.wrong_nodes import GPU_LABEL
from gptoss.rules.rule import Said, Severity, rule
from gptoss.rules.subjects import WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Worker
    from gptoss.facts.world import Facts

# Kinds whose name in the driver says nothing of the socket; that of an A100 or a B300 does.
KIND = re.compile(r"(?<![A-Z0-9])(GB200|B200|H200|H100)(?![0-9])", re.IGNORECASE)
SOCKET = re.compile(r"SXM", re.IGNORECASE)
MAKER = "NVIDIA-"


@rule(
    "L024",
    "product-label-of-no-node",
    Severity.WARNING,
    of=WORKERS,
)
def product_label_of_no_node(worker: Worker, facts: Facts) -> Iterator[Said]:
    """A worker asks for a nvidia.com/gpu.product that GPU feature discovery writes on no node.

    It writes the name that the driver gives the GPU, with hyphens for spaces, such as
    NVIDIA-H100-80GB-HBM3, and not the product's name in a catalogue. The pod stays Pending, unless
    somebody labels nodes by hand.
    """
    for node in worker.pod.nodes:
        if node.key != GPU_LABEL or not node.required or node.operator != "In":
            continue
        for value in node.values:
            kind = KIND.search(value)
            if kind and (SOCKET.search(value) or not value.startswith(MAKER)):
                gpu = facts.gpus.get(kind[1].lower())
                label = gpu.product_labels[0] if gpu else "what kubectl get nodes shows"
                yield Said(
                    node,
                    f"the pod asks for {GPU_LABEL} {value!r}, which no node is labelled with: the "
                    "label is the driver's name of the GPU",
                    f"write {label}",
                )
                return
