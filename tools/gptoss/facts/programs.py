"""What is known about the command lines of programs, read from ``schema/cli/``."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Literal

from gptoss.facts import folders
from gptoss.facts.versions import trtllm_number, version_number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gptoss.facts.world import Facts

WORKER = "dynamo.trtllm"
FRONTEND = "dynamo.frontend"
AIPERF = "aiperf"
SERVE = "trtllm-serve"
SEVERAL = ("aliases", "choices", "engine")
Kind = type[int] | type[float] | type[str] | type[bool]
Parser = Literal["argparse", "click", "cyclopts"]
KINDS: dict[str, Kind] = {"int": int, "float": float, "str": str, "bool": bool}


@dataclass(frozen=True, slots=True)
class Flag:
    """A flag of a program.

    Attributes:
        name: Its name.
        aliases: Other spellings, the ``--no-`` form among them.
        type: ``str``, ``name`` (not empty), ``int``, ``float``, ``int or None`` and
            ``float or None`` (some with ``or empty``), ``int list`` and ``float list`` for one or
            more with commas between them, ``bool`` for one without a value, ``exit`` for one that
            ends the program; ``folder`` and ``other`` values are not judged.
        env: The variable that gives its default.
        env_checked: Whether a wrong value of the variable stops the program at once.
        env_plain: Whether the variable takes numbers only, where the flag takes None too.
        choices: The values it takes; empty for any.
        late: Whether the choices are compared after parsing, for the last value and without regard
            to case.
        nargs: How many values, as argparse writes it; None for one, ``append`` for one that may be
            given again.
        default: The value when nobody gives one; None when there is none.
        negatable: Whether it has a ``--no-`` form.
        minimum, maximum: Bounds of a number.
        exclusive_minimum, exclusive_maximum: Bounds that are not reached.
        ignored: Whether it is accepted and has no effect.
        deprecated: Whether the program's help calls it deprecated.
        old_spelling: The alias that is on its way out.
        engine: The keys of the engine YAML that it sets.
        inverted: Whether they are the flag's opposite.
        inferred: Whether it is not certain that this version has it.
    """

    name: str
    type: str
    aliases: tuple[str, ...] = ()
    env: str | None = None
    env_checked: bool = False
    env_plain: bool = False
    choices: tuple[str, ...] = ()
    late: bool = False
    nargs: str | None = None
    default: Any = None
    negatable: bool = False
    minimum: float | None = None
    maximum: float | None = None
    exclusive_minimum: float | None = None
    exclusive_maximum: float | None = None
    ignored: bool = False
    deprecated: bool = False
    old_spelling: str | None = None
    engine: tuple[str, ...] = ()
    inverted: bool = False
    inferred: bool = False

    @property
    def takes_value(self) -> bool:
        """Whether it takes a value."""
        return self.type not in ("bool", "exit")

    @property
    def kind(self) -> Kind:
        """What its text is converted to: int, float, str or bool."""
        return KINDS.get(self.type.partition(" ")[0], str)

    @property
    def spellings(self) -> tuple[str, ...]:
        """Its name and aliases."""
        return (self.name, *self.aliases)

    def switches_off(self, spelling: str) -> bool:
        """Whether one of its spellings is the negation of another."""
        positive = spelling.replace("no-", "", 1)
        return positive != spelling and positive in self.spellings


@dataclass(frozen=True, eq=False)
class Program:
    """The command line of one program at one release.

    Attributes:
        name: The program, as in ``dynamo.trtllm``.
        release: Its version.
        source: Where the facts come from.
        parser: What reads its command line.
        flags: Its flags by name.
        dotted: How flags begin that become engine settings by dotted path; '' when there are none.
        exact: Whether all flags of the version were read; what is missing may exist where not.
        metrics: What a request can be held against (aiperf's ``--goodput``), times in milliseconds.
    """

    name: str
    release: str
    source: str
    parser: Parser
    flags: Mapping[str, Flag]
    dotted: str = ""
    exact: bool = True
    metrics: tuple[str, ...] = ()

    @cached_property
    def spellings(self) -> dict[str, Flag]:
        """Its flags by every spelling."""
        return {word: flag for flag in self.flags.values() for word in flag.spellings}

    def flag(self, spelling: str) -> Flag | None:
        """The flag of a name, which may be what its newest release calls it."""
        if spelling in self.spellings:
            return self.spellings[spelling]
        later = newest(self.name).spellings.get(spelling)
        names = later.spellings if later else ()
        return next((self.spellings[name] for name in names if name in self.spellings), None)

    def collects(self, flag: Flag) -> bool:
        """Whether a flag that is given again adds to its values; otherwise the last one counts."""
        return flag.nargs == "append" or (flag.nargs == "*" and self.parser == "cyclopts")


@cache
def releases(program: str) -> tuple[str, ...]:
    """The releases of a program that are known, oldest first."""
    found = (folders.root() / "schema" / "cli").glob(f"{program}-[0-9]*.json")
    versions = [path.stem.removeprefix(f"{program}-") for path in found]
    return tuple(sorted(versions, key=trtllm_number))


@cache
def program(name: str, release: str) -> Program | None:
    """The command line of a program at a release, else at one of the same minor release.

    Release candidates of TensorRT-LLM differ too much for that.

    Args:
        name: The program, as in ``dynamo.trtllm``.
        release: The version, that of TensorRT-LLM for ``trtllm-serve``.

    Returns:
        None when nothing is known about the release.
    """
    known = releases(name)
    if release not in known:
        minor = version_number(release)[:2]
        known = tuple(other for other in known if version_number(other)[:2] == minor)
        if "rc" in release or not minor or not known:
            return None
        release = known[0]
    path = folders.root() / "schema" / "cli" / f"{name}-{release}.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    flags = {flag: _flag(flag, facts) for flag, facts in document["flags"].items()}
    return Program(
        name,
        release,
        document["source"],
        document["parser"],
        flags,
        document.get("dotted", ""),
        document.get("exact", True),
        tuple(document.get("metrics", ())),
    )


def newest(name: str) -> Program:
    """The command line of a program at the last of its releases that are known."""
    found = program(name, releases(name)[-1])
    assert found is not None  # noqa: S101 (it has a file)
    return found


def taken_for(name: str, version: str, facts: Facts) -> Program:
    """The command line of a program at a release; where that is not known, at the one before it.

    Args:
        name: The program, as in ``dynamo.trtllm``.
        version: The release, for ``trtllm-serve`` a tag of TensorRT-LLM's image; '' for an unknown.
        facts: Which release is the default one.
    """
    default = facts.default_release
    usual = default.trtllm if name == SERVE else default.version
    asked = version.partition("-")[0]
    return program(name, asked) or _before(name, asked) or program(name, usual) or newest(name)


def _before(name: str, version: str) -> Program | None:
    """The command line at the last release before one, else at the first; None for no version."""
    number = trtllm_number(version)
    known = releases(name)
    before = [release for release in known if trtllm_number(release) < number]
    return program(name, before[-1] if before else known[0]) if number else None


def _flag(name: str, facts: dict[str, Any]) -> Flag:
    several: dict[str, Any] = {k: tuple(facts[k]) for k in SEVERAL if k in facts}
    return Flag(name, **(facts | several))


@cache
def releases_with(program_name: str, spelling: str) -> tuple[str, ...]:
    """The releases whose program knows a flag, oldest first."""
    known = []
    for release in releases(program_name):
        found = program(program_name, release)
        if found and spelling in found.spellings:
            known.append(release)
    return tuple(known)
