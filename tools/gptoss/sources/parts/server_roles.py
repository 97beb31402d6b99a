"""Roles of the servers that are started for ``trtllm-serve disaggregated``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gptoss.command_lines.dialects import read_command
from gptoss.deployment.model import Role
from gptoss.facts.programs import SERVE, newest
from gptoss.sources.parts.role_names import role_in, role_of_file
from gptoss.sources.parts.server import MODULE, PROGRAM, server_command

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gptoss.sources.parts.disaggregated import Servers
    from gptoss.text.command import Command, Variable
    from gptoss.text.places import Located

IN_FRONT = ("disaggregated", "disaggregated_mpi_worker")
CONFIG = ("-c", "--config", "--config_file")
FLAG = {"CONTEXT": Role.PREFILL, "GENERATION": Role.DECODE}
THIS_MACHINE = ("localhost", "127.0.0.1")


@dataclass(frozen=True, slots=True)
class Started:
    """A server that is started.

    Attributes:
        key: What the caller knows it by.
        name: What it is called, by its function or its container.
        command: What starts it.
        environment: Its variables.
    """

    key: int
    name: str
    command: Command
    environment: Mapping[str, Variable]


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


def roles_of(started: Sequence[Started], servers: Sequence[Servers]) -> dict[int, Role]:
    """The role of each server; none unless each has one and they have both.

    It follows from its flag, from its name or its port in the list of servers, or from the name of
    its engine file, its function or its container.
    """
    found = {each.key: _role(each, servers) for each in started}
    known = {key: role for key, role in found.items() if role is not None}
    return known if len(known) == len(found) and len(set(known.values())) > 1 else {}


def _role(started: Started, servers: Sequence[Servers]) -> Role | None:
    command = server_command((started.command,))
    if command is None:
        return None
    arguments = read_command(newest(SERVE), command, started.environment)
    if told := FLAG.get((arguments["--server_role"].text or "").upper()):
        return told
    port = str(arguments["--port"].value)
    for hosts in ((started.name,), THIS_MACHINE, None):
        listed = [each.role for each in servers if each.answers_at(hosts, port)]
        if len(listed) == 1:
            return listed[0]
    file = arguments["--config"].text
    return (role_of_file(file) if file else None) or role_in(started.name)
