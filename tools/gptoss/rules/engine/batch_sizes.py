"""Do batch, tokens and sequence length of the engine fit each other?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.rules.right_answers import without_engine_key
from gptoss.rules.rule import DYNAMO, Need, Said, Severity, rule
from gptoss.rules.subjects import PREFILLING, WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Deployment, Worker
    from gptoss.facts.world import Model


@rule(
    "E007",
    "batch-larger-than-tokens",
    Severity.WARNING,
    of=WORKERS,
    needs=(Need.ENGINE,),
)
def batch_larger_than_tokens(worker: Worker) -> Iterator[Said]:
    """``max_batch_size`` is larger than ``max_num_tokens``.

    Each decoding request takes one token of an iteration, so the batch never fills. The engine
    only warns.
    """
    batch = worker.engine.whole("max_batch_size")
    tokens = worker.engine.whole("max_num_tokens")
    at = worker.engine["max_num_tokens"]
    if batch is not None and tokens is not None and batch > tokens:
        size = worker.engine["max_batch_size"]
        yield Said(
            at if at.is_set else size,
            f"max_batch_size {batch} is larger than max_num_tokens {tokens}, so "
            "the batch can never fill",
            f"raise max_num_tokens to {batch} or more",
            also=[(size, f"max_batch_size is {batch}")] if at.is_set and size.is_set else [],
        )


@rule(
    "E008",
    "benchmark-prompt-refused",
    Severity.ERROR,
    of=PREFILLING,
    needs=(Need.ENGINE,),
)
def benchmark_prompt_refused(worker: Worker, deployment: Deployment) -> Iterator[Said]:
    """The benchmark's prompts are longer than a prefill may be.

    Without chunked prefill a prompt has to fit max_num_tokens in one piece, and the engine answers
    every longer one with an error.
    """
    prompt = deployment.benchmark.input_tokens if deployment.benchmark else None
    limit = _longest_prefill(worker)
    if prompt and limit is not None and prompt.value > limit:
        yield Said(
            worker.engine["max_num_tokens"],
            f"max_num_tokens is {limit} and chunked prefill is off, so prompts of {prompt.value} "
            "tokens, as the benchmark sends, are refused",
            "raise max_num_tokens, or set enable_chunked_prefill: true",
            also=[(prompt, f"prompts of {prompt.value} tokens")],
        )


@rule(
    "E009",
    "long-prompt-refused",
    Severity.WARNING,
    of=PREFILLING,
    needs=(Need.ENGINE,),
)
def long_prompt_refused(worker: Worker) -> Iterator[Said]:
    """Prompts shorter than ``max_seq_len`` are refused because they exceed ``max_num_tokens``.

    max_seq_len is announced as the model's context. Without chunked prefill a prompt
    also has to fit max_num_tokens in one piece; what lies between the two is answered with an
    error. Decode workers take no prompts.
    """
    limit, known = _longest_prefill(worker), worker.engine.whole("max_seq_len")
    length, tokens = worker.engine["max_seq_len"], worker.engine["max_num_tokens"]
    if limit is None or known is None or limit >= known:
        return
    default = "" if tokens.is_set else " by default"
    yield Said(
        tokens if tokens.is_set else length,
        f"max_num_tokens is {limit}{default} and chunked prefill is off, so prompts of "
        f"{limit + 1} to {known} tokens (max_seq_len) are refused",
        f"raise max_num_tokens to {known}, lower max_seq_len, or set enable_chunked_prefill: true",
        also=[(length, f"max_seq_len is {known}")] if tokens.is_set else [],
    )


@rule(
    "E042",
    "prompts-limited-by-default",
    Severity.INFO,
    of=PREFILLING,
    needs=(Need.ENGINE, Need.MODEL),
)
def prompts_limited_by_default(worker: Worker, model: Model) -> Iterator[Said]:
    """Nobody says how long prompts may be, and ``max_num_tokens`` refuses most of the context.

    Without max_seq_len the model's whole context is announced. Without chunked prefill a prompt has
    to fit max_num_tokens, and a longer one is answered with an error.
    """
    limit, length = _longest_prefill(worker), worker.engine["max_seq_len"]
    if limit is None or length.value is not None or limit >= model.max_position:
        return
    tokens = worker.engine["max_num_tokens"]
    yield Said(
        tokens if tokens.is_set else length,
        f"max_seq_len is not set, but prompts of more than {limit} tokens (max_num_tokens) are "
        f"refused, of {model.max_position} that are announced",
        "write max_seq_len, or set enable_chunked_prefill: true",
    )


def _longest_prefill(worker: Worker) -> int | None:
    """The most tokens that a prefill may have; None where it may come in pieces."""
    chunked = worker.engine.switch("enable_chunked_prefill")
    return None if chunked else worker.engine.whole("max_num_tokens")


@rule(
    "E010",
    "longer-than-the-model",
    Severity.WARNING,
    of=WORKERS,
    needs=(Need.ENGINE, Need.MODEL),
)
def longer_than_the_model(worker: Worker, model: Model) -> Iterator[Said]:
    """``max_seq_len`` is longer than the model's context.

    Positions beyond it were never trained: what the model writes there is noise.
    """
    length = worker.engine.whole("max_seq_len")
    if length is not None and length > model.max_position:
        yield Said(
            worker.engine["max_seq_len"],
            f"max_seq_len {length} is longer than the {model.max_position} tokens of {model.id}",
            f"write max_seq_len: {model.max_position} or less",
        )


@rule(
    "E011",
    "postprocess-workers-ignored",
    Severity.INFO,
    of=WORKERS,
    engine_only=False,
    runtimes=DYNAMO,
    fixable=True,
    needs=(Need.ENGINE,),
)
def postprocess_workers_ignored(worker: Worker) -> Iterator[Said]:
    """``num_postprocess_workers`` is set, which has no effect under Dynamo.

    It adds processes that turn tokens into text for trtllm-serve. Under Dynamo the frontend does
    that; newer releases drop the key with a warning.
    """
    count = worker.engine["num_postprocess_workers"]
    if count.is_set and worker.engine.whole("num_postprocess_workers"):
        yield Said(
            count,
            f"num_postprocess_workers {count.value} has no effect under Dynamo, where the "
            "frontend turns tokens into text",
            "remove it",
            fix=without_engine_key(count.winner),
        )
