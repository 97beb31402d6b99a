"""The report for people: findings with their source lines, then a summary."""

from __future__ import annotations

import textwrap
from itertools import groupby
from typing import TYPE_CHECKING

from gptoss.checking.checked import findings_of, not_applied_of
from gptoss.fixing.own_files import may_be_changed
from gptoss.reports.common import documentation, hint_of, message_of, reason_of, summary
from gptoss.rules.readings import quoted
from gptoss.rules.rule import Severity
from gptoss.text.files import text_of
from gptoss.text.one_line import one_line
from gptoss.text.printable import printable
from gptoss.text.secrets import line_without_secrets

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from gptoss.checking.checked import Checked
    from gptoss.reports import Style
    from gptoss.rules.finding import Finding
    from gptoss.rules.fixes import Fix
    from gptoss.rules.rule import Rule
    from gptoss.text.places import Place

WIDTH = 100
INDENT = "    "
# Lines around a line that can say that it is secret.
CONTEXT = 60
# Characters of a line beyond which it is not looked at again for each place in it.
LONG = 2000


def report(checked: Sequence[Checked], style: Style) -> str:
    """The report for people."""
    if style.quiet:
        serious = (f for f in findings_of(checked) if f.severity > Severity.INFO)
        return "\n".join(_headline(finding, style) for finding in serious)
    lines: list[str] = []
    sources = _Sources()
    for place, group in groupby(findings_of(checked), key=lambda finding: finding.place):
        excerpt = _excerpt(place, sources, style)
        for finding in group:
            lines += _finding(finding, excerpt, style)
            excerpt = []
        lines += [""] if style.explain else []
    lines += [""] if lines and lines[-1] else []
    lines += _not_applied(checked, style)
    return "\n".join([*lines, summary(checked), *_fixable(checked, style.given)])


def _fixable(checked: Sequence[Checked], given: Sequence[str] | None) -> list[str]:
    """How many findings ``--fix`` can mend, where there are any in what is given."""
    if given is None:
        return []
    fixes = [[_files(fix) for fix in finding.fixes] for finding in findings_of(checked)]
    changeable = {
        file
        for file in {file for own in fixes for files in own for file in files}
        if may_be_changed(file, given)
    }
    count = sum(any(files <= changeable for files in own) for own in fixes)
    return [f"{count} with one right answer: --fix makes it, --diff shows it"] if count else []


def _files(fix: Fix) -> set[str]:
    return {edit.place.file for edit in fix.edits}


def _not_applied(checked: Sequence[Checked], style: Style) -> list[str]:
    """How many rules were not applied and why, or which."""
    workers: dict[str, dict[str, None]] = {}
    rules: dict[str, dict[str, None]] = {}
    for item in not_applied_of(checked):
        rules.setdefault(item.lacks, {})[item.rule] = None
        if item.worker:
            workers.setdefault(item.lacks, {})[item.worker] = None
    if not rules:
        return []
    reasons = {
        lacks: f"{quoted(workers[lacks])}: {lacks}" if lacks in workers else lacks
        for lacks in rules
    }
    if style.verbose:
        return [*_listed({reasons[lacks]: names for lacks, names in rules.items()}), ""]
    total = len({rule for names in rules.values() for rule in names})
    counted = [f"{len(names)} ({reasons[lacks]})" for lacks, names in rules.items()]
    noun = "rule" if total == 1 else "rules"
    return [one_line(f"{total} {noun} not applied: {', '.join(counted)}; --verbose names them")]


def _listed(rules: Mapping[str, Iterable[str]]) -> Iterator[str]:
    """Rules by the reason that they were not applied for."""
    yield "not applied:"
    for reason, names in rules.items():
        yield f"  {one_line(reason)}:"
        yield from textwrap.wrap(
            ", ".join(names), WIDTH, initial_indent=INDENT, subsequent_indent=INDENT
        )


def _headline(finding: Finding, style: Style) -> str:
    word = finding.severity.word
    place = style.paint(str(finding.place), "place")
    return f"{place}: {style.paint(word, word)}: {message_of(finding)} [{finding.rule.id}]"


def _finding(finding: Finding, excerpt: list[str], style: Style) -> list[str]:
    hint = f"{style.paint('hint', 'hint')}: {hint_of(finding)}"
    lines = [_headline(finding, style), *excerpt, f"  {hint}"]
    if excerpt and len(excerpt[-1]) + len(hint_of(finding)) < WIDTH - len(" hint:"):
        lines[-2:] = [f"{excerpt[-1]} {hint}"]
    lines += [
        f"  {style.paint(str(also.place), 'place')}: {one_line(also.message)}"
        for also in finding.also
    ]
    return lines + (_explanation(finding.rule, style) if style.explain else [])


def _explanation(rule: Rule, style: Style) -> list[str]:
    """Why the rule is there, where that is stated, and where to read on."""
    parts = {"why": reason_of(rule), "source": rule.source, "more": documentation(rule)}
    return [line for name, text in parts.items() for line in _wrapped(name, text, style)]


def _wrapped(name: str, text: str, style: Style) -> list[str]:
    first, *rest = textwrap.wrap(
        f"{name}: {text}", WIDTH - 2, subsequent_indent="  ", break_on_hyphens=False
    )
    return [f"  {line}" for line in (first.replace(name, style.paint(name, "hint"), 1), *rest)]


class _Sources:
    """The lines that findings stand at, as they are shown."""

    def __init__(self) -> None:
        self._files: dict[str, list[str]] = {}
        self._shown: dict[tuple[str, int], str] = {}

    def line(self, place: Place) -> tuple[str, int] | None:
        """A line without secrets, and where in it the place is; None where it cannot be read."""
        if place.file not in self._files:
            self._files[place.file] = (text_of(place.file) or "").splitlines()
        lines = self._files[place.file]
        if not 0 < place.line <= len(lines):
            return None
        key = (place.file, place.line)
        whole, start = lines[place.line - 1], place.column - 1
        before = _joined(lines[max(0, place.line - CONTEXT) : place.line - 1])
        if key not in self._shown:
            after = _joined(lines[place.line : place.line + CONTEXT])
            self._shown[key] = printable(line_without_secrets(whole, before, after))
        shown = self._shown[key]
        # Of thousands of places in one line each would cost the whole of it.
        if shown != whole and len(whole) < LONG:
            start = len(printable(line_without_secrets(whole[:start], before)))
        return shown, start


def _joined(lines: list[str]) -> str:
    return "\n".join(line[:LONG] for line in lines)


def _excerpt(place: Place, sources: _Sources, style: Style) -> list[str]:
    """The source line with a caret; nothing where the file cannot be read again."""
    found = sources.line(place)
    if found is None:
        return []
    line, start = found[0], min(found[1], len(found[0]))
    shift = max(0, start - WIDTH // 2) if len(line) > WIDTH else 0
    shown = line[shift : shift + WIDTH - 4].rstrip()
    marked = _word_length(line[start : start + WIDTH])
    caret = " " * (start - shift) + "^" * max(1, min(marked, len(shown) - (start - shift)))
    return [f"  {shown}", f"  {style.paint(caret, 'caret')}"]


def _word_length(text: str) -> int:
    """Length of the word that a text begins with."""
    return next((at for at, c in enumerate(text) if c.isspace() or c in ":,{}[]"), len(text))
