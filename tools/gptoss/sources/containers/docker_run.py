"""``docker run`` lines: the container that they start, and what it runs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gptoss.deployment.pods import Mount
from gptoss.sources.parts.inner_shells import SHELLS
from gptoss.text.command import Variable
from gptoss.text.places import Located
from gptoss.text.quantity import of_docker
from gptoss.text.shell.resolved import is_resolved

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gptoss.text.command import Command
    from gptoss.text.places import Place

ENGINES = ("docker", "podman", "nerdctl")
# Flags without a value (Docker's reference of `docker container run`); all others take one.
SWITCHES = {
    "--detach", "--disable-content-trust", "--help", "--init", "--interactive",
    "--no-healthcheck", "--oom-kill-disable", "--privileged", "--publish-all", "--quiet",
    "--read-only", "--rm", "--sig-proxy", "--tty", "--use-api-socket",
}  # fmt: skip
SHORT_SWITCHES = "ditPq"
SHORT = {
    "-e": "--env",
    "-v": "--volume",
    "-u": "--user",
    "-h": "--hostname",
    "-w": "--workdir",
    "-p": "--publish",
}
DEVICES = re.compile(r"device=([\w-]+(?:,[\w-]+)*)")
COUNT = re.compile(r"(?:count=)?(\d{1,4})")


@dataclass(frozen=True, slots=True)
class DockerRun:
    """A container that a ``docker run`` line starts.

    Attributes:
        image: Its image.
        words: The command that it runs; none when the image's own one.
        environment: Variables that it is given; None for a value that is not known.
        mounts: What is mounted, by path in the container.
        folders: Path on the host of each mounted path.
        gpus: GPUs that it is given, where they are counted or named.
        shared_memory: Size of /dev/shm as a Kubernetes quantity, where it is known.
        name: Its name.
        privileged: Set when it asks for privilege.
        root: Set when it asks to run as user 0.
        capabilities: Linux capabilities that it adds.
        ipc, pid: What it says of the namespaces of shared memory and of processes.
        devices: Devices of the machine that it is given.
        handed: Numbers of the GPUs that it is given, where they are named.
    """

    image: Located[str]
    words: tuple[Located[str], ...]
    environment: Mapping[str, Variable]
    mounts: tuple[Mount, ...]
    folders: Mapping[str, str]
    gpus: Located[int] | None
    shared_memory: Located[str] | None
    name: Located[str] | None
    privileged: Place | None
    root: Place | None
    capabilities: tuple[Located[str], ...]
    ipc: Located[str] | None = None
    pid: Located[str] | None = None
    devices: tuple[Located[str], ...] = ()
    handed: tuple[str, ...] = ()

    @property
    def opens_shell(self) -> bool:
        """Whether it waits for commands: in a shell, or in whatever the image starts."""
        if not self.words:
            return True
        is_shell = self.words[0].value.rpartition("/")[2] in SHELLS
        return is_shell and all(word.value in ("-i", "-l", "-il", "-li") for word in self.words[1:])


def docker_run(
    command: Command, exported: Mapping[str, Located[str | None]] | None = None
) -> DockerRun | None:
    """The container that a command starts; None when it starts none.

    Args:
        command: The command, with variables resolved where they are known.
        exported: Variables of the shell that runs it, which ``-e NAME`` hands on.
    """
    words = _after_run(command)
    if words is None:
        return None
    flags, rest = _flags(words)
    if not rest:
        return None
    options = _Options(flags)
    entry = options.last("--entrypoint")
    program = (entry, *rest[1:]) if entry and entry.value else rest[1:]
    volumes = list(_volumes(options))
    return DockerRun(
        image=rest[0],
        words=program,
        environment=_environment(options, exported or {}),
        mounts=tuple(mount for mount, _ in volumes),
        folders={mount.path: host for mount, host in volumes if host},
        gpus=_gpus(options.last("--gpus")),
        shared_memory=_shared_memory(options.last("--shm-size")),
        name=options.last("--name"),
        privileged=options.place("--privileged"),
        root=_root(options.last("--user")),
        capabilities=tuple(options.all("--cap-add")),
        ipc=options.last("--ipc"),
        pid=options.last("--pid"),
        devices=tuple(options.all("--device")),
        handed=_handed(options.last("--gpus")),
    )


def _after_run(command: Command) -> tuple[Located[str], ...] | None:
    """The words after ``docker run``, also after ``sudo`` and of ``docker container run``."""
    words = command.words
    for position, word in enumerate(words[:3]):
        if word.value.rpartition("/")[2] not in ENGINES:
            continue
        rest = words[position + 1 :]
        if rest and rest[0].value == "container":
            rest = rest[1:]
        return rest[1:] if rest and rest[0].value in ("run", "create") else None
    return None


_Flag = tuple[str, Located[str]]


def _flags(words: tuple[Located[str], ...]) -> tuple[list[_Flag], tuple[Located[str], ...]]:
    """Flags by their long names with their values, and the words from the image on."""
    found: list[_Flag] = []
    at = 0
    while at < len(words) and words[at].value.startswith("-") and words[at].value != "--":
        word = words[at]
        at += 1
        name, value = _split(word.value)
        if value is None and not _is_switch(name):
            value = words[at].value if at < len(words) else ""
            at += 1
        found.append((name, Located(value or "", word.place)))
    if at < len(words) and words[at].value == "--":
        at += 1
    return found, words[at:]


def _split(word: str) -> tuple[str, str | None]:
    """A flag's long name, and the value that is written in the same word."""
    if word.startswith("--"):
        name, equals, value = word.partition("=")
        return name, value if equals else None
    letters = word[1:].lstrip(SHORT_SWITCHES) if word[1:2] in SHORT_SWITCHES else word[1:]
    if not letters:
        return "--tty", None
    short, value = f"-{letters[0]}", letters[1:].removeprefix("=")
    return SHORT.get(short, short), value or None


