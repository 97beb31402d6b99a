"""Do the CUDA graphs of the engine cover its batches?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.rules.right_answers import engine_value
from gptoss.rules.rule import Need, Said, Severity, rule
from gptoss.rules.subjects import WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Worker

DEFAULT_GRAPH_MAX = 128


def _graph_sizes(worker: Worker) -> list[int]:
    sizes = worker.engine["cuda_graph_config.batch_sizes"].value
    whole = isinstance(sizes, list) and all(isinstance(size, int) for size in sizes)
    return list(sizes) if whole else []


def _graphs_off(worker: Worker) -> bool:
    block = worker.engine["cuda_graph_config"]
    return block.is_set and block.value is None


@rule(
    "E005",
    "cuda-graph-sizes-disagree",
    Severity.ERROR,
    of=WORKERS,
    needs=(Need.ENGINE,),
)
def cuda_graph_sizes_disagree(worker: Worker) -> Iterator[Said]:
    """``cuda_graph_config`` names a largest batch size that its list of sizes does not end with.

    When both are written max_batch_size has to be the largest of batch_sizes; the engine refuses
    anything else.
    """
    sizes = _graph_sizes(worker)
    largest = worker.engine.whole("cuda_graph_config.max_batch_size")
    if sizes and largest and largest != max(sizes):
        listed = worker.engine["cuda_graph_config.batch_sizes"]
        yield Said(
            worker.engine["cuda_graph_config.max_batch_size"],
            f"cuda_graph_config.max_batch_size is {largest}, but batch_sizes "
            f"ends with {max(sizes)}",
            "write one of the two only",
            also=[(listed, f"batch_sizes ends with {max(sizes)}")],
        )


@rule(
    "E006",
    "cuda-graphs-do-not-cover-batch",
    Severity.WARNING,
    of=WORKERS,
    fixable=True,
    needs=(Need.ENGINE,),
)
def cuda_graphs_do_not_cover_batch(worker: Worker) -> Iterator[Said]:
    """The largest CUDA graph is smaller than the batch.

    Larger batches run without a graph, each kernel launched from the CPU: the engine is slowest
    when it is busiest, and does not say so. Without cuda_graph_config graphs go up to 128.
    """
    batch = worker.engine["max_batch_size"]
    size = worker.engine.whole("max_batch_size")
    if not batch.is_set or size is None or _graphs_off(worker):
        return
    sizes = _graph_sizes(worker)
    largest = max(sizes) if sizes else worker.engine.whole("cuda_graph_config.max_batch_size")
    largest = largest or DEFAULT_GRAPH_MAX
    if largest >= size:
        return
    key = "cuda_graph_config.batch_sizes" if sizes else "cuda_graph_config.max_batch_size"
    graphs = worker.engine[key]
    by_default = "" if graphs.is_set else " by default"
    yield Said(
        graphs if graphs.is_set else batch,
        f"CUDA graphs cover batches up to {largest}{by_default}, but "
        f"max_batch_size is {size}: larger batches run without graphs",
        f"write cuda_graph_config.max_batch_size: {size}",
        also=[(batch, f"max_batch_size is {size}")] if graphs.is_set else [],
        fix=None if sizes else engine_value(worker, key, size),
    )
