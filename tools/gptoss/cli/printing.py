"""What the command prints: everything goes through here, so that nothing of an input is obeyed.

Texts are guarded: their secrets are hidden and what a terminal or a runner of GitHub would obey is
escaped. Forms for programs escape by rules of their own and go out as they are.
"""

from __future__ import annotations

import io
import os
import sys
from contextlib import contextmanager, nullcontext, redirect_stderr, redirect_stdout, suppress
from typing import TYPE_CHECKING

import click

from gptoss.text.one_line import one_line
from gptoss.text.printable import guarded
from gptoss.text.secrets import without_secrets

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.text.errors import InputError

COLOURS = {
    "error": {"fg": "red", "bold": True},
    "warning": {"fg": "yellow", "bold": True},
    "info": {"fg": "blue", "bold": True},
    "ok": {"fg": "green"},
    "place": {"bold": True},
    "caret": {"fg": "green", "bold": True},
    "hint": {"fg": "cyan"},
    "muted": {"dim": True},
    "s0": {"fg": "blue", "bold": True},
    "s1": {"fg": "yellow", "bold": True},
    "s2": {"fg": "green", "bold": True},
    "s3": {"fg": "magenta", "bold": True},
    "s4": {"fg": "cyan", "bold": True},
    "s5": {"fg": "red", "bold": True},
}
# Forms that nobody but people reads.
FOR_PEOPLE = ("text", "table")


def say(text: str, *, err: bool = False, nl: bool = True) -> None:
    """Prints text for people."""
    # Whether standard error can be written changes nothing of what is found.
    with suppress(OSError) if err else nullcontext():
        click.echo(guarded(without_secrets(text)), err=err, nl=nl)


def give(text: str, *, nl: bool = True) -> None:
    """Prints what is for programs, or a file, as it is."""
    click.echo(text, nl=nl)


def put(text: str, form: str) -> None:
    """Prints what was asked for in a form."""
    (say if form in FOR_PEOPLE else give)(text)


def tell(line: str) -> None:
    """Says something beside what a command prints."""
    say(f"gptoss: {line}", err=True)


def tell_error(error: InputError) -> None:
    """Says in one line why the command ends, with what a program said about it below."""
    tell("\n".join(map(one_line, (str(error), *error.below))))


def paint(text: str, style: str) -> str:
    """Colours a text, unless NO_COLOR is set; click drops colours where no terminal shows them."""
    colours = {} if os.environ.get("NO_COLOR") else COLOURS.get(style, {})
    return click.style(text, **colours) if colours else text  # type: ignore[arg-type]


@contextmanager
def guarding(form: str) -> Iterator[None]:
    """While it lasts, what other programs' code prints is guarded, but a form for programs."""
    printed = redirect_stdout(_Guard(err=False)) if form == "text" else nullcontext()
    with redirect_stderr(_Guard(err=True)), printed:
        yield


class _Guard(io.TextIOBase):
    def __init__(self, *, err: bool) -> None:
        self._file = sys.stderr if err else sys.stdout

    def write(self, text: str, /) -> int:
        if self._file:  # None where the stream is closed
            self._file.write(guarded(without_secrets(text)))
        return len(text)

    def flush(self) -> None:
        if self._file:
            self._file.flush()
