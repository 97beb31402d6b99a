"""Command lines held against what each release's own parser takes."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

from gptoss.command_lines.arguments import unresolved
from gptoss.deployment.model import Runtime
from gptoss.facts import programs
from gptoss.facts.programs import WORKER
from gptoss.rules.readings import quoted
from gptoss.rules.subjects import Case, Subject

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gptoss.command_lines.arguments import Arguments, Given
    from gptoss.deployment.model import Deployment
    from gptoss.facts.programs import Flag, Program
    from gptoss.text.command import Command, Variable
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
        arguments: What the parser of its program at the deployment's release makes of it.
    """

    name: str
    arguments: Arguments

    @property
    def program(self) -> Program:
        """Its program."""
        return self.arguments.program

    @property
    def command(self) -> Command:
        """Its command."""
        return self.arguments.command

    @property
    def environment(self) -> Mapping[str, Variable]:
        """Variables of its container."""
        return self.arguments.environment

    @property
    def told(self) -> str:
        """The program and its release, as in ``dynamo.trtllm 1.2.1``."""
        return f"{self.program.name} {self.program.release}"


def readings(deployment: Deployment, *, exact: bool = True) -> Iterator[Reading]:
    """The command lines of a deployment, where the release's parser is known.

    Args:
        deployment: The deployment.
        exact: Whether all flags of the program were read, or some are inferred.
    """
    release = deployment.release
    if release is None:
        return
    version = release.trtllm if deployment.runtime is Runtime.SERVE else release.version
    for component in (*deployment.workers, deployment.frontend):
        arguments = component.arguments if component else None
        if component is None or arguments is None:
            continue
        # Where nothing is known about the release the words were read as another one reads them.
        known = programs.program(arguments.program.name, version)
        if known is arguments.program and known.exact is exact:
            yield Reading(component.name, arguments)


def _cases(deployment: Deployment, *, exact: bool) -> Iterator[Case]:
    for reading in readings(deployment, exact=exact):
        yield Case(reading.name, (reading,))


READINGS = Subject({"reading": "Reading"}, lambda d: _cases(d, exact=True))
# Those whose program was not read in full.
INFERRED_READINGS = Subject({"reading": "Reading"}, lambda d: _cases(d, exact=False))


def unknown_is_another_programs(reading: Reading) -> bool:
    """Whether words that the frontend does not know go to another engine's parser."""
    return reading.arguments[CHAT_PROCESSOR].value in ("vllm", "sglang")


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
        if not unresolved(value.value):
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
