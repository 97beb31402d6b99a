"""What a rule has found, at the line to edit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gptoss.rules.readings import quoted
from gptoss.rules.rule import Severity

if TYPE_CHECKING:
    from gptoss.rules.fixes import Fix
    from gptoss.rules.rule import Rule
    from gptoss.text.places import Place


@dataclass(frozen=True, slots=True)
class Also:
    """A second place that a finding is about.

    Attributes:
        place: Where.
        message: What is there.
        same: Whether the very same is wrong there.
    """

    place: Place
    message: str
    same: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong, at the line to edit.

    Attributes:
        rule: The rule that says so.
        place: The line to edit.
        said: One sentence that quotes the values.
        hint: What to do.
        also: The other places it conflicts with.
        fixes: The one right answer, when there is exactly one; one for each place.
        subjects: Names of the workers, components or Jobs that it is about.
        seen_for: The releases that the rule was seen in, where this one is none of them.
    """

    rule: Rule
    place: Place
    said: str
    hint: str
    also: tuple[Also, ...] = ()
    fixes: tuple[Fix, ...] = ()
    subjects: tuple[str, ...] = ()
    seen_for: str = ""

    @property
    def severity(self) -> Severity:
        """The rule's, or one less where the rule was not seen in this release."""
        lowered = self.seen_for and self.rule.severity > Severity.INFO
        return Severity(self.rule.severity - 1) if lowered else self.rule.severity

    @property
    def message(self) -> str:
        """What is wrong, with whom it is about."""
        seen = f" (seen with {self.seen_for})" if self.seen_for else ""
        return f"{quoted(self.subjects)}: {self.said}{seen}" if self.subjects else self.said + seen
