"""Flags of programs whose own parser is not known here (``hf download``, ``gpt_oss.evals``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.command_lines.arguments import NEGATIVE_NUMBER
from gptoss.text.places import Located

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Flag = tuple[Located[str], Located[str] | None]


def plain_flags(words: Sequence[Located[str]]) -> Iterator[Flag]:
    """Every flag with its value, at the flag's place; a word after a flag is taken for its value.

    ``--a=b`` and ``--a b`` are the same.
    """
    for position, word in enumerate(words):
        if not _is_flag(word.value):
            continue
        name, equals, value = word.value.partition("=")
        located = Located(name, word.place)
        follower = words[position + 1] if position + 1 < len(words) else None
        if equals:
            yield located, Located(value, word.place)
        elif follower is None or follower.value == "--" or _is_flag(follower.value):
            yield located, None
        else:
            yield located, Located(follower.value, word.place)


def plain_value(words: Sequence[Located[str]], name: str) -> Located[str] | None:
    """The last value that is given to a flag, if any is."""
    found = [value for flag, value in plain_flags(words) if flag.value == name]
    return found[-1] if found else None


def _is_flag(word: str) -> bool:
    """Whether a word looks like a flag: negative numbers and texts with spaces do not."""
    if not word.startswith("-"):
        return False
    is_value = word in ("-", "-m", "--") or " " in word.partition("=")[0]
    return not is_value and not NEGATIVE_NUMBER.fullmatch(word)
