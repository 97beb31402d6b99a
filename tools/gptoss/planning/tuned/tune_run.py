"""Answers ``gptoss tune``: search, values file, and what check says of it."""

from __future__ import annotations

import contextlib
import tempfile
import textwrap
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from gptoss.checking.judging import judged
from gptoss.facts.world import Facts
from gptoss.planning.calibrating.correction import CorrectedTimes
from gptoss.planning.searching.tuning import tuned, within_limits
from gptoss.planning.steps.library import library
from gptoss.planning.tuned.tune_question import question_of
from gptoss.planning.tuned.tune_report import tune_data, tune_lines
from gptoss.planning.tuned.tuned_values import tuned_values
from gptoss.rules.rule import Severity
from gptoss.sources.request import Request
from gptoss.text import deadline
from gptoss.text.as_json import json_text
from gptoss.text.errors import InputError
from gptoss.text.printable import painted
from gptoss.text.whole_files import check_writable, write_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gptoss.planning.searching.tuning import Tuned
    from gptoss.planning.steps.step_times import Times
    from gptoss.planning.tuned.tune_question import Question, Wanted

FILE = "values.yaml"
# GPUs that are searched within seconds.
QUICK = 16


@dataclass(frozen=True, slots=True)
class Answer:
    """What was chosen, and its file.

    Attributes:
        tuned: What was chosen.
        question: What was asked.
        values: Text of the values file.
        findings: Errors and warnings that check has about it, one line each.
        has_errors: Whether there is an error among them.
        prices: Dollars an hour by kind of GPU.
    """

    tuned: Tuned
    question: Question
    values: str
    findings: tuple[str, ...]
    has_errors: bool
    prices: Mapping[str, float]

    def as_text(self) -> str:
        """The report."""
        lines = list(tune_lines(self.tuned, self.prices))
        if self.question.own:
            lines.append(f"Calibrated by {self.question.own.file}.")
        if self.question.left:
            told = (
                f"Of {self.question.left} only GPUs, traffic and release are taken; "
                "`gptoss import` carries over the rest."
            )
            lines += textwrap.wrap(told, 100)
        return "\n".join(map(painted, lines))

    def as_json(self) -> str:
        """The report with the values file in ``values``."""
        data = tune_data(self.tuned, self.prices)
        own = self.question.own
        data |= {"calibration": str(own.file) if own else None}
        data |= {"findings": list(self.findings), "values": self.values}
        return json_text(data)


def tune_request(
    request: Request,
    wanted: Wanted,
    output: str | None,
    prices: Mapping[str, float],
    say: Callable[[str], None],
) -> Answer:
    """Chooses a system and writes its values file, where one is named.

    Args:
        request: The source, or the GPUs.
        wanted: Traffic and limits.
        output: Where the file goes; None when it is not written.
        prices: Dollars an hour of a GPU, by kind.
        say: Told what takes long.

    Raises:
        InputError: Something that a search needs is not known, nothing keeps the limits, or the
            file cannot be written.
    """
    if output:
        check_writable(Path(output))
    facts = Facts()
    question = question_of(request, wanted, facts)
    deadline.lift()
    wish = question.wish
    takes = "some seconds" if wish.gpus <= QUICK else "minutes"
    say(f"searching what {wish.gpus} x {wish.gpu.key} can be, {takes}")
    with library() as measured:
        own = question.own
        times = CorrectedTimes(measured, own.by) if own else measured
        chosen = answer_to(question, facts, times)
    folder = Path(output).parent if output else None
    text = tuned_values(chosen, question, output or FILE, folder)
    findings, has_errors = findings_of(text, output or FILE)
    if output:
        write_whole(Path(output), text)
    return Answer(chosen, question, text, findings, has_errors, prices)


def answer_to(question: Question, facts: Facts, times: Times) -> Tuned:
    """What is chosen, beside what the source does.

    Raises:
        InputError: The library has no data, or nothing keeps the limits.
    """
    chosen = tuned(question.wish, facts.models[question.model], times)
    if question.before is None:
        return chosen
    # A source that has no room for such requests is all the more reason to ask.
    with contextlib.suppress(InputError):
        before = within_limits(*question.before, question.wish, times)
        return replace(chosen, before=before)
    return chosen


def findings_of(text: str, file: str) -> tuple[tuple[str, ...], bool]:
    """Errors and warnings that check has about a values file, and whether there is an error.

    Raises:
        InputError: Helm fails.
    """
    with tempfile.TemporaryDirectory(prefix="gptoss-tune-") as folder:
        path = Path(folder, FILE)
        path.write_text(text, encoding="utf-8")
        (checked,) = judged(Request((str(path),)))
    serious = [f for f in checked.result.findings if f.severity > Severity.INFO]
    told = [f"{file}:{f.place.line}: {f.severity.word}: {f.message} [{f.rule.id}]" for f in serious]
    told += [f"{file}: refused: {problem.message}" for problem in checked.deployment.problems]
    refused = checked.deployment.is_refused
    return tuple(told), refused or any(f.severity is Severity.ERROR for f in serious)
