"""Does the engine take requests as clients send them, who leave most of it to the server?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.rules.rule import DYNAMO, Need, Said, Severity, rule
from gptoss.rules.subjects import DECODING, WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Worker
    from gptoss.facts.world import Release

# TensorRT-LLM's SamplingParams.max_tokens where nobody says it.
SHORT = 32
# The first release that fills max_tokens from the longest sequence.
FILLS = (1, 1)


@rule(
    "E043",
    "answers-of-32-tokens",
    Severity.WARNING,
    of=DECODING,
    engine_only=False,
    runtimes=DYNAMO,
    needs=(Need.ENGINE, Need.RELEASE),
)
def answers_of_32_tokens(worker: Worker, release: Release) -> Iterator[Said]:
    """``max_seq_len`` is not set, so answers without ``max_tokens`` end after 32 tokens.

    Most clients of chat leave max_tokens out. dynamo.trtllm then fills it from max_seq_len; where
    that is not written either, TensorRT-LLM's own default of 32 counts, and gpt-oss is cut off
    while it thinks (finish_reason length).
    """
    length = worker.engine["max_seq_len"]
    if release.number >= FILLS and length.value is None:
        yield Said(
            length,
            f"max_seq_len is not set, so a request without max_tokens ends after {SHORT} tokens",
            "write max_seq_len: 131072, or less where requests are shorter",
        )


@rule(
    "E044",
    "beam-width-of-every-request",
    Severity.WARNING,
    of=WORKERS,
    needs=(Need.ENGINE, Need.RELEASE),
)
def beam_width_of_every_request(worker: Worker) -> Iterator[Said]:
    """``max_beam_width`` is above 1, so requests without beam search are refused.

    The PyTorch backend answers a request whose beam width is not exactly max_beam_width with an
    error. An ordinary request has 1, and nothing in Dynamo asks for more.
    """
    width = worker.engine.whole("max_beam_width")
    if width is not None and width > 1:
        yield Said(
            worker.engine["max_beam_width"],
            f"max_beam_width is {width}, so a request without beam search is refused",
            "remove it",
        )
