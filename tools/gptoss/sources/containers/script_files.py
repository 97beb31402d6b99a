"""Engine files that the commands of a script name."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path, PurePath, PurePosixPath
from typing import TYPE_CHECKING

from gptoss.command_lines.dialects import read_command
from gptoss.facts.programs import SERVE, WORKER, newest
from gptoss.sources.parts.commands import module_command
from gptoss.sources.parts.role_names import role_of_file
from gptoss.sources.parts.server import server_command
from gptoss.sources.parts.server_roles import server_list
from gptoss.text.shell.resolved import is_resolved
from gptoss.text.shell.result import HereDocument

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gptoss.deployment.model import Role
    from gptoss.sources.containers.named_files import NamedFiles
    from gptoss.sources.containers.processes import Process
    from gptoss.text.places import Located
    from gptoss.text.yaml_tree import Tree

WORKING_FOLDERS = ("$PWD", "${PWD}", "$(pwd)", "`pwd`", ".")


@dataclass(frozen=True, slots=True)
class Beside:
    """Files that are given along with a script.

    Attributes:
        engines: Texts of engine files, by name.
        servers: Texts of configurations of ``trtllm-serve disaggregated``, by name.
        by_folder: Whether they only stand in the folder of the script.
    """

    engines: Mapping[str, str] = field(default_factory=dict)
    servers: Mapping[str, str] = field(default_factory=dict)
    by_folder: bool = False


@dataclass(frozen=True, slots=True)
class Files:
    """Where a script's commands may find their files.

    Attributes:
        documents: Here-documents that the script writes.
        named: Files of the machine that they name.
        beside: Engine files that the user gave along with it, by name.
        servers: Configurations of ``trtllm-serve disaggregated`` that were given along, by name.
        by_folder: Whether these only stand in the folder of the script.
    """

    documents: tuple[HereDocument, ...]
    named: NamedFiles
    beside: Mapping[str, Tree] = field(default_factory=dict)
    servers: Mapping[str, Tree] = field(default_factory=dict)
    by_folder: bool = False

    def named_by(
        self, process: Process, folders: Mapping[str, str], role: Role | None = None
    ) -> tuple[HereDocument, ...]:
        """The engine file that a process is given, as a here-document under that name.

        It is looked for among what the script writes, what was given along with it, and the files
        below the folder that the script is in or runs in. Where the path is left to a shell it is
        the one of the role.

        Args:
            process: The process.
            folders: Path on the host of each path mounted into its container.
            role: What the process does beside others.

        Raises:
            InputError: The file cannot be read or is no UTF-8 text.
        """
        path = _engine_file(process)
        if path is None or not path.value:
            return ()
        found = self._at(path, process, folders, self.beside)
        if found is None and not is_resolved(path.value):
            alike = [each for name, each in self.beside.items() if role_of_file(name) is role]
            found = HereDocument(path, alike[0]) if role and len(alike) == 1 else None
        return (found,) if found else ()

    def servers_of(self, process: Process, folders: Mapping[str, str]) -> HereDocument | None:
        """The configuration that ``trtllm-serve disaggregated`` is given, where a process is that.

        Raises:
            InputError: The file cannot be read or is no UTF-8 text.
        """
        path = server_list(process.command)
        return self._at(path, process, folders, self.servers) if path else None

    def _at(
        self,
        path: Located[str],
        process: Process,
        folders: Mapping[str, str],
        beside: Mapping[str, Tree],
    ) -> HereDocument | None:
        candidates = [path.value, *_on_host(path.value, folders)]
        wanted = {_plain(candidate) for candidate in candidates}
        for document in reversed((*self.documents, *process.documents)):
            if document.target and _plain(document.target.value) in wanted:
                return HereDocument(path, document.content, document.known)
        content = self._content(path, candidates, beside)
        if content:
            return HereDocument(path, content)
        # Where what a container of Slurm mounts is not known: the one file of that name.
        alike = [each for each in self.documents if each.target and _name(each) == _name_in(path)]
        return HereDocument(path, alike[0].content, alike[0].known) if len(alike) == 1 else None

    def _content(
        self, path: Located[str], candidates: list[str], beside: Mapping[str, Tree]
    ) -> Tree | None:
        for name, content in beside.items():
            is_only = len(beside) == 1 and not self.by_folder
            if is_only or PurePath(name).name == PurePosixPath(path.value).name:
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


def _name_in(path: Located[str]) -> str:
    return PurePosixPath(path.value).name


def _name(document: HereDocument) -> str:
    return _name_in(document.target) if document.target else ""
