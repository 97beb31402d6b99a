"""Manifests given on the command line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gptoss.text import files
from gptoss.text.errors import InputError
from gptoss.text.yaml_tree import parse_documents

if TYPE_CHECKING:
    from gptoss.text.yaml_tree import Tree

STDIN = "-"
SUFFIXES = (".yaml", ".yml")


def read(source: str) -> list[Tree]:
    """Reads the YAML documents of a file, of every YAML file of a folder, or of stdin.

    Args:
        source: A path, or ``-`` for stdin. Of a folder the files right in it are read, in the
            order of their names.

    Raises:
        InputError: It does not exist, cannot be read, is no UTF-8 text or no YAML, or is a folder
            without YAML files.
    """
    if source == STDIN:
        return parse_documents(read_stdin(), "<stdin>")
    return [tree for path in _files(source) for tree in parse_documents(read_text(path), str(path))]


def read_stdin() -> str:
    """The text on standard input.

    Raises:
        InputError: It is no UTF-8 text.
    """
    return _decoded(files.read_stdin(), files.STDIN)


def _files(source: str) -> list[Path]:
    path = Path(source)
    try:
        if not path.is_dir():
            return [path]
        found = [
            file
            for file in sorted(path.iterdir())
            if file.suffix in SUFFIXES and not file.name.startswith(".") and file.is_file()
        ]
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read {source}: {_reason(error)}") from None
    if not found:
        raise InputError(f"{source} holds no *.yaml or *.yml file; give the folder that does")
    return found


def read_text(path: Path) -> str:
    """The text of a file.

    Raises:
        InputError: It cannot be read, or is no UTF-8 text.
    """
    try:
        content = files.content_of(path)
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read {path}: {_reason(error)}") from None
    return _decoded(content, str(path))


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


def _decoded(content: bytes, name: str) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(f"{name}:{line}: this is not UTF-8 text; save the file as UTF-8") from None
