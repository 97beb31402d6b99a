"""Text of an input as one line that neither moves a terminal's cursor nor looks like another.

This module imports nothing heavy: the command line is judged before Helm starts.
"""

from __future__ import annotations

import re

ESCAPED = re.compile(
    "[\x00-\x08\x0a-\x1f\x7f-\x9f"  # controls but the tab
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # what turns the direction of writing
    "\u2028\u2029"  # ends of lines and paragraphs
    "\ud800-\udfff]"  # bytes of a file name that are not UTF-8, and halves of pairs
)
# What click.style writes for the colours of this command.
COLOUR = "\x1b\\[(?:[012]|3[1-6])m"
KEPT = re.compile(f"({COLOUR})|{ESCAPED.pattern}")
# How runners of GitHub know a command: actions/runner, src/Runner.Common/ActionCommand.cs.
COMMAND = re.compile(rf"^((?:\s|{COLOUR})*):(?=:[A-Za-z])")
OLD_COMMAND = re.compile(r"#(?=#\[)")
SHORT = {"\n": r"\n", "\r": r"\r"}


def printable(text: str) -> str:
    r"""A text as one line: what a terminal or a reader of logs would obey is escaped.

    Controls but the tab, ends of lines and paragraphs, and what turns the direction of writing
    become ``\n``, ``\x1b``, ``\u202e``; bytes of a file name that are not UTF-8 ``\xff``.
    """
    return ESCAPED.sub(_escape, text)


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    if 0xDC80 <= code <= 0xDCFF:  # how Python keeps such a byte
        code -= 0xDC00
    return SHORT.get(found[0]) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")


def painted(text: str) -> str:
    """The same of a text that is coloured already: the house's colours stay."""
    return KEPT.sub(lambda found: found[1] or _escape(found), text)


def guarded(text: str) -> str:
    """Lines of output whatever they hold: what :func:`printable` escapes, but the house's colours.

    A line that a runner of GitHub would take for a command, as ``::error::``, no longer is one.
    """
    return "\n".join(_guarded(line) for line in text.split("\n"))


def _guarded(line: str) -> str:
    return OLD_COMMAND.sub(r"\\x23", COMMAND.sub(r"\1\\x3a", painted(line)))