def _is_switch(name: str) -> bool:
    return name in SWITCHES


class _Options:
    """The flags of a line."""

    def __init__(self, flags: list[_Flag]) -> None:
        self._flags = flags

    def all(self, name: str) -> Iterator[Located[str]]:
        return (value for flag, value in self._flags if flag == name)

    def last(self, name: str) -> Located[str] | None:
        return next((value for flag, value in reversed(self._flags) if flag == name), None)

    def place(self, name: str) -> Place | None:
        """Where a switch is on."""
        value = self.last(name)
        return value.place if value and value.value != "false" else None


def _environment(
    options: _Options, exported: Mapping[str, Located[str | None]]
) -> dict[str, Variable]:
    found = {}
    for given in options.all("--env"):
        name, equals, value = given.value.partition("=")
        known: str | None = value
        if not equals:
            known = exported[name].value if name in exported else None
        elif not is_resolved(value):
            known = None
        found[name] = Variable(name, known, None, given.place)
    return found


def _volumes(options: _Options) -> Iterator[tuple[Mount, str]]:
    """Mounts, each with its path on the host or ''."""
    for given in options.all("--volume"):
        host, _, inside = given.value.partition(":")
        path, _, mode = (inside or host).partition(":")
        host = host if inside else ""
        yield _mount(path, host, given.place, read_only="ro" in mode.split(",")), host
    for given in options.all("--mount"):
        keys = dict(part.partition("=")[::2] for part in given.value.split(","))
        path = keys.get("target") or keys.get("dst") or keys.get("destination") or ""
        read_only = {"readonly", "ro"} & keys.keys()
        host = keys.get("source") or keys.get("src") or ""
        if path:
            yield _mount(path, host, given.place, read_only=bool(read_only)), host


def _mount(path: str, host: str, place: Place, *, read_only: bool) -> Mount:
    """A mount; the folder or volume of the host stands where a pod names its claim."""
    return Mount(path, host or None, None, read_only=read_only, sub_path=None, place=place)


def _gpus(given: Located[str] | None) -> Located[int] | None:
    """How many GPUs ``--gpus`` gives; None for all of them."""
    if given is None:
        return None
    if devices := DEVICES.search(given.value):
        return Located(len(devices.group(1).split(",")), given.place)
    count = COUNT.fullmatch(given.value.strip("\"'"))
    return Located(int(count.group(1)), given.place) if count else None


def _handed(given: Located[str] | None) -> tuple[str, ...]:
    devices = DEVICES.search(given.value) if given else None
    return tuple(devices.group(1).split(",")) if devices else ()


def _shared_memory(given: Located[str] | None) -> Located[str] | None:
    size = of_docker(given.value) if given else None
    return Located(size, given.place) if given and size else None


def _root(user: Located[str] | None) -> Place | None:
    name = user.value.partition(":")[0] if user else ""
    return user.place if user and name in ("0", "root") else None
