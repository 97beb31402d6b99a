"""Files as fixes read, compare and write them."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import TYPE_CHECKING

from gptoss.facts import folders
from gptoss.fixing.yaml_edits import NotPossibleError
from gptoss.text.bounds import leads_out
from gptoss.text.errors import InputError
from gptoss.text.files import content_of, read_text
from gptoss.text.whole_files import write_together

if TYPE_CHECKING:
    from collections.abc import Sequence

BOM = "\ufeff"
# Folders of the chart in which nobody writes values by hand.
MADE = ("templates", "targets", "overlays", "ci")


def own_file(name: str) -> Path:
    """The file of a place, when it is one of the user's.

    Raises:
        NotPossibleError: It is not: an argument, standard input, what the chart brings, or what a
            link leads to from elsewhere.
    """
    if name.startswith("--"):
        raise NotPossibleError("it stands on the command line")
    path = Path(name)
    if name.startswith("<") or not path.is_file():
        raise NotPossibleError("it does not stand in a file")
    resolved, chart, root = path.resolve(), folders.chart().resolve(), folders.root().resolve()
    # In its checkout the engine files and targets are the user's, but not what is made from them.
    elsewhere = root.name == "_data" or not Path.cwd().resolve().is_relative_to(root)
    made = any(chart / name in resolved.parents for name in MADE)
    if made or resolved.parent == chart or (elsewhere and root in resolved.parents):
        raise NotPossibleError("it stands in the chart's own files")
    if leads_out(path):
        raise NotPossibleError("a link leads to it from elsewhere")
    return resolved


def given_file(name: str, given: Sequence[str]) -> Path:
    """The file of a place, when it may be changed.

    What an input names is the user's too, but nobody asked for it to be changed.

    Args:
        name: Name of the file.
        given: Files, folders and targets on the command line.

    Raises:
        NotPossibleError: It is none of the user's, or neither given nor in a folder that is.
    """
    resolved = own_file(name)
    roots = [Path(each).resolve() for each in given]
    # What a target is made of is given with its name.
    roots += [folders.chart().resolve(), folders.root().resolve() / "values"]
    if not any(resolved.is_relative_to(root) for root in roots):
        raise NotPossibleError(f"{name} was not given")
    return resolved


def may_be_changed(name: str, given: Sequence[str]) -> bool:
    """Whether the file of a place may be changed."""
    try:
        given_file(name, given)
    except NotPossibleError:
        return False
    return True


def write_all(texts: dict[Path, tuple[str, str]]) -> None:
    """Writes the new text of each file beside it and then puts it in its place.

    Args:
        texts: By resolved path, the text that was read and the new one.

    Raises:
        InputError: A file cannot be written, or changed since it was read; none is changed then
            unless replacing itself fails.
    """
    contents = {}
    for path, (before, after) in texts.items():
        if read_text(path) != before:
            raise InputError(f"{path} changed meanwhile; nothing was written")
        mark = BOM.encode() if content_of(path).startswith(BOM.encode()) else b""
        contents[path] = mark + after.encode()
    write_together(contents)


def unified(name: str, before: str, after: str) -> str:
    """The change of a file as a unified diff."""
    lines = difflib.unified_diff(
        before.splitlines(keepends=True),
        after.splitlines(keepends=True),
        f"a/{name}".replace("//", "/"),
        f"b/{name}".replace("//", "/"),
    )
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )
