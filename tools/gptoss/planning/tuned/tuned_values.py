"""The values file of a system that was chosen, its prediction at its head."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from gptoss.facts import folders
from gptoss.importing.document import WIDTH, Leaf, written
from gptoss.planning.searching.margin import PREFILL_MARGIN
from gptoss.planning.searching.tuning import is_disaggregated, is_sure
from gptoss.planning.telling.plan_words import amount, duration, told_bottleneck
from gptoss.planning.tuned.tuned_settings import workers_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from gptoss.importing.document import Block
    from gptoss.planning.prediction import Prediction
    from gptoss.planning.searching.tuning import Tuned
    from gptoss.planning.tuned.tune_question import Question

ORDER = ("description", "runtime", "model", "hardware", "workload", "workers", "frontend")


def tuned_values(tuned: Tuned, question: Question, file: str, folder: Path | None) -> str:
    """The text of the file.

    Args:
        tuned: What was chosen.
        question: For what, and what stays of its source.
        file: What the file will be called.
        folder: Where it will be written; None when that is not known.
    """
    lines = [*_header(tuned, question), "", f"  helm install gpt-oss charts/gpt-oss -f {file}"]
    head = "".join(f"# {line}".rstrip() + "\n" for line in lines)
    return folders.values_schema_line(folder) + head + written(_block(_values(tuned, question)))


def _values(tuned: Tuned, question: Question) -> dict[str, Any]:
    choice, base = tuned.choice, question.base
    of_several = is_disaggregated(choice) or choice.system.decode.replicas > 1
    release = question.release.version
    runtime = {"kind": "dynamo", "release": release} | base.get("runtime", {})
    if of_several:
        runtime["kind"] = "dynamo"
    load = choice.load
    traffic = {"inputTokens": load.isl, "outputTokens": load.osl, "concurrency": load.clients}
    made = {
        "description": _description(tuned),
        "runtime": runtime,
        "model": {"id": question.model} | base.get("model", {}),
        "hardware": base.get("hardware", {}) | {"gpu": tuned.wish.gpu.key},
        "workload": traffic | base.get("workload", {}),
        "workers": workers_of(choice.system, tuned.wish),
    }
    values = base | made
    return {key: values[key] for key in sorted(values, key=_place)}


def _place(key: str) -> tuple[int, str]:
    return (ORDER.index(key) if key in ORDER else len(ORDER), key)


def _description(tuned: Tuned) -> str:
    wish = tuned.wish
    return f"{wish.isl:,} in, {wish.osl:,} out, tuned: {tuned.choice.system.name} {wish.gpu.key}"


def _header(tuned: Tuned, question: Question) -> Iterator[str]:
    wish, choice = tuned.wish, tuned.choice
    yield from _wrapped(
        f"{choice.system.name} on {wish.gpus} x {wish.gpu.key} for {wish.isl:,} tokens in and "
        f"{wish.osl:,} out, as chosen by"
    )
    yield from ("", f"  {question.command}", "")
    yield from _wrapped(f"Predicted, {told(choice)}")
    if tuned.before is not None:
        yield from _wrapped(gained(tuned.before, choice))
    yield from _wrapped(f"Bottleneck: {told_bottleneck(choice)}.")
    if question.own:
        yield from _wrapped(f"Calibrated by {question.own.file.name}.")
    yield from _wrapped(f"To be believed: {choice.judged.belief.told}.")
    for reason in choice.judged.reasons:
        yield from _wrapped(reason, "- ")
    if is_disaggregated(choice):
        yield from _wrapped(
            f"The split holds with prefill {PREFILL_MARGIN:.2f} times as slow too: "
            f"{told(tuned.with_margin)}"
        )


def told(one: Prediction) -> str:
    """A prediction in one sentence."""
    return (
        f"at {one.load.clients:,} clients: {amount(one.per_gpu)} tokens/s/GPU, "
        f"{amount(one.per_user)} tokens/s/user, TTFT {duration(one.ttft)}."
    )


def gained(before: Prediction, after: Prediction) -> str:
    """What tuning brings, and whether that is beyond the error of predictions."""
    gain = after.per_gpu / before.per_gpu
    sure = "" if is_sure(after, before) else "; inside the error of the predictions: measure both"
    return f"{gain:.2f} times {before.system.name}, {told(before)[:-1]}{sure}."


def _wrapped(text: str, item: str = "") -> list[str]:
    indent = " " * len(item)
    return textwrap.wrap(text, WIDTH - 2, initial_indent=item, subsequent_indent=indent)


def _block(values: dict[str, Any]) -> Block:
    return {
        key: _block(value) if isinstance(value, dict) and value else Leaf(value)
        for key, value in values.items()
    }
