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
