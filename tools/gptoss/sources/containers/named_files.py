"""Files of the host that a compose file or a script names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.deployment.model import Problem
from gptoss.text.bounds import OutsideError, found_file, named_file
from gptoss.text.files import read_text
from gptoss.text.places import Place
from gptoss.text.yaml_tree import Tree

if TYPE_CHECKING:
    from pathlib import Path

OUTSIDE = "outside"


def whole_document(text: str, name: str) -> Tree:
    """The text of a file, placed so that it is read on as a document of its own."""
    return Tree(text, Place(name, 0), Place(name), 0)


class NamedFiles:
    """The files that something names.

    Attributes:
        folder: The folder of what names them.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._problems: dict[str, Problem] = {}
        self._texts: dict[Path, str] = {}

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is named and was not read because it lies outside, each file once."""
        return tuple(self._problems.values())

    def read(self, path: Path, place: Place) -> Tree | None:
        """The text of a file.

        Args:
            path: The file.
            place: Where it is named.

        Returns:
            None where there is no such file, or it lies outside.

        Raises:
            InputError: It cannot be read or is no UTF-8 text.
        """
        try:
            found = named_file(path, self.folder)
        except OutsideError as error:
            self._outside(error, place)
            return None
        if found is None:
            return None
        # Many words may name one large file.
        if found not in self._texts:
            self._texts[found] = read_text(found)
        return whole_document(self._texts[found], str(path))

    def beside(self, name: str, place: Place) -> str:
        """The text of a file that is looked for in the folder; '' where there is none.

        Args:
            name: Its name.
            place: What it is read for.

        Raises:
            InputError: It cannot be read or is no UTF-8 text.
        """
        path = self.folder / name
        try:
            found = found_file(path)
        except OutsideError as error:
            self._outside(error, place)
            return ""
        return read_text(found) if found else ""

    def is_there(self, path: Path) -> bool:
        """Whether there is such a file, be it outside."""
        try:
            return named_file(path, self.folder) is not None
        except OutsideError:
            return True

    def _outside(self, error: OutsideError, place: Place) -> None:
        self._problems.setdefault(error.message, Problem(OUTSIDE, error.message, place))
