"""Command lines held against what each release's own parser takes."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from typing import TYPE_CHECKING

from gptoss.command_lines import argparse_words
from gptoss.command_lines.click_words import arguments_of
from gptoss.deployment.model import Runtime
from gptoss.facts import programs
from gptoss.facts.programs import FRONTEND, SERVE, WORKER
from gptoss.rules.readings import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gptoss.command_lines.argparse_words import Arguments, Given
    from gptoss.deployment.model import Deployment
    from gptoss.deployment.pods import Variable
    from gptoss.facts.programs import Flag, Program
    from gptoss.text.command import Command
    from gptoss.text.places import Located

SOURCE = (
    "argument parsers of the ai-dynamo wheels 0.8.1 to 1.6.1 (dynamo/trtllm/args.py, "
    "dynamo/frontend/main.py); NVIDIA/TensorRT-LLM commands/trtllm-serve/trtllm-serve.html of "
    "1.3.0rc14 @c502768"
)
CHAT_PROCESSOR = "--dyn-chat-processor"
# What trtllm-serve has parsers of other models for.
CHANNELS = ("--reasoning_parser", "--tool_parser")
PLAIN_NUMBERS = {"int": int, "float": float}


@dataclass(frozen=True, slots=True)
class Reading:
    """A component's command line as its program reads it.

    Attributes:
        name: Name of the component.
        program: Its program at the deployment's release.
        command: Its command.
        arguments: What the program's parser makes of it.
        environment: Variables of its container.
    """

    name: str
    program: Program
    command: Command
    arguments: Arguments
    environment: Mapping[str, Variable]

    @property
    def told(self) -> str:
        """The program and its release, as in ``dynamo.trtllm 1.2.1``."""
        return f"{self.program.name} {self.program.release}"

    def value_of(self, name: str) -> str | None:
        """The value in force of a flag: given, else that of its variable, else the default."""
        given = self.arguments.last(name)
        if given:
            return given.values[-1].value if given.values else None
        flag = self.program.flags.get(name)
        variable = self.environment.get(flag.env) if flag and flag.env else None
        if variable:
            return variable.value
        return flag.default if flag else None


def readings(deployment: Deployment, *, exact: bool = True) -> Iterator[Reading]:
    """The command lines of a deployment, where the release's parser is known.

    Args:
        deployment: The deployment.
        exact: Whether all flags of the program were read, or some are inferred.
    """
    if deployment.runtime is Runtime.SERVE:
        found = _server_readings(deployment)
    else:
        found = _graph_readings(deployment)
    return (reading for reading in found if reading.program.exact is exact)


def _server_readings(deployment: Deployment) -> Iterator[Reading]:
    version = deployment.release.trtllm if deployment.release else ""
    found = programs.program(SERVE, version)
    for worker in deployment.workers if found else ():
        if found:
            read = arguments_of(found, worker.command)
            yield Reading(worker.name, found, worker.command, read, worker.pod.environment)


def _graph_readings(deployment: Deployment) -> Iterator[Reading]:
    """The command lines of workers and frontend."""
    release = deployment.release.version if deployment.release else ""
    for worker in deployment.workers:
        found = programs.program(WORKER, release)
        if found:
            read = _read(found, worker.command)
            yield Reading(worker.name, found, worker.command, read, worker.pod.environment)
    frontend, found = deployment.frontend, programs.program(FRONTEND, release)
    if frontend and frontend.command and found:
        command = frontend.command
        read = _read(found, command)
        yield Reading(frontend.name, found, command, read, frontend.pod.environment)


@lru_cache(maxsize=64)
def _read(program: Program, command: Command) -> Arguments:
    words = [word.value for word in command.words]
    start = words.index(program.name) + 1 if program.name in words else len(words)
    return argparse_words.read(program, command.words[start:])


def unknown_is_another_programs(reading: Reading) -> bool:
    """Whether words that the frontend does not know go to another engine's parser."""
    return reading.value_of(CHAT_PROCESSOR) in ("vllm", "sglang")


