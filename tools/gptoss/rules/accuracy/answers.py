"""Can the engine hold the answers that an evaluation asks for?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.rules.rule import Need, Said, Severity, rule
from gptoss.rules.subjects import DECODING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Deployment, Worker
    from gptoss.facts.models import Evaluated, Model
    from gptoss.text.places import Located


@rule(
    "A001",
    "evaluation-answers-cut",
    Severity.WARNING,
    of=DECODING,
    needs=(Need.MODEL, Need.ENGINE),
)
def evaluation_answers_cut(worker: Worker, model: Model, deployment: Deployment) -> Iterator[Said]:
    """``max_seq_len`` cuts the answers of an evaluation.

    gpt_oss.evals lets the model answer with up to 131072 tokens, reasoning included. An answer that
    is cut is counted as wrong, so the score is lower than the model's.
    """
    for effort, reference in _asked(worker, model, deployment):
        length = worker.engine.whole("max_seq_len")
        needed = min(reference.max_num_tokens, model.max_position)
        if length is not None and length < needed:
            yield Said(
                worker.engine["max_seq_len"],
                f"max_seq_len {length} cuts answers with {effort.value} reasoning "
                f"effort; NVIDIA evaluates with {needed}",
                f"raise max_seq_len to {needed}, or leave it out",
                also=[(effort, f"the evaluation asks for {effort.value} effort")],
            )


@rule(
    "A002",
    "evaluation-batch-tokens-short",
    Severity.WARNING,
    of=DECODING,
    needs=(Need.MODEL, Need.ENGINE),
)
def evaluation_batch_tokens_short(
    worker: Worker, model: Model, deployment: Deployment
) -> Iterator[Said]:
    """``max_num_tokens`` is smaller than in the configuration that the model was evaluated with.

    NVIDIA verifies the accuracy with batches that one request of full length fits into. With
    smaller ones nobody has verified that the longest answers come out whole.
    """
    for effort, reference in _asked(worker, model, deployment):
        tokens = worker.engine.whole("max_num_tokens")
        if tokens is not None and tokens < reference.max_num_tokens:
            yield Said(
                worker.engine["max_num_tokens"],
                f"max_num_tokens {tokens} is less than the "
                f"{reference.max_num_tokens} that NVIDIA evaluates {effort.value} reasoning "
                f"effort with ({_kind(worker)})",
                f"raise max_num_tokens to {reference.max_num_tokens}",
                also=[(effort, f"the evaluation asks for {effort.value} effort")],
            )


@rule(
    "A003",
    "evaluation-batch-too-large",
    Severity.WARNING,
    of=DECODING,
    needs=(Need.MODEL, Need.ENGINE),
)
def evaluation_batch_too_large(
    worker: Worker, model: Model, deployment: Deployment
) -> Iterator[Said]:
    """``max_batch_size`` is larger than in the configuration that the model was evaluated with.

    Beside batches of so many tokens there is memory for the KV cache of few long answers. With a
    larger batch the engine may not start, or requests wait for KV blocks. Under attention data
    parallelism each rank has a batch of its own.
    """
    for effort, reference in _asked(worker, model, deployment):
        batch = worker.engine.whole("max_batch_size")
        if batch is not None and batch > reference.max_batch_size:
            yield Said(
                worker.engine["max_batch_size"],
                f"max_batch_size {batch} is more than the "
                f"{reference.max_batch_size} that NVIDIA evaluates {effort.value} reasoning effort "
                f"with ({_kind(worker)})",
                f"lower max_batch_size to {reference.max_batch_size}, for this evaluation",
                also=[(effort, f"the evaluation asks for {effort.value} effort")],
            )


def _asked(
    worker: Worker, model: Model, deployment: Deployment
) -> Iterator[tuple[Located[str], Evaluated]]:
    """The effort that asks most of a worker, with what it asks for; nothing where none does."""
    accuracy = deployment.accuracy
    references = [
        (effort, reference)
        for effort in (accuracy.efforts if accuracy else ())
        if (reference := model.evaluated(effort.value, attention_dp=worker.attention_dp))
    ]
    if references:
        yield max(references, key=lambda found: found[1].max_num_tokens)


def _kind(worker: Worker) -> str:
    return "attention data parallelism" if worker.attention_dp else "tensor parallelism"
