"""Roles of the servers that a script starts for ``trtllm-serve disaggregated``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.command_lines.dialects import read_command
from gptoss.deployment.model import Role
from gptoss.facts.programs import SERVE, newest
from gptoss.sources.parts.container import Task
from gptoss.sources.parts.role_names import role_in, role_of_file
from gptoss.sources.parts.server import MODULE, PROGRAM, server_command

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gptoss.sources.containers.processes import Process
    from gptoss.sources.parts.disaggregated import Servers
    from gptoss.text.command import Command
    from gptoss.text.places import Located

IN_FRONT = ("disaggregated", "disaggregated_mpi_worker")
CONFIG = ("-c", "--config", "--config_file")
FLAG = {"CONTEXT": Role.PREFILL, "GENERATION": Role.DECODE}


def server_list(command: Command) -> Located[str] | None:
    """The path of the configuration that ``trtllm-serve disaggregated`` is given, if it runs."""
    words = command.words
    names = [word.value.rpartition("/")[2] for word in words]
    program = next((at for at, name in enumerate(names) if name in (PROGRAM, MODULE)), None)
    if program is None or not set(names[program + 1 : program + 2]) & set(IN_FRONT):
        return None
    for flag, value in zip(words[program:], words[program + 1 :], strict=False):
        if flag.value in CONFIG:
            return value
    return None


def roles_of(processes: Iterable[Process], servers: Sequence[Servers]) -> dict[int, Role]:
    """The role of each server by the identity of its process; none unless each has one.

    It follows from its flag, from its port in the list of servers, or from the name of its engine
    file, its function or its container.
    """
    started = [process for process in processes if process.task is Task.SERVER]
    found = {id(process): _role(process, servers) for process in started}
    known = {number: role for number, role in found.items() if role is not None}
    return known if len(known) == len(found) and len(set(known.values())) > 1 else {}


def _role(process: Process, servers: Sequence[Servers]) -> Role | None:
    command = server_command((process.command,))
    if command is None:
        return None
    arguments = read_command(newest(SERVE), command, process.environment)
    if told := FLAG.get((arguments["--server_role"].text or "").upper()):
        return told
    listed = [each.role for each in servers if str(arguments["--port"].value) in each.ports]
    if len(listed) == 1:
        return listed[0]
    file = arguments["--config"].text
    return (role_of_file(file) if file else None) or role_in(process.name)
