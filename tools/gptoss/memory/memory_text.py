"""The memory of a worker's GPU as ``gptoss plan`` tells it: at most 100 columns."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from gptoss.drawing.bars import as_line, letter
from gptoss.facts.world import GIB
from gptoss.memory.cached_requests import request_of
from gptoss.memory.memory_bars import memory_bar, series_of
from gptoss.memory.worker_memory import memory_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gptoss.deployment.model import Deployment, Worker
    from gptoss.memory.cached_requests import CachedRequest
    from gptoss.memory.gpu_memory import GpuMemory, Line

WIDTH, NAME, SIZE, MARK = 100, 20, 7, 11
# Columns of a table that are words.
WORDS = 2
HEAD = ("", "", "weights", "working", "KV cache", "later", "left", "requests a replica")
# docs/planning.md tells both.
SEEN = "The estimates agree with a log of the recipe on GB200 within 1 GiB."
OPEN = (
    "On Hopper the KV cache may be half of this: published runs on one H200 have room for half as "
    "many requests."
)


def memory_lines(
    deployment: Deployment, isl: int | None = None, osl: int | None = None
) -> list[str]:
    """The memory of each worker's fullest GPU line by line, and how far that may be believed.

    Args:
        deployment: The deployment.
        isl: Tokens of a prompt, in place of what the benchmark says.
        osl: Likewise, of an answer.
    """
    sources: list[str] = []
    lines: list[str] = []
    for worker in deployment.workers:
        request = request_of(worker, deployment, isl, osl)
        lines += [*_of_worker(worker, deployment, request, sources), ""]
    for number, source in enumerate(sources, 1):
        lines += textwrap.wrap(f"[{number}] {source}", WIDTH, subsequent_indent="    ")
    gpus = [worker.gpu for worker in deployment.workers if worker.gpu]
    told = OPEN if any(gpu.is_hopper for gpu in gpus) else SEEN
    return [*lines, *textwrap.wrap(told, WIDTH)] if sources else lines[:-1]


def compared_memory(
    deployments: Sequence[Deployment], isl: int | None = None, osl: int | None = None
) -> list[str]:
    """The same of several deployments, a line a worker."""
    rows: list[tuple[str, ...]] = [HEAD]
    for number, deployment in enumerate(deployments, 1):
        for worker in deployment.workers:
            request = request_of(worker, deployment, isl, osl)
            rows.append((f"{number}", worker.name, *_cells(memory_of(worker, deployment), request)))
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    table = (
        "  ".join(
            cell.ljust(width) if n < WORDS else cell.rjust(width)
            for n, (cell, width) in enumerate(zip(cells, widths, strict=True))
        )
        for cells in rows
    )
    return ["Memory of a GPU, GiB", *(f"  {line}".rstrip() for line in table)]


def _cells(memory: GpuMemory | None, request: CachedRequest | None) -> tuple[str, ...]:
    if memory is None:
        return ("not known", *[""] * 5)
    parts = (memory.weights, memory.working, (memory.kv,), memory.after)
    sizes = [sum(line.gib for line in lines) for lines in parts]
    held = memory.sequences(request.tokens) * memory.shape.ranks if request else None
    numbers = (f"{size:.1f}" for size in (*sizes, memory.left / GIB))
    return (*numbers, "" if held is None else f"{held:,}")


def _of_worker(
    worker: Worker, deployment: Deployment, request: CachedRequest | None, sources: list[str]
) -> Iterator[str]:
    memory = memory_of(worker, deployment)
    if memory is None:
        yield f"Memory of {worker.name}: not known; {_missing(worker, deployment)}"
        return
    gpu, count = memory.shape.gpu, memory.shape.tp * memory.shape.pp
    of = f"one of the {count} GPUs" if count > 1 else "the GPU"
    yield f"Memory of {worker.name}: {of} of a replica, {gpu.name} with {gpu.memory_gib:.1f} GiB"
    yield f"  {as_line(memory_bar('', memory))}"
    yield from _parts(memory, sources)
    if worker.engine.under("speculative_config"):
        yield "  What speculative_config adds is not counted."
    yield from _room(memory, request)
    if memory.left < 0:
        yield from _indented(
            "It does not fit by estimate: lower free_gpu_memory_fraction, max_num_tokens or the "
            "size of CUDA graphs, or use more GPUs."
        )


def _parts(memory: GpuMemory, sources: list[str]) -> Iterator[str]:
    shape = memory.shape
    notes = {
        "KV cache": f"{shape.free_fraction:g} of the {memory.free / GIB:.1f} GiB free",
        "CUDA graphs": f"at most, {len(shape.graph_sizes)} sizes",
        "activations": f"{shape.max_num_tokens:,} tokens an iteration",
        "weights: experts": f"padded for {shape.moe_backend}",
    }
    for line in (*memory.weights, *memory.working, memory.kv, *memory.after):
        if line.source not in sources:
            sources.append(line.source)
        note, number = notes.get(line.name, ""), sources.index(line.source) + 1
        yield f"{_amount(line)}{f'{note} ' if note else ''}[{number}]"
    yield f"  {letter(None)} {'left':<{NAME}}{memory.left / GIB:>{SIZE}.2f} GiB"


def _amount(line: Line) -> str:
    mark = "exact" if line.exact else "estimated"
    drawn = letter(series_of(line.name))
    return f"  {drawn} {line.name:<{NAME}}{line.gib:>{SIZE}.2f} GiB  {mark:<{MARK}}"


def _room(memory: GpuMemory, request: CachedRequest | None) -> Iterator[str]:
    """What the KV cache holds."""
    ranks, limit = memory.shape.ranks, memory.shape.max_seq_len
    rank = " a rank" if ranks > 1 else ""
    longest = min(memory.longest, memory.model.max_position)
    size = f"{memory.token_bytes:,.0f} bytes each"
    yield f"  By estimate the KV cache holds {memory.kv_tokens:,} tokens{rank}, {size}."
    yield f"  The longest sequence that fits has {longest:,} tokens; max_seq_len is {limit:,}."
    if request is None:
        return
    held = memory.sequences(request.tokens)
    of_all = f", {held * ranks:,} a replica" if ranks > 1 else ""
    yield f"  Requests of {request.told}: {held:,}{rank}{of_all}."
    yield from _indented(_windows(memory, request, held))


def _windows(memory: GpuMemory, request: CachedRequest, held: int) -> str:
    """What max_attention_window changes, or would change."""
    own = list(memory.shape.attention_windows)
    if own and memory.shape.second_manager:
        without = memory.without_windows().sequences(request.tokens)
        return f"Without max_attention_window {own}: {without:,}."
    windows = own or [memory.model.sliding_window, memory.shape.max_seq_len]
    more = memory.with_windows().sequences(request.tokens)
    first = (
        ""
        if memory.shape.second_manager
        else (f"; {held:,} on the first one, which runs here and gives each window the same memory")
    )
    return f"With max_attention_window {windows}: {more:,} on the second KV cache manager{first}."


def _indented(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent="  ", subsequent_indent="    ")


def _missing(worker: Worker, deployment: Deployment) -> str:
    if deployment.model is None:
        return "it serves a model that is not known"
    if worker.gpu is None:
        return "nothing says on which GPUs it runs; give --gpu with an engine file"
    return f"{worker.engine['moe_config.backend'].value!r} is no known MoE backend"
