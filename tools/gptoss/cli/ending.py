"""How a command ends that cannot go on: in one line, with exit code 2, and never with a trace."""

from __future__ import annotations

import errno
import io
import os
import shlex
import sys
import traceback
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gptoss import __version__
from gptoss.cli.printing import say, tell, tell_error
from gptoss.text.deadline import TimeIsUpError, lift
from gptoss.text.errors import InputError
from gptoss.text.one_line import one_line
from gptoss.text.secrets import words_without_secrets

if TYPE_CHECKING:
    from collections.abc import Iterator

FAILED = 2
# Shows the trace of what was not foreseen, for those who mend it.
TRACE = "GPTOSS_TRACEBACK"
# No room, or no right to any, whatever is written.
FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO}
PACKAGE = Path(__file__).parents[1]


@contextmanager
def ending() -> Iterator[None]:
    """Says why a command ends that raises, and exits with 2.

    Raises:
        SystemExit: At the end, with the exit code.
    """
    for stream in (sys.stdout, sys.stderr):
        # What the terminal's encoding does not have is escaped.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        try:
            yield
        finally:
            if sys.stdout:  # None where the stream is closed
                sys.stdout.flush()
    except InputError as error:
        tell_error(error)
    except TimeIsUpError as error:
        lift()  # it may ring once more while what it ended is cleaned up
        tell(str(error))
    except click.exceptions.Abort:
        tell("interrupted")
    except click.ClickException as error:
        _tell_usage(error)
    except BrokenPipeError:  # of what was left to write
        close_stdout()
    except Exception as error:
        if os.environ.get(TRACE):
            raise
        if said := _system_says(error):
            tell(said)
        else:
            _tell_defect(error)
    sys.exit(FAILED)


def _tell_usage(error: click.ClickException) -> None:
    """What click says of a wrong command line."""
    text, said = io.StringIO(), error.format_message()
    error.show(text)
    say(text.getvalue().replace(said, one_line(said)), err=True, nl=False)


def _system_says(error: Exception) -> str:
    """What is wrong with the machine, where that is why an error came; else ''."""
    try:
        Path.cwd()
    except OSError:
        return "the current folder is gone or cannot be read; change to another"
    if isinstance(error, OSError) and error.errno in FULL:
        return f"cannot write {error.filename or 'the output'}: {error.strerror}"
    return ""


def _tell_defect(error: Exception) -> None:
    """That something was not foreseen, where, and how to report it."""
    found = f"{type(error).__name__} at {_where(error)}"
    if said := one_line(str(error))[:200]:
        found += f" ({said})"
    typed = one_line(shlex.join(["gptoss", *words_without_secrets(sys.argv[1:])]))
    tell(
        f"this is a defect of gptoss {__version__}: {found}; please report it with this line, the "
        f"input without its secrets, and the trace that {TRACE}=1 shows, as SECURITY.md of gptoss "
        f"says under Reporting; the command was: {typed}"
    )


def _where(error: Exception) -> str:
    """The last place of this package that an error went through."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if Path(frame.filename).is_relative_to(PACKAGE)]
    if not own:
        return "an unknown place"
    return f"{Path(own[-1].filename).relative_to(PACKAGE).as_posix()}:{own[-1].lineno}"


def close_stdout() -> None:
    """Lets nothing more be written where nobody reads."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
