"""Words that the parts of a word become."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

# Pieces of a text between blanks, where what is not resolved is one piece; what is not closed ends
# with the text.
UNBROKEN = re.compile(r"(?:\$\{[^}]*\}?|\$\([^()]*\)|`[^`]*`|\S)+")


class Fields:
    """Words in the making.

    Attributes:
        done: Those that are whole.
        size: Characters of all of them, and one for each piece that was added.
    """

    def __init__(self) -> None:
        self.done: list[str] = []
        self.size = 0
        self._open: str | None = None

    def add(self, text: str, *, keep_empty: bool) -> None:
        """Adds to the word that is open."""
        self.size += len(text) + 1
        if text or keep_empty:
            self._open = (self._open or "") + text

    def add_split(self, text: str) -> None:
        """Adds a text that is split at blanks."""
        if text[:1].isspace():
            self.close()
        for number, piece in enumerate(UNBROKEN.findall(text)):
            if number:
                self.close()
            self.add(piece, keep_empty=False)
        if text[-1:].isspace():
            self.close()

    def add_all(self, texts: Sequence[str]) -> None:
        """Adds words; the first goes on with the one that is open."""
        for number, text in enumerate(texts):
            if number:
                self.close()
            self.add(text, keep_empty=True)

    def close(self) -> None:
        """Ends the word that is open."""
        if self._open is not None:
            self.done.append(self._open)
            self._open = None
