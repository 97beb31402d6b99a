"""What a command substitution prints, where that is known without running it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gptoss.text.shell.parts import Token, Word

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

PRINTING = ("echo", "seq", "basename", "dirname")
MAX_NUMBERS = 500
INTEGER = re.compile(r"-?(?:0|[1-9]\d{0,8})")


def output(script: Sequence[Token], expand: Callable[[Word], tuple[list[str], bool]]) -> str | None:
    """What a simple command out of :data:`PRINTING` prints; None where that is not known.

    Args:
        script: The tokens of the command.
        expand: Gives the words that a word becomes, and whether they are sure to be that many.
    """
    words: list[str] = []
    for token in script:
        if not isinstance(token, Word):
            return None
        texts, whole = expand(token)
        if not whole or any("$" in text or "`" in text for text in texts):
            return None
        words += texts
    name, *arguments = words
    if any(re.match(r"-[A-Za-z]", word) or "\\" in word for word in arguments):
        return None
    if name == "echo":
        return " ".join(arguments).rstrip("\n")
    if name == "seq":
        return _numbers(arguments)
    if len(arguments) != 1 or not re.fullmatch(r"/?\w[^/]*(?:/[^/]+)*", arguments[0]):
        return None
    folder, slash, last = arguments[0].rpartition("/")
    return last if name == "basename" else folder or slash or "."


def _numbers(words: list[str]) -> str | None:
    if not 1 <= len(words) <= 3 or not all(INTEGER.fullmatch(word) for word in words):
        return None
    first = int(words[0]) if len(words) > 1 else 1
    step = int(words[1]) if len(words) > 2 else 1
    if step == 0:
        return None
    numbers = range(first, int(words[-1]) + (1 if step > 0 else -1), step)
    return "\n".join(map(str, numbers)) if len(numbers) <= MAX_NUMBERS else None
