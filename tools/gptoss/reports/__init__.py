"""Reports of a check, for people and for programs."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from gptoss.text.errors import InputError
from gptoss.text.printable import guarded

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gptoss.checking.checked import Checked

FOR_PEOPLE = ("text", "table")
FORMATS = ("text", "json", "sarif", "junit", "github", "gitlab", "table")
"""Each is a module of this package; ``table`` is the summary of one row a deployment."""


class Report(Protocol):
    """A module that writes a report in one format."""

    def report(self, checked: Sequence[Checked], style: Style) -> str:
        """The report, without a line break at its end."""


class Style:
    """How a report for people looks; programs' formats take no notice of it.

    Attributes:
        paint: Gives a text a colour.
        explain: Whether each finding shows its rule's reason and source.
        quiet: Whether only errors and warnings are shown, one line each.
        verbose: Whether the rules that were not applied are named.
        given: What ``--fix`` may change; None where it is not offered.
    """

    def __init__(
        self,
        paint: Callable[[str, str], str],
        *,
        explain: bool = False,
        quiet: bool = False,
        verbose: bool = False,
        given: Sequence[str] | None = None,
    ) -> None:
        self.paint = paint
        self.explain = explain
        self.quiet = quiet
        self.verbose = verbose
        self.given = given


def plain(text: str, _style: str) -> str:
    """A text without colour, for files and pipes."""
    return text


def render(
    form: str,
    checked: Sequence[Checked],
    paint: Callable[[str, str], str] = plain,
    *,
    explain: bool = False,
    quiet: bool = False,
    verbose: bool = False,
    given: Sequence[str] | None = None,
) -> str:
    """The report of a check in one format, without a line break at its end.

    Args:
        form: One of :data:`FORMATS`.
        checked: What was checked.
        paint: Gives a text a colour; only formats for people use it.
        explain: Show the rule's reason and source below each finding (text).
        quiet: Show only errors and warnings, one line each, and nothing else (text).
        verbose: Name the rules that were not applied (text).
        given: Files, folders and targets in which ``--fix`` can be offered (text).

    Raises:
        InputError: There is no such format.
    """
    if form not in FORMATS:
        raise InputError(f"there is no format {form}; it is one of {', '.join(FORMATS)}")
    module: Report = import_module(f"gptoss.reports.{form}")
    style = Style(paint, explain=explain, quiet=quiet, verbose=verbose, given=given)
    text = module.report(checked, style)
    return guarded(text) if form in FOR_PEOPLE else text
