"""Engine files that the commands of a script name."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path, PurePath, PurePosixPath
from typing import TYPE_CHECKING

from gptoss.command_lines.dialects import read_command
from gptoss.facts.programs import SERVE, WORKER, newest
from gptoss.sources.parts.commands import module_command
from gptoss.sources.parts.server import server_command
from gptoss.text.shell.result import HereDocument

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gptoss.sources.containers.named_files import NamedFiles
    from gptoss.sources.containers.processes import Process
    from gptoss.text.places import Located
    from gptoss.text.yaml_tree import Tree

WORKING_FOLDERS = ("$PWD", "${PWD}", "$(pwd)", "`pwd`", ".")


@dataclass(frozen=True, slots=True)
class Files:
    """Where a script's commands may find their files.

    Attributes:
        documents: Here-documents that the script writes.
        named: Files of the machine that they name.
        beside: Files that the user gave along with it.
    """

    documents: tuple[HereDocument, ...]
    named: NamedFiles
    beside: Mapping[str, Tree]

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
        content = self._content(path, candidates)
        return (HereDocument(path, content),) if content else ()

    def _content(self, path: Located[str], candidates: list[str]) -> Tree | None:
        for name, content in self.beside.items():
            if len(self.beside) == 1 or PurePath(name).name == PurePosixPath(path.value).name:
                return content
        for candidate in candidates:
            for file in (Path(candidate), self.named.folder / candidate):
                found = self.named.read(file, path.place)
                if found is not None:
                    return found
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
