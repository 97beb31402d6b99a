"""Does what is said of NVLink between nodes reach UCX?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.rules.disaggregation.transports import TRANSPORTS, literal, ucx_names
from gptoss.rules.rule import Said, Severity, rule
from gptoss.rules.subjects import SPLIT_WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Worker

NVLINK = "UCX_CUDA_IPC_ENABLE_MNNVL"
SWITCHED_ON = ("y", "yes", "on", "1", "true", "try")


@rule(
    "D033",
    "nvlink-left-out-of-ucx",
    Severity.WARNING,
    of=SPLIT_WORKERS,
)
def nvlink_left_out_of_ucx(worker: Worker) -> Iterator[Said]:
    """UCX is to send over NVLink between nodes, and UCX_TLS leaves the transport out that does.

    UCX_CUDA_IPC_ENABLE_MNNVL is a setting of ``cuda_ipc``, which is all of UCX that reaches NVLink.
    Where the list leaves it out the KV cache goes over the network, and nothing says so.
    """
    asked, found = literal(worker, NVLINK), literal(worker, TRANSPORTS)
    if asked is None or found is None or (asked.value or "").lower() not in SWITCHED_ON:
        return
    names, excludes = ucx_names(found.value or "")
    named = bool({"cuda", "cuda_ipc"} & set(names))
    if named if excludes else not (named or "all" in names):
        yield Said(
            asked,
            f"{NVLINK}={asked.value} has no effect, because {TRANSPORTS}={found.value} leaves out "
            "cuda_ipc",
            f"write {TRANSPORTS} so that cuda_ipc is in it, or remove {NVLINK}",
            also=[(found, f"{TRANSPORTS} is here")],
        )
