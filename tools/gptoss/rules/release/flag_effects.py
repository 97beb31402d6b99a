"""Does a flag that the parser takes do what its author means?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.rules.fixes import remove_flag, rename_flag
from gptoss.rules.release.parsed import READINGS, Reading
from gptoss.rules.rule import DYNAMO, Need, Said, Severity, rule

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule(
    "R009",
    "flag-abbreviated",
    Severity.WARNING,
    of=READINGS,
    runtimes=DYNAMO,
    fixable=True,
    needs=(Need.RELEASE,),
)
def flag_abbreviated(reading: Reading) -> Iterator[Said]:
    """Only the beginning of a flag's name is written.

    It is taken while no other flag begins that way. The next release may add one, and who searches
    for the flag does not find it.
    """
    for given in reading.arguments.given:
        if not given.abbreviated:
            continue
        yield Said(
            given.at,
            f"{given.spelling} is the beginning of {given.whole}",
            f"write {given.whole}",
            fix=rename_flag(given.at.place, given.spelling, given.whole),
        )


@rule(
    "R010",
    "flag-ignored",
    Severity.WARNING,
    of=READINGS,
    fixable=True,
    needs=(Need.RELEASE,),
)
def flag_ignored(reading: Reading) -> Iterator[Said]:
    """A flag or its variable is accepted by this release and has no effect.

    From 1.3 on the frontend decides by the registered workers whether prefill and decode are apart,
    as ``--enforce-disagg`` asked for; from 1.4 on it admits every request.
    """
    release = reading.program.release
    for given in reading.arguments.given:
        if given.flag.ignored:
            yield Said(
                given.at,
                f"release {release} accepts {given.spelling} and ignores it",
                "remove it",
                fix=remove_flag(given.at.place, given.spelling),
            )
    for flag in reading.program.flags.values():
        variable = reading.arguments.variable(flag) if flag.ignored else None
        if variable:
            yield Said(
                variable,
                f"release {release} ignores {variable.name}",
                "remove it",
            )


@rule(
    "R011",
    "flag-ends-program",
    Severity.ERROR,
    of=READINGS,
    fixable=True,
    needs=(Need.RELEASE,),
)
def flag_ends_program(reading: Reading) -> Iterator[Said]:
    """A flag makes the program print something and end.

    Kubernetes starts it again and again, and nothing is ever served.
    """
    for given in reading.arguments.given:
        if given.flag.type == "exit":
            yield Said(
                given.at,
                f"{given.spelling} makes {reading.told} print and end",
                "remove it",
                fix=remove_flag(given.at.place, given.spelling),
            )
