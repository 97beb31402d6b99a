"""Does the program's own parser take every word of the command line?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.command_lines.arguments import Kind
from gptoss.facts import programs
from gptoss.facts.programs import FRONTEND, SERVE, WORKER
from gptoss.rules.fixes import remove_flag, rename_flag
from gptoss.rules.release.parsed import (
    READINGS,
    Reading,
    nearest,
    span,
    unknown_is_another_programs,
)
from gptoss.rules.release.serve_hints import serve_hint, underscored
from gptoss.rules.rule import Need, Said, Severity, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.command_lines.arguments import Fault
    from gptoss.facts.world import Facts
    from gptoss.rules.fixes import Fix
    from gptoss.text.places import Located

# What does the work of a flag under another name.
REPLACED = {
    "--publish-metrics": "--publish-events-and-metrics",
    "--store-kv": "--discovery-backend",
    "--input-processor-workers": "--num_input_processor_workers",
    "--media-load-workers": "--num_media_load_workers",
}


def _faults(reading: Reading, *kinds: Kind) -> Iterator[Fault]:
    foreign = unknown_is_another_programs(reading)
    for fault in reading.arguments.faults:
        if fault.kind in kinds and not (foreign and fault.flag is None):
            yield fault


def _releases(reading: Reading, word: str) -> tuple[str, ...]:
    return programs.releases_with(reading.program.name, word)


@rule(
    "R001",
    "flag-of-another-release",
    Severity.ERROR,
    of=READINGS,
    fixable=True,
    needs=(Need.RELEASE,),
)
def flag_of_another_release(reading: Reading) -> Iterator[Said]:
    """A flag does not exist in this release.

    Both programs stop at the first argument they do not know.
    """
    yield from other_releases_flags(reading)


def other_releases_flags(reading: Reading) -> Iterator[Said]:
    """Flags that the program has in another version only."""
    for fault in _faults(reading, Kind.UNKNOWN):
        word = fault.name
        known_to = _releases(reading, word)
        if not known_to:
            continue
        told = span(reading.program, known_to)
        instead, gone = _instead(reading, word, known_to), "gone" in told
        yield Said(
            fault.at,
            f"{word} {told}; release {reading.program.release} stops at it",
            f"write {instead}" if instead else "remove it",
            fix=_mended(fault.at, word, instead, gone=gone),
        )


def _mended(at: Located[str], word: str, instead: str | None, *, gone: bool) -> Fix | None:
    if instead:
        return rename_flag(at.place, word, instead)
    return remove_flag(at.place, word) if gone else None


def _instead(reading: Reading, word: str, known_to: tuple[str, ...]) -> str | None:
    """The name under which this release has a flag of another one."""
    here = reading.program
    negated = word.startswith("--no-")
    for release in reversed(known_to):
        program = programs.program(here.name, release)
        flag = program.spellings[word] if program else None
        for other in flag.spellings if flag else ():
            if other in here.spellings and other.startswith("--no-") == negated:
                return other
        for name, candidate in here.flags.items():
            if flag and flag.env and candidate.env == flag.env and not negated:
                return name
    replacement = REPLACED.get(word, "")
    return replacement if replacement in here.spellings else None


@rule(
    "R006",
    "flag-unknown",
    Severity.ERROR,
    of=READINGS,
    fixable=True,
    needs=(Need.RELEASE,),
)
def flag_unknown(reading: Reading, facts: Facts) -> Iterator[Said]:
    """A word of the command line looks like a flag, and no release of the program has it.

    The program stops at it before it loads anything. Flags of trtllm-serve are spelled with
    underscores.
    """
    yield from unknown_flags(reading, facts)


def unknown_flags(reading: Reading, facts: Facts) -> Iterator[Said]:
    """Flags that the program has in no version, and ambiguous beginnings."""
    for fault in _faults(reading, Kind.UNKNOWN, Kind.AMBIGUOUS):
        word = fault.name
        if fault.kind is Kind.AMBIGUOUS:
            told, hint = f"is ambiguous: {fault.told}", "write the whole name"
        elif _releases(reading, word):
            continue
        else:
            told, hint = f"is no flag of {reading.told}", _hint(reading, word, facts)
        yield Said(fault.at, f"{word} {told}", hint, fix=_respelt(reading, fault))


def _respelt(reading: Reading, fault: Fault) -> Fix | None:
    word = fault.name
    spelled = underscored(reading, word)
    return rename_flag(fault.at.place, word, spelled) if spelled else None


def _hint(reading: Reading, word: str, facts: Facts) -> str:
    if reading.program.name == SERVE:
        close = nearest(word, tuple(reading.program.spellings))
        instead = serve_hint(reading, word, facts)
        return instead or (f"did you mean {close}?" if close else "remove it")
    other = FRONTEND if reading.program.name == WORKER else WORKER
    program = programs.program(other, reading.program.release)
    if program and word in program.spellings:
        return f"it is a flag of {other}: move it there"
    close = nearest(word, tuple(reading.program.spellings))
    return f"did you mean {close}?" if close else "remove it"


@rule(
    "R007",
    "flag-without-value",
    Severity.ERROR,
    of=READINGS,
    needs=(Need.RELEASE,),
)
def flag_without_value(reading: Reading) -> Iterator[Said]:
    """A flag that takes a value is given none.

    The next word is another flag, or there is none. An empty variable in a script does that too.
    """
    yield from missing_values(reading)


def missing_values(reading: Reading) -> Iterator[Said]:
    """Flags that need a value and have none."""
    if reading.program.name == SERVE and not reading.arguments.words:
        yield Said(
            reading.command,
            f"the command names no model, and {reading.told} stops",
            "write the model's id or folder as the first argument",
        )
    for fault in _faults(reading, Kind.NO_VALUE):
        yield Said(
            fault.at,
            f"{fault.at.value} needs a value and has none",
            "add the value, or remove the flag",
        )


@rule(
    "R008",
    "stray-argument",
    Severity.ERROR,
    of=READINGS,
    needs=(Need.RELEASE,),
)
def stray_argument(reading: Reading) -> Iterator[Said]:
    """A word belongs to no flag.

    Mostly it is a value given to a switch, which takes none, or a second value where one is taken.
    The program stops at it.
    """
    yield from stray_words(reading)


def stray_words(reading: Reading) -> Iterator[Said]:
    """Words that belong to no flag, and flags that stand before the model without sub-command."""
    for fault in _faults(reading, Kind.MISPLACED):
        yield Said(
            fault.at,
            f"{fault.at.value} stands before the model, where trtllm-serve takes "
            "it for a flag of its own and stops",
            "write the model first, or trtllm-serve serve",
        )
    for fault in _faults(reading, Kind.STRAY):
        if fault.flag:
            hint = f"write {fault.flag.name}"
            if fault.flag.negatable:
                hint += f", or --no-{fault.flag.name[2:]} to switch it off"
            yield Said(
                fault.at,
                f"{fault.at.value}: {fault.told}",
                hint,
            )
            continue
        yield Said(
            fault.at,
            f"the argument {fault.at.value!r} belongs to no flag, and {reading.told} stops at it",
            "remove it; a switch takes no value, and a flag one unless it says otherwise",
        )
