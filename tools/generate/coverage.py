"""``docs/coverage.md``: what is known about wrong values, and what check says to them."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from generate.coverage_threads import threads_part
from generate.markdown import cell, table
from gptoss.text.errors import InputError
from sweep.faults import faults_of_sweep
from sweep.judgements import OUTCOMES, Judgements
from sweep.record import read

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sweep.judgements import Verdict
    from sweep.record import Entry, Record

PAGE = Path("docs/coverage.md")
NOTE = (
    "<!-- Generated from schema/sweep and schema/threads.yaml by `make generate`; do not edit. -->"
)
RULE = re.compile(r"[A-Z]\d{3}")
HEADS = {
    "values": ("Values", "Every key of the chart's values, laid over a shipped target."),
    "together": ("Together", "Settings of the values that are wrong only together."),
    "engine": (
        "Engine",
        "Every key of the engine YAML that the TensorRT-LLM of the default release has.",
    ),
    "pods": (
        "Pods",
        "Every key of the manifests of `disagg-gb200`, and of `serve-throughput-b200`'s server.",
    ),
}
INTRODUCTION = """\
# Coverage

`make sweep` sets every key to plausible wrong values, one at a time: zero, one, far too much,
another word, another type, absent, and those that people mix up. What each value does is judged by
hand in `schema/sweep/`; what `gptoss check` says to it is recorded. A value

* is **refused** by the schema, the operator, the API server or the program,
* **cannot** work, though it is taken,
* works **otherwise** than meant,
* or is **harmless**.

`make verify` fails where a key has no judgement, and where check is silent about a harmful value
without a reason. Values in *italics* are harmful and check says nothing; why stands [at the
end](#harmful-and-silent) of the keys."""


def coverage() -> dict[Path, str]:
    """The page.

    Raises:
        InputError: A key has no judgement, or a harmful value is silent without a reason.
    """
    record = read()
    if faults := list(faults_of_sweep(record)):
        raise InputError("\n".join(faults))
    judged = {surface: Judgements.of(surface) for surface in HEADS}
    parts = [NOTE, INTRODUCTION, _summary(record, judged)]
    parts += [_surface(surface, record, judged[surface]) for surface in HEADS]
    parts += [_silent(record, judged), threads_part()]
    return {PAGE: "\n\n".join(parts) + "\n"}


Judged = tuple[str, str, "Verdict", "Entry"]


def _values(record: Record, surface: str, judgements: Judgements) -> Iterator[Judged]:
    for key, values in record[surface].items():
        for value, entry in values.items():
            if verdict := judgements.verdict(key, value, entry.refusal):
                yield key, value, verdict, entry


def _summary(record: Record, judged: Mapping[str, Judgements]) -> str:
    rows = [["", "keys", "values", *OUTCOMES, "harmful and silent, with a reason"]]
    rows.append(["---", *["--:"] * (len(OUTCOMES) + 3)])
    for surface, (title, _) in HEADS.items():
        values = list(_values(record, surface, judged[surface]))
        outcomes = Counter(verdict.outcome for *_, verdict, _ in values)
        silent = sum(bool(verdict.silent) for *_, verdict, _ in values)
        numbers = [len(record[surface]), len(values), *(outcomes[o] for o in OUTCOMES), silent]
        rows.append([f"[{title}](#{title.lower()})", *(f"{number:,}" for number in numbers)])
    return table(rows)


def _surface(surface: str, record: Record, judgements: Judgements) -> str:
    title, text = HEADS[surface]
    rows = [["key", *OUTCOMES, "said by"], ["---"] * (len(OUTCOMES) + 2)]
    by_key: dict[str, list[Judged]] = {}
    for judged in _values(record, surface, judgements):
        by_key.setdefault(judged[0], []).append(judged)
    for key, values in by_key.items():
        cells = [_cell(values, outcome) for outcome in OUTCOMES]
        rows.append([f"`{cell(key)}`", *cells, _rules(values)])
    return f"## {title}\n\n{text}\n\n{table(rows)}"


def _cell(values: list[Judged], outcome: str) -> str:
    """The values with an outcome; those that their type alone refuses are one word."""
    shown = []
    for _, value, verdict, entry in values:
        if verdict.outcome == outcome and not entry.refusal:
            mark = "*" if verdict.silent else ""
            shown.append(f"{mark}`{cell(value)}`{mark}")
    by_schema = outcome == "refused" and any(entry.refusal for *_, entry in values)
    return ", ".join([*shown, "by its schema"] if by_schema else shown)


def _rules(values: list[Judged]) -> str:
    said = sorted({rule for *_, entry in values for rule in entry.said if RULE.fullmatch(rule)})
    return ", ".join(f"[{rule}](rules/{rule}.md)" for rule in said)


def _silent(record: Record, judged: Mapping[str, Judgements]) -> str:
    """Harmful values of which check says nothing, those with one reason in one row."""
    reasons: dict[tuple[str, str, str], list[str]] = {}
    for surface in HEADS:
        for key, value, verdict, _ in _values(record, surface, judged[surface]):
            if verdict.silent:
                what = f"{verdict.outcome}: {verdict.because}"
                reasons.setdefault((verdict.silent, what, key), []).append(f"`{cell(value)}`")
    rows = [["key", "values", "what happens", "why check is silent"], ["---"] * 4]
    for (silent, what, key), values in sorted(reasons.items()):
        rows.append([f"`{cell(key)}`", ", ".join(values), cell(what), cell(silent)])
    return f"## Harmful and silent\n\n{table(rows)}"
