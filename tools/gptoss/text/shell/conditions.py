"""What tests of the shell say, where it is known: ``[ ]``, ``[[ ]]`` and patterns of ``case``."""

from __future__ import annotations

import fnmatch
import operator
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

INTEGER = re.compile(r"\s*-?\d+\s*")
PATTERN = re.compile(r"[*?\[\\]")
NUMBERS = {
    "-eq": operator.eq,
    "-ne": operator.ne,
    "-lt": operator.lt,
    "-le": operator.le,
    "-gt": operator.gt,
    "-ge": operator.ge,
}


def holds(words: Sequence[str]) -> bool | None:
    """Whether a test holds; None where that depends on files, or is not evaluated.

    Args:
        words: What stands between the brackets, expanded.
    """
    if "||" in words or "(" in words or "-a" in words or "-o" in words:
        return None
    if "&&" in words:
        at = words.index("&&")
        both = (holds(words[:at]), holds(words[at + 1 :]))
        return False if False in both else None if None in both else True
    match words:
        case ["!", *rest]:
            inner = holds(rest)
            return None if inner is None else not inner
        case []:
            return False
        case [text]:
            return text != ""
        case ["-n", text]:
            return text != ""
        case ["-z", text]:
            return text == ""
        case [left, "=" | "==", right]:
            return None if PATTERN.search(right) else left == right
        case [left, "!=", right]:
            return None if PATTERN.search(right) else left != right
        case [left, symbol, right] if symbol in NUMBERS:
            if INTEGER.fullmatch(left) and INTEGER.fullmatch(right):
                return bool(NUMBERS[symbol](int(left), int(right)))
    return None


def fits(text: str, pattern: str, *, quoted: bool) -> bool | None:
    """Whether a text fits a pattern of ``case``; None where the pattern is not evaluated."""
    if quoted or not PATTERN.search(pattern):
        return text == pattern
    if re.search(r"\[|\\", pattern):
        return None
    return fnmatch.fnmatchcase(text, pattern)
