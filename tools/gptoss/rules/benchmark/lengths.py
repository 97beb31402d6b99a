"""Does the traffic of the benchmark fit what the workers take?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.rules.fixes import set_flag
from gptoss.rules.rule import Need, Said, Severity, rule
from gptoss.rules.subjects import DECODING, PREFILLING, WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Deployment, Worker
    from gptoss.text.places import Located

ENTRIES = ("--num-dataset-entries", "--num-prompts")


@rule(
    "B005",
    "prompt-longer-than-context",
    Severity.ERROR,
    of=WORKERS,
    needs=(Need.ENGINE,),
)
def prompt_longer_than_context(worker: Worker, deployment: Deployment) -> Iterator[Said]:
    """The benchmark's prompts alone fill ``max_seq_len``.

    No room is left for an answer, and the engine refuses every request.
    """
    prompt = deployment.benchmark.input_tokens if deployment.benchmark else None
    if prompt is None:
        return
    length = worker.engine.whole("max_seq_len")
    if length is not None and prompt.value >= length:
        yield Said(
            prompt,
            f"prompts of {prompt.value} tokens leave no room in max_seq_len {length}, so all are "
            "refused",
            "raise max_seq_len, or send shorter prompts",
            also=[(worker.engine["max_seq_len"], f"max_seq_len is {length}")],
        )


@rule(
    "B006",
    "answer-cut-short",
    Severity.WARNING,
    of=DECODING,
    needs=(Need.ENGINE,),
)
def answer_cut_short(worker: Worker, deployment: Deployment) -> Iterator[Said]:
    """Prompt and answer of the benchmark together are longer than ``max_seq_len``.

    Answers end early, so the run measures fewer output tokens than it says.
    """
    benchmark = deployment.benchmark
    if benchmark is None or benchmark.input_tokens is None or benchmark.output_tokens is None:
        return
    isl, osl = benchmark.input_tokens.value, benchmark.output_tokens
    length = worker.engine.whole("max_seq_len")
    if length is None or isl >= length:
        return
    if isl + osl.value > length:
        yield Said(
            osl,
            f"{isl} + {osl.value} tokens do not fit max_seq_len {length}, so answers end early",
            f"raise max_seq_len to {isl + osl.value} or more",
            also=[(worker.engine["max_seq_len"], f"max_seq_len is {length}")],
        )


@rule(
    "B007",
    "prompts-repeat",
    Severity.WARNING,
    of=PREFILLING,
    fixable=True,
    needs=(Need.ENGINE,),
)
def prompts_repeat(worker: Worker, deployment: Deployment) -> Iterator[Said]:
    """The benchmark sends the same prompts again while block reuse is on.

    A repeated prompt is found in the KV cache and costs no prefill: time to first token and
    throughput come out better than any new prompt would see.
    """
    benchmark = deployment.benchmark
    if benchmark is None or benchmark.arguments is None or benchmark.requests is None:
        return
    entries = benchmark.arguments[ENTRIES[0]].located
    count = _whole(entries)
    if entries is None or count is None or count >= benchmark.requests.value:
        return
    if worker.engine["kv_cache_config.enable_block_reuse"].value is True:
        yield Said(
            entries,
            f"{count} prompts are sent {benchmark.requests.value} times in all, and the worker "
            "reuses KV blocks: repeated prompts skip prefill",
            f"write {benchmark.requests.value}",
            fix=set_flag(entries.place, ENTRIES, str(benchmark.requests.value)),
            also=[(benchmark.requests, f"{benchmark.requests.value} requests")],
        )


def _whole(text: Located[str] | None) -> int | None:
    return int(text.value) if text is not None and text.value.isdecimal() else None
