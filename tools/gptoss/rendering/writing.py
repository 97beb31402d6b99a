"""Writes what was rendered into a folder: all of it, or nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.rendering.withheld import holds_secret
from gptoss.text.errors import InputError
from gptoss.text.whole_files import staged

if TYPE_CHECKING:
    from pathlib import Path

    from gptoss.rendering import Rendered

# Stands in the first lines of the file to begin with; a folder that has it is ours to write anew.
MARK = "gptoss render"
MARKED_LINES = 5
SCRIPT = ".sh"
OWNER_ALONE = 0o600


def write(rendered: Rendered, folder: Path, *, force: bool = False) -> list[Path]:
    """Writes every file and gives the paths.

    Args:
        rendered: What to write.
        folder: Where; it is made when it is missing.
        force: Whether to replace files that were not written by this command.

    Raises:
        InputError: A file that is in the way was not written by this command, or the folder cannot
            be written to.
    """
    paths = {folder / name: text for name, text in rendered.files.items()}
    new: list[tuple[Path, Path]] = []
    try:
        if not force and not _is_ours(next(iter(paths))):
            _refuse_to_replace(paths)
        for path, text in paths.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            new.append((staged(path, text.encode()), path))
        for temporary, path in new:
            if holds_secret(paths[path]):
                temporary.chmod(OWNER_ALONE)
            if path.suffix == SCRIPT:
                mode = temporary.stat().st_mode
                temporary.chmod(mode | (mode & 0o444) >> 2)  # who may read it may run it
            temporary.replace(path)
    except OSError as error:
        for temporary, _ in new:
            temporary.unlink(missing_ok=True)
        raise InputError(f"cannot write to {folder}: {error.strerror or error}") from None
    return list(paths)


def _refuse_to_replace(paths: dict[Path, str]) -> None:
    for path, text in paths.items():
        if path.exists() and path.read_text(encoding="utf-8", errors="replace") != text:
            raise InputError(
                f"{path} is there already and is not of `gptoss render`; "
                "give another folder, or --force to replace it"
            )


def _is_ours(first: Path) -> bool:
    """Whether the file to begin with was written by this command."""
    if not first.is_file():
        return False
    lines = first.read_text(encoding="utf-8", errors="replace").splitlines()[:MARKED_LINES]
    return any(MARK in line for line in lines)