def mistyped(flag: Flag, text: str) -> str | None:
    """What the program expects where a value has the wrong type; None for a right one."""
    base, *others = flag.type.split(" or ")
    if base == "name":
        return None if text.strip() else "a name"
    base, _, listed = base.partition(" ")
    convert = PLAIN_NUMBERS.get(base)
    if convert is None or ("empty" if text == "" else text) in others:
        return None
    try:
        for part in text.split(",") if listed else [text]:
            convert(part)
    except ValueError:
        wanted = "a whole number" if base == "int" else "a number"
        return f"{wanted}, or several with commas" if listed else wanted
    return None


def out_of_bounds(flag: Flag, text: str) -> str | None:
    """The bound that a number breaks, as in ``at least 1``; None for a right one."""
    if flag.type.partition(" ")[0] not in PLAIN_NUMBERS or mistyped(flag, text):
        return None
    if text in ("", "None"):
        return None
    for part in text.split(","):
        if told := _broken_bound(flag, float(part)):
            return told
    return None


def _broken_bound(flag: Flag, number: float) -> str | None:
    if flag.minimum is not None and number < flag.minimum:
        return f"at least {flag.minimum:,}"
    if flag.exclusive_minimum is not None and number <= flag.exclusive_minimum:
        return f"more than {flag.exclusive_minimum:,}"
    if flag.maximum is not None and number > flag.maximum:
        return f"at most {flag.maximum:,}"
    if flag.exclusive_maximum is not None and number >= flag.exclusive_maximum:
        return f"less than {flag.exclusive_maximum:,}"
    return None


def is_choice(flag: Flag, text: str) -> bool:
    """Whether a value is among those that a flag takes."""
    if not flag.choices or text in flag.choices:
        return True
    return flag.late and text.lower() in [choice.lower() for choice in flag.choices]


def is_known_value(deployment: Deployment, name: str, text: str) -> bool:
    """Whether the release's worker takes a value of a flag; true where that is not known."""
    release = deployment.release.version if deployment.release else ""
    found = programs.program(WORKER, release)
    flag = found.flags.get(name) if found else None
    return flag is None or is_choice(flag, text)


def judged(given: Given, *, final: bool) -> Iterator[Located[str]]:
    """The values of a flag that can be judged: the cluster fills in none of it.

    Args:
        given: The flag.
        final: Whether no later one of the same flag replaces it.
    """
    if given.flag.late and not final:
        return
    for value in given.values:
        if not argparse_words.unresolved(value.value):
            yield value


def nearest(word: str, known: Iterator[str] | tuple[str, ...]) -> str | None:
    """The known word that is most like one, if any is like it."""
    close = get_close_matches(word, list(known), n=1, cutoff=0.7)
    return close[0] if close else None


def choice_hint(flag: Flag, value: str) -> str:
    """What to write instead of a value that a flag does not take."""
    if flag.name in CHANNELS and value.lower().replace("-", "_") in ("gpt_oss", "harmony"):
        return "remove it: trtllm-serve reads the channels of gpt-oss itself"
    close = nearest(value.lower(), flag.choices)
    told = f"write {close}; " if close else ""
    return f"{told}it takes {quoted(flag.choices)}"


def minor(release: str) -> str:
    """A release as people say it: ``1.3`` for 1.3.1, and a version of TensorRT-LLM in full."""
    if "rc" in release:
        return release
    return ".".join(release.split(".")[:2])


def span(program: Program, releases: tuple[str, ...]) -> str:
    """Where a flag or value exists, seen from a release that has it not."""
    every = programs.releases(program.name)
    here = every.index(program.release)
    later = [release for release in releases if every.index(release) > here]
    if later:
        return f"came with release {minor(later[0])}"
    gone = every[every.index(releases[-1]) + 1]
    return f"is gone since release {minor(gone)}"
