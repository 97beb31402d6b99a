"""Do the CUDA graphs of the engine cover its batches?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.rules.readings import quoted
from gptoss.rules.right_answers import engine_value
from gptoss.rules.rule import Need, Said, Severity, rule
from gptoss.rules.subjects import DECODING, WORKERS

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
    of=DECODING,
    fixable=True,
    needs=(Need.ENGINE,),
)
def cuda_graphs_do_not_cover_batch(worker: Worker) -> Iterator[Said]:
    """The largest CUDA graph is smaller than the batch.

    Larger batches run without a graph, each kernel launched from the CPU: the engine is slowest
    when it is busiest, and does not say so. Without cuda_graph_config graphs go up to 128. Graphs
    are of decode batches, so a prefill worker needs none.
    """
    batch = worker.engine["max_batch_size"]
    size = worker.engine.whole("max_batch_size")
    if not batch.is_set or size is None or _graphs_off(worker):
        return
    sizes = _graph_sizes(worker)
    largest = _largest_used(worker, sizes, size)
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


def _largest_used(worker: Worker, sizes: list[int], batch: int) -> int:
    """The largest batch with a graph; sizes above the batch count only where padding cuts them."""
    if not sizes:
        return worker.engine.whole("cuda_graph_config.max_batch_size") or DEFAULT_GRAPH_MAX
    padded = worker.engine.switch("cuda_graph_config.enable_padding")
    return max((size for size in sizes if padded or size <= batch), default=0)


@rule(
    "E041",
    "cuda-graph-sizes-unused",
    Severity.INFO,
    of=WORKERS,
    needs=(Need.ENGINE,),
)
def cuda_graph_sizes_unused(worker: Worker) -> Iterator[Said]:
    """The list of CUDA graph sizes is unsorted, repeats a size or goes beyond the batch.

    The engine sorts the list and captures what can occur: a size twice is one graph, and a size
    above max_batch_size is dropped, or cut to it with padding. The list is not what runs, and a
    slip in it stays unseen.
    """
    sizes, batch = _graph_sizes(worker), worker.engine.whole("max_batch_size")
    beyond = [size for size in sizes if batch is not None and size > batch]
    wrong = ["is not sorted"] if sizes != sorted(sizes) else []
    wrong += ["repeats sizes"] if len(set(sizes)) < len(sizes) else []
    if beyond:
        wrong.append(f"has {quoted(map(str, beyond))} above max_batch_size {batch}")
    if not wrong:
        return
    used = sorted({min(size, batch or size) for size in sizes})
    limit = worker.engine["max_batch_size"]
    yield Said(
        worker.engine["cuda_graph_config.batch_sizes"],
        f"cuda_graph_config.batch_sizes {quoted(wrong)}",
        f"write batch_sizes: {used}",
        also=[(limit, f"max_batch_size is {batch}")] if beyond and limit.is_set else [],
    )
