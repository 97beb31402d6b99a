"""Do sizes and times of the engine leave it anything to work with?"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gptoss.rules.rule import Need, Said, Severity, rule
from gptoss.rules.subjects import DECODING, WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Deployment, Worker

BLOCK = "kv_cache_config.tokens_per_block"
LEAST_BLOCK = 8


class Least(NamedTuple):
    """The least that a size may be, and what is missing below it."""

    least: float
    lacks: str


NEEDED = {
    "pipeline_parallel_size": Least(1, "no rank is left"),
    "context_parallel_size": Least(1, "no rank is left"),
    "gpus_per_node": Least(1, "nodes are counted by it"),
    "max_beam_width": Least(1, "no answer is searched for"),
    "moe_config.max_num_tokens": Least(2, "the experts take one token at a time, or none"),
    "kv_cache_config.free_gpu_memory_fraction": Least(0.01, "no memory is left for the KV cache"),
}


@rule(
    "E210",
    "size-leaves-nothing",
    Severity.WARNING,
    of=WORKERS,
    needs=(Need.ENGINE,),
)
def size_leaves_nothing(worker: Worker) -> Iterator[Said]:
    """A size of the engine YAML leaves no rank, no memory or no token to work with.

    The engine's own schema lets such a number pass. Blocks of the KV cache have to be a power of
    two of at least 8 tokens.
    """
    for key, (least, lacks) in NEEDED.items():
        setting, number = worker.engine[key], worker.engine.number(key)
        if setting.is_set and number is not None and number < least:
            yield Said(setting, f"{key} is {setting.value}: {lacks}", "leave it out, or raise it")
    block = worker.engine.whole(BLOCK)
    if block is not None and (block < LEAST_BLOCK or block & (block - 1)):
        yield Said(
            worker.engine[BLOCK],
            f"{BLOCK} is {block}, no power of two from {LEAST_BLOCK} on",
            "write 32 or 64",
        )


# Milliseconds, or iterations, that a batch may wait, and the least that a transfer takes.
LONGEST_WAIT = {"batch_wait_timeout_ms": 10_000, "batch_wait_timeout_iters": 1_000}
TRANSFER = "cache_transceiver_config.kv_transfer_timeout_ms"
SHORTEST_TRANSFER = 1_000


@rule(
    "E211",
    "engine-waits-wrongly",
    Severity.WARNING,
    of=WORKERS,
    needs=(Need.ENGINE,),
)
def engine_waits_wrongly(worker: Worker) -> Iterator[Said]:
    """A batch waits for seconds, or a transfer of KV cache for less than it takes.

    The first adds to the time until every first token. The second ends requests whose prompt was
    computed already.
    """
    for key, longest in LONGEST_WAIT.items():
        wait = worker.engine.number(key)
        if wait is not None and wait > longest:
            yield Said(
                worker.engine[key],
                f"{key} is {wait:,.0f}, so that batches wait for requests that may not come",
                f"leave it out, or write less than {longest:,}",
            )
    limit = worker.engine.number(TRANSFER)
    if limit is not None and 0 < limit < SHORTEST_TRANSFER:
        yield Said(
            worker.engine[TRANSFER],
            f"{TRANSFER} is {limit:,.0f} ms, less than a transfer under load takes",
            "write 60000, or leave it out",
        )


PIECES = "stream_interval"


@rule(
    "E212",
    "pieces-longer-than-answers",
    Severity.WARNING,
    of=DECODING,
    needs=(Need.ENGINE,),
)
def pieces_longer_than_answers(worker: Worker, deployment: Deployment) -> Iterator[Said]:
    """``stream_interval`` is as long as an answer, so that nothing is streamed.

    Clients get the whole answer at its end, and the time between tokens that a benchmark measures
    is none.
    """
    pieces = worker.engine.whole(PIECES)
    answer = deployment.benchmark.output_tokens if deployment.benchmark else None
    if pieces is not None and answer is not None and answer.value <= pieces and pieces > 1:
        yield Said(
            worker.engine[PIECES],
            f"stream_interval is {pieces:,}, but answers of the benchmark have "
            f"{answer.value:,} tokens: nothing is streamed",
            "write 20 or less",
            also=[(answer, f"answers have {answer.value:,} tokens")],
        )


# Settings that serve parts which a model of text alone does not have.
PARTS = {"encode_only": True, "mm_encoder_only": True, "load_format": "vision_only"}


@rule(
    "E213",
    "part-of-another-model",
    Severity.WARNING,
    of=WORKERS,
    needs=(Need.ENGINE, Need.MODEL),
)
def part_of_another_model(worker: Worker) -> Iterator[Said]:
    """The engine is told to load only a part that the model does not have.

    gpt-oss has neither an encoder nor a part that sees; such a worker can generate nothing.
    """
    for key, value in PARTS.items():
        setting = worker.engine[key]
        if setting.is_set and str(setting.value).lower() == str(value).lower():
            yield Said(setting, f"{key} is {setting.value}, but gpt-oss is text alone", "remove it")
