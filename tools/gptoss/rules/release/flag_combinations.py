"""Do the flags go together?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.command_lines.arguments import Kind
from gptoss.facts.programs import WORKER
from gptoss.rules.release.parsed import READINGS, Reading
from gptoss.rules.rule import DYNAMO, Need, Said, Severity, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.text.places import Located


@rule(
    "R012",
    "dotted-flag-malformed",
    Severity.ERROR,
    of=READINGS,
    runtimes=DYNAMO,
    needs=(Need.RELEASE,),
)
def dotted_flag_malformed(reading: Reading) -> Iterator[Said]:
    """A ``--trtllm.`` flag has no value, or its path cannot be.

    These flags are not argparse's: the value is the next word and ``=`` becomes part of the path.
    """
    for fault in reading.arguments.faults:
        if fault.kind is not Kind.DOTTED:
            continue
        flag, equals, value = fault.at.value.partition("=")
        hint = f"write {flag} {value}" if equals and value else "write the value after it"
        yield Said(fault.at, f"{fault.at.value}: {fault.told}", hint)
    for word, block in _conflicts(reading):
        yield Said(
            word,
            f"{word.value} is inside {block}, which already has a value",
            "remove one of them",
        )


def _conflicts(reading: Reading) -> Iterator[tuple[Located[str], str]]:
    """Dotted flags that set a key inside one that an earlier flag gives a value, with its path."""
    values: dict[tuple[str, ...], str] = {}
    parents: set[tuple[str, ...]] = set()
    for word, value in reading.arguments.dotted:
        path = tuple(word.value.removeprefix(reading.program.dotted).split("."))
        for depth in range(1, len(path)):
            if values.get(path[:depth], "null").lower() not in ("none", "null"):
                yield word, ".".join(path[:depth])
                break
        if path in parents:
            values = {key: text for key, text in values.items() if key[: len(path)] != path}
        values[path] = value.value
        parents.update(path[:depth] for depth in range(1, len(path)))


@rule(
    "R018",
    "flags-do-not-combine",
    Severity.ERROR,
    of=READINGS,
    runtimes=DYNAMO,
    needs=(Need.RELEASE,),
)
def flags_do_not_combine(reading: Reading) -> Iterator[Said]:
    """Two flags cannot be given together, or one needs another that is not given.

    The program reads them all and then stops.
    """
    for name, told, hint in _combinations(reading):
        given = reading.arguments.last(name)
        variable = reading.arguments.variable(reading.program.flags[name])
        at = given.at if given else variable or reading.command
        yield Said(at, f"{told}", hint)


def _combinations(reading: Reading) -> Iterator[tuple[str, str, str]]:
    """Combinations that are refused: the flag to point at, what is wrong, what to do."""

    def value(name: str) -> str | None:
        return reading.arguments[name].text

    override = "--override-engine-args"
    if reading.arguments.dotted and value(override):
        dotted = reading.arguments.dotted[0][0].value
        yield override, f"{override} and {dotted} exclude each other", "write all as one of the two"
    cert, key = "--tls-cert-path", "--tls-key-path"
    if (value(cert) is None) != (value(key) is None):
        there, missing = (key, cert) if value(cert) is None else (cert, key)
        yield there, f"{there} is given without {missing}", f"add {missing}, or remove {there}"
    connectors = reading.arguments.last("--connector")
    if connectors and len(connectors.values) > 1:
        yield "--connector", "--connector takes one connector at most", "write none or kvbm"
    dotted_name = reading.program.name == WORKER and "." in (value("--namespace") or "")
    if dotted_name and not value("--endpoint"):
        told = "--namespace with a dot in it makes no endpoint: dyn://namespace.component.name"
        yield "--namespace", told, "write it without the dot"
