"""Servers that a script starts in one branch or another: one server with either command line."""

from __future__ import annotations

from dataclasses import replace
from difflib import SequenceMatcher
from functools import reduce
from itertools import pairwise
from typing import TYPE_CHECKING

from gptoss.sources.parts.role_names import role_of_file
from gptoss.text.budget import Kind, too_much
from gptoss.text.command import Command
from gptoss.text.places import Located

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gptoss.text.shell.result import HereDocument, Step

PROGRAMS = ("trtllm-serve", "tensorrt_llm.commands.serve", "dynamo.trtllm", "dynamo.frontend")
ROLE, SERVER_ROLE = "--disaggregation-mode", "--server_role"
# Flags of the engine file of trtllm-serve, whose name may tell the role.
FILE = ("--config", "--extra_llm_api_options")
# What stands for any number of words.
ANY = "${@}"

Words = tuple[Located[str], ...]


def merged(steps: Iterable[Step]) -> list[Step]:
    """The steps, where those of which only one runs, and which start the same, are one.

    What their command lines and variables share stays, what differs is unknown.
    """
    found: list[list[Step]] = []
    served: dict[str, list[list[Step]]] = {}
    servers = 0
    for step in steps:
        program = _program(step.command)
        entries = served.setdefault(program, []) if program else []
        servers += bool(program)
        # Those that are left are counted where they become a deployment.
        if servers > Kind.CONTAINERS.limit:
            raise too_much(Kind.CONTAINERS, step.command.place)
        for alike in entries if step.choices else ():
            if all(step.excludes(other) for other in alike):
                alike.append(step)
                break
        else:
            found.append([step])
            entries.append(found[-1])
    return [reduce(_either, alike) for alike in found]


def _program(command: Command) -> str:
    """The program that serves, with the role it has; '' for any other command."""
    words = [word.value for word in command.words]
    names = {word.rpartition("/")[2] for word in words}
    program = next((name for name in PROGRAMS if name in names), "")
    if not program:
        return ""
    after = dict(pairwise(words))
    file = next((after[flag] for flag in FILE if flag in after), "")
    role = after.get(ROLE) or after.get(SERVER_ROLE) or (role_of_file(file) if file else "")
    return f"{program} {role or ''}"


def _either(one: Step, other: Step) -> Step:
    environment = {**other.environment, **one.environment}
    for name, located in environment.items():
        sides = (one.environment.get(name), other.environment.get(name))
        if any(side is None or side.value != located.value for side in sides):
            environment[name] = Located(None, located.place)
    return replace(
        one,
        command=Command(tuple(_common(one.command.words, other.command.words))),
        environment=environment,
        choices=tuple(choice for choice in one.choices if choice in other.choices),
        background=one.background or other.background,
        counted=one.counted and other.counted,
        files=_same_files(one, other),
    )


def _same_files(one: Step, other: Step) -> dict[str, HereDocument]:
    return {
        path: document if one.files.get(path) == other.files.get(path) else document.blurred()
        for path, document in {**other.files, **one.files}.items()
    }


def _common(one: Words, other: Words) -> Iterator[Located[str]]:
    texts = [word.value for word in one], [word.value for word in other]
    for how, begin, end, start, stop in SequenceMatcher(None, *texts, False).get_opcodes():
        if how == "equal":
            yield from one[begin:end]
        elif end - begin == stop - start:
            for word, text in zip(one[begin:end], texts[1][start:stop], strict=True):
                yield Located(_either_text((word.value, text)), word.place)
        else:
            yield Located(ANY, (one[begin:end] or other[start:stop])[0].place)


def _either_text(texts: Sequence[str]) -> str:
    """Either of two words, as something that is not known; ``--flag=`` stays where both have it."""
    names = {text.partition("=")[0] for text in texts}
    if len(names) == 1 and all("=" in text for text in texts):
        return f"{names.pop()}={_either_text([text.partition('=')[2] for text in texts])}"
    return f"$({'|'.join(text.removeprefix('$(').removesuffix(')') for text in texts)})"
