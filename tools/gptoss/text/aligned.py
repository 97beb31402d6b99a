"""Where the words of a text stand in a file that holds it in another form.

The argument of ``bash -c "..."``, and a quoted or folded scalar of YAML, are known as the text that
the shell reads. In the file there are quotes, escapes, other line breaks and variables in it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from typing import TYPE_CHECKING

from gptoss.text.files import text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.text.places import Place

LONGEST = 50_000
# How far on a word is looked for after one that is written in another way.
WINDOW = 160
SHORTEST = 3
PIECE = re.compile(r"\S+")
BETWEEN = re.compile(r"""(?:\s|\\\r?\n|["'])*""")
# Of a block scalar of YAML, which is not part of its text.
HEADER = re.compile(r"[>|][-+\d]{0,2}[ \t]*(?:#.*)?\r?\n")
BOUNDARY = re.compile(r"""[\s"'=]""")


class Aligned:
    """A text and its words in a file.

    Args:
        text: The text.
        start: Where it begins in the file.
        window: How far on a word is looked for after one that is written in another way.
    """

    def __init__(self, text: str, start: Place, window: int = WINDOW) -> None:
        self._text = text
        self._start = start
        self._window = window

    def place(self, offset: int) -> Place:
        """Where an offset of the text stands; its beginning where that is not known."""
        number = bisect_right(self._anchors, (offset, len(self._source))) - 1
        if number < 0:
            return self._start
        begin, at = self._anchors[number]
        found = PIECE.match(self._text, begin)
        inside = found is not None and self._source.startswith(found[0], at)
        if offset > begin and not (inside and found and offset < found.end()):
            return self._start if number == 0 else self._at(at)
        return self._at(at + offset - begin)

    def _at(self, at: int) -> Place:
        lines = self._source.count("\n", 0, at)
        if not lines:
            return self._start.moved(columns=at)
        column = at - self._source.rfind("\n", 0, at)
        return self._start._replace(line=self._start.line + lines, column=column)

    @cached_property
    def _source(self) -> str:
        """The file from the beginning of the text on; '' where it cannot be read."""
        text = text_of(self._start.file) if len(self._text) <= LONGEST else None
        lines = (text or "").splitlines(keepends=True)[self._start.line - 1 :]
        return "".join(lines)[self._start.column - 1 :]

    @cached_property
    def _anchors(self) -> list[tuple[int, int]]:
        """The offset of each word in the text, and in the file; none where the first differs."""
        return list(self._found())

    def _found(self) -> Iterator[tuple[int, int]]:
        source = self._source
        at = _after(HEADER, source, 0)
        for number, piece in enumerate(PIECE.finditer(self._text)):
            begin = _after(BETWEEN, source, at)
            end = _end_of(piece[0], source, begin)
            if end is None and not number:
                return
            if end is None and (further := self._further(piece[0], begin)) is not None:
                begin, end = further, further + len(piece[0])
            yield piece.start(), begin
            at = end or begin

    def _further(self, word: str, begin: int) -> int | None:
        """Where a word stands as it is, a little further on."""
        if len(word) < SHORTEST:
            return None
        limit = min(begin + self._window, len(self._source))
        at = self._source.find(word, begin, limit)
        return at if at > 0 and BOUNDARY.match(self._source, at - 1) else None


def _after(pattern: re.Pattern[str], source: str, at: int) -> int:
    found = pattern.match(source, at)
    return found.end() if found else at


def _end_of(word: str, source: str, at: int) -> int | None:
    """The offset after a word that stands at an offset, with escapes and quotes in it."""
    for character in word:
        while source[at : at + 1] != character:
            if source[at : at + 1] not in ("\\", '"', "'"):
                return None
            at += 1
        at += 1
    return at
