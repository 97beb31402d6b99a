"""What a run did that no run may do."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from fuzz.contents import CANARY, PLANTED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fuzz.inputs import Input
    from fuzz.running import Ran
    from fuzz.sandbox import Sandbox, State

COLUMNS = (
    "tracebacks",
    "hangs",
    "exits",
    "differing",
    "bad fixes",
    "raw",
    "leaks",
    "escapes",
    "memory",
)
# With what Python and its libraries take, 500.
MOST_MIB = 440
TRACEBACK = b"Traceback (most recent call last)"
UNFORESEEN = re.compile(rb"this is a defect of gptoss|please report")
CONTROL = re.compile(
    "[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]"
)
COMMAND = re.compile(
    rf"^\s*::(add-mask|stop-commands|error file=a,)[^\n]*::[^\n]*{PLANTED}"
    rf"|##\[add-matcher\]{PLANTED}",
    re.MULTILINE,
)
WRITERS = ("--fix", "--write", "--output")

Fault = tuple[str, str]
"""A column, and what there is to say."""


def faults_of_run(tried: Input, ran: Ran) -> Iterator[Fault]:
    """What is wrong with a run by itself."""
    if ran.hung:
        yield "hangs", f"ended after {ran.cpu_seconds:.0f} s of work"
        return
    if ran.mib > MOST_MIB:
        yield "memory", f"{ran.mib:,.0f} MiB"
    if TRACEBACK in ran.err:
        yield "tracebacks", ran.err.decode(errors="replace").strip().splitlines()[-1]
    elif unforeseen := UNFORESEEN.search(ran.err):
        start = ran.err.rfind(b"\n", 0, unforeseen.start()) + 1
        yield "tracebacks", ran.err[start:].decode(errors="replace").splitlines()[0]
    elif ran.code not in (0, 1, 2):
        yield "exits", f"exit code {ran.code}"
    elif ran.code == 2 and not ran.err.strip():
        yield "exits", "exit code 2 without a word"
    yield from _raw_output(tried, ran)


def _raw_output(tried: Input, ran: Ran) -> Iterator[Fault]:
    """Output that a program cannot read, or that a terminal or a runner obeys."""
    for name, raw in (("standard output", ran.out), ("standard error", ran.err)):
        try:
            text = raw.decode()
        except UnicodeDecodeError:
            yield "raw", f"{name} is no UTF-8"
            continue
        if control := CONTROL.search(text):
            line = text[: control.start()].count("\n") + 1
            yield "raw", f"{name}, line {line}: {control[0]!r}"
        if tried.on_runner and (command := COMMAND.search(text)):
            yield "raw", f"{name}: {command[0].strip()!r} is obeyed"
    if ran.code in (0, 1) and ran.out and (wrong := not_well_formed(tried.argv, ran.out)):
        yield "raw", wrong


def not_well_formed(argv: Sequence[str], out: bytes) -> str:
    """Why an output is not what its format says; empty where it is."""
    form = argv[argv.index("--format") + 1] if "--format" in argv else ""
    try:
        if form in ("json", "sarif", "gitlab"):
            json.loads(out, parse_constant=_no_constant)
        elif form == "junit":
            ElementTree.fromstring(out)  # noqa: S314 (of our own making)
    except (ValueError, ElementTree.ParseError) as error:
        return f"{form} does not parse: {error}"
    return ""


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is no JSON")


def leaks(tried: Input, texts: dict[str, bytes]) -> Iterator[Fault]:
    """Secrets of the input, and what lies outside, in outputs by what they are called."""
    for name, text in texts.items():
        if CANARY.encode() in text:
            yield "leaks", f"{name} has what lies outside"
        if any(secret.encode() in text for secret in tried.source.secrets):
            yield "leaks", f"{name} has a secret"


def changes_around(before: State, after: State) -> Iterator[Fault]:
    """What has changed around the checkout."""
    for name in sorted({**before, **after}):
        if before.get(name) != after.get(name):
            yield (
                "escapes",
                f"{name} was {before.get(name, 'absent')}, is {after.get(name, 'gone')}",
            )


def changes_unasked(tried: Input, before: State, after: State) -> Iterator[Fault]:
    """What a command that writes nothing has changed in the checkout."""
    if not any(word in WRITERS for word in tried.argv):
        for name in sorted({**before, **after}):
            if before.get(name) != after.get(name):
                yield "escapes", f"{name} of the checkout changed"


def written(sandbox: Sandbox, before: State, after: State) -> dict[str, bytes]:
    """Files that a run wrote for others to read; what is private may hold secrets."""
    new = [name for name in after if after[name] != before.get(name)]
    return {name: sandbox.content(name) for name in new if not after[name].startswith("600 ")}
