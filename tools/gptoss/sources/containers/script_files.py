"""Engine files that the commands of a script name."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from gptoss.command_lines.dialects import read_command
from gptoss.facts.programs import SERVE, WORKER, newest
from gptoss.sources.files import read_text
from gptoss.sources.parts.commands import module_command
from gptoss.sources.parts.server import server_command
from gptoss.text.places import Place
from gptoss.text.shell import HereDocument
from gptoss.text.yaml_tree import Tree

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gptoss.sources.containers.processes import Process
    from gptoss.text.places import Located

WORKING_FOLDERS = ("$PWD", "${PWD}", "$(pwd)", "`pwd`", ".")


@dataclass(frozen=True, slots=True)
class Files:
    """Where a script's commands may find their files.

    Attributes:
        documents: Here-documents that the script writes.
        folder: The folder that the script is in.
        beside: Files that the user gave along with it.
    """

    documents: tuple[HereDocument, ...]
    folder: Path
    beside: tuple[str, ...]

    def named_by(self, process: Process, folders: Mapping[str, str]) -> tuple[HereDocument, ...]:
        """The engine file that a process is given, as a here-document under that name.

        It is looked for among what the script writes, what was given along with it, and the files
        below the folder that the script is in or runs in.

        Args:
            process: The process.
            folders: Path on the host of each path mounted into its container.

        Raises:
            InputError: The file cannot be read or is no UTF-8 text.
        """
        path = _engine_file(process)
        if path is None or not path.value:
            return ()
        candidates = [path.value, *_on_host(path.value, folders)]
        wanted = {_plain(candidate) for candidate in candidates}
        for document in reversed((*self.documents, *process.documents)):
            if document.target and _plain(document.target.value) in wanted:
                return (HereDocument(path, document.content, document.known),)
        content = self._content(path.value, candidates)
        return (HereDocument(path, content),) if content else ()

    def _content(self, path: str, candidates: list[str]) -> Tree | None:
        for name in self.beside:
            if len(self.beside) == 1 or Path(name).name == PurePosixPath(path).name:
                return _file(Path(name), name)
        for candidate in candidates:
            for file in (Path(candidate), self.folder / candidate):
                if _is_file(file):
                    return _file(file, str(file))
        return None


def _engine_file(process: Process) -> Located[str] | None:
    """The path of the engine file that a worker or server is given."""
    commands = (process.command,)
    if worker := module_command(commands, WORKER):
        arguments = read_command(newest(WORKER), worker, process.environment)
        return arguments["--extra-engine-args"].located
    server = server_command(commands)
    return read_command(newest(SERVE), server, {})["--config"].located if server else None


def _on_host(path: str, folders: Mapping[str, str]) -> Iterator[str]:
    """Where a path in a container is on the host."""
    for inside, host in folders.items():
        rest = path.removeprefix(inside.rstrip("/") + "/")
        if rest != path:
            yield f"{'.' if host in WORKING_FOLDERS else host}/{rest}"


def _plain(path: str) -> str:
    return os.path.normpath(path)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _file(path: Path, name: str) -> Tree:
    return Tree(read_text(path), Place(name, 0), None, 0)
