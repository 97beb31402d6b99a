"""Do tokens reach the ranks of their experts?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.rules.readings import parallel_size
from gptoss.rules.rule import ANY, Need, Said, Severity, rule
from gptoss.rules.subjects import WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Deployment, Worker
    from gptoss.facts.world import Model

VARIABLE = "TRTLLM_FORCE_COMM_METHOD"


@rule(
    "P030",
    "expert-exchange-left-to-the-engine",
    Severity.WARNING,
    of=WORKERS,
    runtimes=ANY,
    engine_only=False,
    needs=(Need.GPU, Need.MODEL, Need.ENGINE),
)
def expert_exchange_left_to_the_engine(
    worker: Worker, deployment: Deployment, model: Model
) -> Iterator[Said]:
    """On GB200, the engine chooses how tokens reach the ranks of their experts, and may fail.

    With attention data parallelism and experts spread over ranks it prefers to write into the
    memory of other GPUs over NVLink, which takes the channel of a ComputeDomain on these nodes, and
    else may take DeepEP, which fails while the engine warms up. An all-gather works everywhere.
    """
    gpu, experts = worker.gpu, parallel_size(worker, "moe_expert_parallel_size")
    if gpu is None or gpu.key != "gb200" or not worker.attention_dp or (experts or 1) < 2:
        return
    told = worker.pod.environment.get(VARIABLE) or deployment.environment.get(VARIABLE)
    if told or worker.pod.claims_channel:
        return
    yield Said(
        worker.engine["moe_expert_parallel_size"],
        f"the experts of {model.id} are spread over {experts} GB200 GPUs with attention data "
        f"parallelism, and {VARIABLE} is not set: what the engine takes by itself may fail there",
        f"set {VARIABLE}=ALLGATHER, or claim the channel of a ComputeDomain: "
        "hardware.computeDomain.enabled in the chart's values",
    )
