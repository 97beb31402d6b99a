"""What tests of the shell say, where it is known: ``[ ]``, ``[[ ]]`` and patterns of ``case``."""

from __future__ import annotations

import fnmatch
import operator
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

INTEGER = re.compile(r"\s*-?\d+\s*")
# Characters of a pattern that is evaluated.
MAX_PATTERN = 500
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
    tests: list[list[str]] = [[]]
    for word in words:
        if word == "&&":
            tests.append([])
        else:
            tests[-1].append(word)
    found = [_one_holds(test) for test in tests]
    return False if False in found else None if None in found else True


def _one_holds(words: Sequence[str]) -> bool | None:
    """Whether a test without ``&&`` holds."""
    negations = next((at for at, word in enumerate(words) if word != "!"), len(words))
    if negations:
        inner = _one_holds(words[negations:])
        return None if inner is None else inner is not bool(negations % 2)
    match words:
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
    if re.search(r"\[|\\", pattern) or len(pattern) > MAX_PATTERN:
        return None
    return fnmatch.fnmatchcase(text, pattern)
