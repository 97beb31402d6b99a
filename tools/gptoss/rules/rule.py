"""What a rule says, and how a rule is declared."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import TYPE_CHECKING

from gptoss.deployment.model import Platform, Runtime
from gptoss.rules.family import family_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from gptoss.deployment.model import Deployment
    from gptoss.facts.world import Facts
    from gptoss.rules.family import Family
    from gptoss.rules.fixes import Fix
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
class Also:
    """A second place that a finding is about."""

    place: Place
    message: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong, at the line to edit.

    Attributes:
        rule: The rule that says so.
        place: The line to edit.
        message: One sentence that quotes the values.
        hint: What to do.
        also: The other places it conflicts with.
        fix: The one right answer, when there is exactly one.
    """

    rule: Rule
    place: Place
    message: str
    hint: str
    also: tuple[Also, ...] = ()
    fix: Fix | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """What a rule yields; the engine adds the rule.

    Attributes:
        at: What it is about; its place is the line to edit.
        message: One sentence that quotes the values.
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
    Check = Callable[[Deployment, Facts], Iterator[Said]]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule with its documentation.

    Attributes:
        id: Letter of the family and number, as in ``D003``.
        name: The same in words, as in ``transceiver-buffer-not-whole-blocks``.
        severity: Severity of its findings.
        summary: What it finds, in one sentence.
        reason: Why that matters.
        source: Where the fact behind it is stated.
        bad: An example that fires it; see ``docs/rules/README.md`` for the form.
        good: The same, mended.
        near: A near miss that must stay silent.
        needs: Knowledge it cannot do without.
        fixable: Whether some of its findings have one right answer, which ``check --fix`` gives.
        runtimes: What a deployment runs on that the rule is about; for others it does not exist.
        platforms: What starts its containers, the same way.
        engine_only: Whether it can judge an engine YAML without its deployment.
        family: The family that it belongs to.
        check: The function.
    """

    id: str
    name: str
    severity: Severity
    summary: str
    reason: str
    source: str
    bad: str
    good: str
    near: str
    needs: tuple[Need, ...]
    fixable: bool
    runtimes: tuple[Runtime, ...]
    platforms: tuple[Platform, ...]
    engine_only: bool
    family: Family
    check: Check


RULES: dict[str, Rule] = {}


def rule(
    id: str,  # noqa: A002 (the field's own word)
    name: str,
    severity: Severity,
    *,
    source: str,
    bad: str,
    good: str,
    near: str = "",
    needs: tuple[Need, ...] = (),
    fixable: bool = False,
    runtimes: tuple[Runtime, ...] | None = None,
    platforms: tuple[Platform, ...] | None = None,
    engine_only: bool | None = None,
) -> Callable[[Check], Check]:
    """Declares a rule; the docstring's first paragraph is its summary, the rest its reason.

    What it does not say about runtimes, platforms and engine YAMLs its family says.

    Raises:
        ValueError: Another rule has this identifier, or it is not one of its family.
    """

    def declare(check: Check) -> Check:
        if id in RULES:
            raise ValueError(f"{id} is {RULES[id].name} already; give {name} another identifier")
        family = family_of(check.__module__, id)
        summary, _, reason = inspect.cleandoc(check.__doc__ or "").partition("\n\n")
        RULES[id] = Rule(
            id=id,
            name=name,
            severity=severity,
            summary=" ".join(summary.split()),
            reason=reason.strip(),
            source=source,
            bad=inspect.cleandoc(bad),
            good=inspect.cleandoc(good),
            near=inspect.cleandoc(near),
            needs=needs,
            fixable=fixable,
            runtimes=runtimes or family.runtimes,
            platforms=platforms or family.platforms,
            engine_only=family.engine_only if engine_only is None else engine_only,
            family=family,
            check=check,
        )
        return check

    return declare
