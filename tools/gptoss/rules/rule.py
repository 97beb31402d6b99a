"""What a rule says, and how a rule is declared."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import TYPE_CHECKING, Any

from gptoss.deployment.model import Platform, Runtime
from gptoss.rules.evidence import Evidence, read_evidence
from gptoss.rules.examples import Examples, read_examples
from gptoss.rules.family import family_of, folder_of
from gptoss.rules.subjects import DEPLOYMENT, problems

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from gptoss.deployment.model import Problem
    from gptoss.rules.family import Family
    from gptoss.rules.fixes import Fix
    from gptoss.rules.subjects import Subject
    from gptoss.text.places import HasPlace, Place


class Severity(IntEnum):
    """How bad a finding is.

    An error is refused by the engine, the operator or the API server, or cannot work. A warning
    works, but not as its author meant. Information saves money or time.
    """

    INFO = 1
    WARNING = 2
    ERROR = 3

    @property
    def word(self) -> str:
        """The severity as written in reports."""
        return self.name.lower()


class Need(Enum):
    """Knowledge that a rule cannot do without; where it is missing the rule is not applied."""

    MODEL = "no facts about the model"
    RELEASE = "the Dynamo release is not known; give --release"
    GPU = "no facts about the GPU"
    ENGINE = "the engine YAML is not among what was given"


DYNAMO = (Runtime.DYNAMO,)
SERVE = (Runtime.SERVE,)
ANY = tuple(Runtime)
KUBERNETES = (Platform.KUBERNETES,)
CONTAINERS = (Platform.CONTAINERS,)
ANYWHERE = tuple(Platform)


@dataclass(frozen=True, slots=True)
class Said:
    """What a rule yields; the engine adds the rule.

    Attributes:
        at: What it is about; its place is the line to edit.
        message: One sentence that quotes the values; the engine puts the subject's name before it.
        hint: What to do.
        also: Other places, each with what it says there.
        fix: The one right answer, when there is exactly one.
    """

    at: HasPlace | Place
    message: str
    hint: str
    also: Iterable[tuple[HasPlace | Place, str]] = ()
    fix: Fix | None = None


if TYPE_CHECKING:
    Check = Callable[..., Iterator[Said]]
    Declared = Callable[..., Iterator[Said] | None]


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """A rule with its documentation.

    Attributes:
        id: Letter of the family and number, as in ``D003``.
        name: The same in words, as in ``transceiver-buffer-not-whole-blocks``.
        severity: Severity of its findings.
        text: The docstring of its function: what it finds, and why that matters.
        module: The module that declares it.
        needs: Knowledge it cannot do without.
        fixable: Whether some of its findings have one right answer, which ``check --fix`` gives.
        runtimes: What a deployment runs on that the rule is about; for others it does not exist.
        platforms: What starts its containers, the same way.
        engine_only: Whether it can judge an engine YAML without its deployment.
        family: The family that it belongs to.
        of: What it is about.
        reports: Kind of the problems that it reports, where a reader found them.
        check: The function.
        takes: Names of what the function takes.
    """

    id: str
    name: str
    severity: Severity
    text: str
    module: str
    needs: tuple[Need, ...]
    fixable: bool
    runtimes: tuple[Runtime, ...]
    platforms: tuple[Platform, ...]
    engine_only: bool
    family: Family
    of: Subject
    reports: str
    check: Check
    takes: tuple[str, ...]

    @property
    def summary(self) -> str:
        """What it finds, in one sentence."""
        return " ".join(self._paragraphs[0].split())

    @property
    def reason(self) -> str:
        """Why that matters."""
        return self._paragraphs[2].strip()

    @property
    def _paragraphs(self) -> tuple[str, str, str]:
        return inspect.cleandoc(self.text).partition("\n\n")

    @property
    def file(self) -> Path:
        """Where its examples stand."""
        return folder_of(self.module) / "examples" / f"{self.id}.txt"

    @property
    def evidence(self) -> Evidence:
        """Where the fact behind it is stated, and for which releases."""
        return read_evidence(folder_of(self.module) / "evidence" / f"{self.id}.yaml")

    @property
    def source(self) -> str:
        """The same in one line."""
        return str(self.evidence)

    @property
    def examples(self) -> Examples:
        """What fires it, the same mended, and a near miss that must stay silent."""
        return read_examples(self.file)

    @property
    def bad(self) -> str:
        """An example that fires it."""
        return self.examples.bad

    @property
    def good(self) -> str:
        """The same, mended."""
        return self.examples.good

    @property
    def near(self) -> str:
        """A near miss that must stay silent."""
        return self.examples.near


RULES: dict[str, Rule] = {}
# What the function of a rule may take beside its subject, by name.
BESIDE = {"deployment": "Deployment", "facts": "Facts", "model": "Model", "release": "Release"}
NEEDED = {"model": Need.MODEL, "release": Need.RELEASE}


def rule(
    id: str,  # noqa: A002 (the field's own word)
    name: str,
    severity: Severity,
    *,
    of: Subject = DEPLOYMENT,
    reports: str = "",
    hint: str = "",
    needs: tuple[Need, ...] = (),
    fixable: bool = False,
    runtimes: tuple[Runtime, ...] | None = None,
    platforms: tuple[Platform, ...] | None = None,
    engine_only: bool | None = None,
) -> Callable[[Declared], Declared]:
    """Declares a rule; the docstring's first paragraph is its summary, the rest its reason.

    Its function is called for each subject ``of`` which it is. A rule that ``reports`` a kind of
    problem is about each problem of that kind; with a ``hint`` it hands on what the problem says,
    and its function has no body. Its examples stand in ``examples/ID.txt`` of the family's folder,
    its evidence in ``evidence/ID.yaml``.
    What a rule does not say about runtimes, platforms and engine YAMLs its family says.

    Raises:
        ValueError: Another rule has this identifier, it is not one of its family, or the function
            takes what it cannot get.
    """
    subject = problems(reports) if reports else of

    def declare(declared: Declared) -> Declared:
        if id in RULES:
            raise ValueError(f"{id} is {RULES[id].name} already; give {name} another identifier")
        family = family_of(declared.__module__, id)
        check: Any = _handing_on(hint, declared) if hint else declared
        RULES[id] = Rule(
            id=id,
            name=name,
            severity=severity,
            text=declared.__doc__ or "",
            module=declared.__module__,
            needs=needs,
            fixable=fixable,
            runtimes=runtimes or family.runtimes,
            platforms=platforms or family.platforms,
            engine_only=family.engine_only if engine_only is None else engine_only,
            family=family,
            of=subject,
            reports=reports,
            check=check,
            takes=_taken(id, check, subject, needs),
        )
        return declared

    return declare


def _handing_on(hint: str, declared: Declared) -> Check:
    """The function of a rule that says what a problem says."""

    def handed_on(problem: Problem) -> Iterator[Said]:
        yield Said(problem, problem.message, hint)

    handed_on.__name__ = declared.__name__
    return handed_on


def _taken(id: str, check: Any, of: Subject, needs: tuple[Need, ...]) -> tuple[str, ...]:  # noqa: A002
    """Names of what a rule's function takes.

    Raises:
        ValueError: It takes what it cannot get.
    """
    names: tuple[str, ...] = check.__code__.co_varnames[: check.__code__.co_argcount]
    offered = {**BESIDE, **of.parameters}
    for name in names:
        if check.__annotations__.get(name) != offered.get(name, ""):
            listed = ", ".join(f"{key}: {kind}" for key, kind in offered.items())
            raise ValueError(f"{id} takes {name}, but can take only {listed}")
        if name in NEEDED and NEEDED[name] not in needs:
            raise ValueError(f"{id} takes {name}; add Need.{NEEDED[name].name} to its needs")
    return names
