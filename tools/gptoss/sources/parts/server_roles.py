"""Roles of the servers that are started for ``trtllm-serve disaggregated``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gptoss.command_lines.dialects import read_command
from gptoss.deployment.model import Problem, Role
from gptoss.facts.programs import SERVE, newest
from gptoss.sources.parts.role_names import role_in, role_of_file
from gptoss.sources.parts.server import MODULE, PROGRAM, server_command

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gptoss.command_lines.arguments import Arguments
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


def not_started(started: Sequence[Started], servers: Sequence[Servers]) -> Iterator[Problem]:
    """Listed addresses of the servers here at which none of them listens.

    Of a machine's own addresses that is known only where as many servers are started as are listed.
    """
    read = [_arguments(each) for each in started]
    ports = [arguments["--port"].value if arguments else None for arguments in read]
    urls = [url for each in servers for url in each.urls]
    if not all(isinstance(port, int) for port in ports):
        return
    for url in urls:
        host, _, port = url.value.rpartition(":")
        is_local = host in THIS_MACHINE and len(started) >= len(urls)
        pairs = zip(ports, started, strict=True)
        here = [at for at, each in pairs if is_local or each.name == host]
        if here and port.isdecimal() and int(port) not in here:
            listen = " and ".join(str(at) for at in here)
            said = f"{url.value} is listed, but the servers there listen on {listen}"
            yield Problem("disaggregated-not-started", said, url.place)


def _arguments(started: Started) -> Arguments | None:
    """What the server makes of its command line; None for what is no server's."""
    command = server_command((started.command,))
    return read_command(newest(SERVE), command, started.environment) if command else None


def _role(started: Started, servers: Sequence[Servers]) -> Role | None:
    arguments = _arguments(started)
    if arguments is None:
        return None
    if told := FLAG.get((arguments["--server_role"].text or "").upper()):
        return told
    port = str(arguments["--port"].value)
    file = arguments["--config"].text
    return (
        _listed(servers, (started.name,), port)
        or _listed(servers, THIS_MACHINE, port)
        or (role_of_file(file) if file else None)
        or role_in(started.name)
        or _listed(servers, None, port)
    )


def _listed(servers: Sequence[Servers], hosts: Sequence[str] | None, port: str) -> Role | None:
    """The one role that is listed at a port of these hosts."""
    found = [each.role for each in servers if each.answers_at(hosts, port)]
    return found[0] if len(found) == 1 else None
