"""Writes what was rendered into a folder: all of it, or nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.rendering.withheld import holds_secret
from gptoss.text.errors import InputError
from gptoss.text.whole_files import write_together

if TYPE_CHECKING:
    from pathlib import Path

    from gptoss.rendering import Rendered

# Stands in the first lines of the file to begin with; a folder that has it is ours to write anew.
MARK = "gptoss render"
MARKED_LINES = 5
SCRIPT = ".sh"


def write(rendered: Rendered, folder: Path, *, force: bool = False) -> list[Path]:
    """Writes every file and gives the paths.

    Args:
        rendered: What to write.
        folder: Where; it is made when it is missing.
        force: Whether to replace files that were not written by this command.

    Raises:
        InputError: A file that is in the way was not written by this command, a folder is a link
            that leads elsewhere, or the folder cannot be written to.
    """
    paths = {folder / name: text for name, text in rendered.files.items()}
    for path in paths:
        if not path.parent.resolve().is_relative_to(folder.resolve()):
            raise InputError(f"cannot write {path}: {path.parent} is a link that leads elsewhere")
    try:
        if not force and not _is_ours(next(iter(paths))):
            _refuse_to_replace(paths)
    except OSError as error:
        raise InputError(f"cannot write to {folder}: {error.strerror or error}") from None
    contents = {path: text.encode() for path, text in paths.items()}
    write_together(
        contents,
        executable=[path for path in paths if path.suffix == SCRIPT],
        private=[path for path, text in paths.items() if holds_secret(text)],
    )
    return list(paths)


def _refuse_to_replace(paths: dict[Path, str]) -> None:
    for path, text in paths.items():
        if _is_in_the_way(path, text):
            raise InputError(
                f"{path} is there already and is not of `gptoss render`; "
                "give another folder, or --force to replace it"
            )


def _is_in_the_way(path: Path, text: str) -> bool:
    if path.is_symlink() or not path.is_file():
        return path.is_symlink() or path.exists()
    return path.read_text(encoding="utf-8", errors="replace") != text


def _is_ours(first: Path) -> bool:
    """Whether the file to begin with was written by this command."""
    if not first.is_file():
        return False
    lines = first.read_text(encoding="utf-8", errors="replace").splitlines()[:MARKED_LINES]
    return any(MARK in line for line in lines)
