"""What wrong values do, as ``schema/sweep/*.yaml`` say.

A file has ``keys``: verdicts by key, or by a pattern of keys. A verdict stands under the value
that it is about, or under ``else`` for all other values; ``only`` says that no values are tried but
those that stand there. What stands under the key itself comes before what stands under a pattern,
and of patterns the first one counts. ``bases`` says which target a key is changed in, and what is
set there first.

A verdict is ``outcome, why``, or a map: ``is``, ``because``, and ``silent``, why check says nothing
to a harmful value, or ``although``, why it is right to speak up about a harmless one.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gptoss.rules.rule import Severity
from gptoss.text import plain_yaml
from gptoss.text.errors import InputError
from sweep.cases import ABSENT, Absent, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path("schema/sweep")
REST, ONLY = "else", "only"
OTHERWISE, HARMLESS = "otherwise", "harmless"
# From worst to best.
OUTCOMES = {
    "refused": "the schema, the operator, the API server or the program refuses it",
    "cannot": "it is taken, and then it cannot work",
    OTHERWISE: "it works otherwise than meant",
    HARMLESS: "nothing is wrong with it",
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a value does.

    Attributes:
        outcome: One of ``OUTCOMES``.
        because: Why.
        silent: Why check says nothing to a harmful value.
        although: Why check is right to speak up about a harmless value.
    """

    outcome: str
    because: str
    silent: str = ""
    although: str = ""

    @property
    def is_harmful(self) -> bool:
        """Whether somebody would want to know."""
        return self.outcome != HARMLESS

    def is_told(self, said: Mapping[str, str]) -> bool:
        """Whether check says as much as the harm deserves: of what cannot work more than a note."""
        return bool(said) if self.outcome == OTHERWISE else self.is_loud(said)

    def is_loud(self, said: Mapping[str, str]) -> bool:
        """Whether check says more than a note."""
        return any(severity != Severity.INFO.word for severity in said.values())


@dataclass(frozen=True)
class Judgements:
    """The verdicts of one file.

    Attributes:
        file: The file.
        content: What it holds.
    """

    file: Path
    content: dict[str, Any]

    @staticmethod
    def of(surface: str) -> Judgements:
        """Those of a surface.

        Raises:
            InputError: The file is not as it should be.
        """
        file = FOLDER / f"{surface}.yaml"
        content = plain_yaml.load((ROOT / file).read_text(encoding="utf-8"))
        judgements = Judgements(file, content)
        for key, verdicts in judgements.keys.items():
            for value, said in verdicts.items():
                judgements.read(key, value, said)
        return judgements

    @property
    def keys(self) -> dict[str, dict[Any, Any]]:
        """Verdicts by key or pattern, then by value."""
        found: dict[str, dict[Any, Any]] = self.content["keys"]
        return found

    @cached_property
    def exact(self) -> list[str]:
        """The keys that are no patterns."""
        return [key for key in self.keys if "*" not in key]

    @cached_property
    def _patterns(self) -> list[str]:
        return [key for key in self.keys if "*" in key]

    def verdict(self, key: str, value: str, refusal: str) -> Verdict | None:
        """What a value does; None where nobody has judged it.

        Args:
            key: The key.
            value: The value as it is shown.
            refusal: Why its schema alone refuses it, '' where that does not.
        """
        for about in self._about(key):
            verdicts = self.keys[about]
            for written, said in verdicts.items():
                if self.is_value(written) and shown(value_of(written)) == value:
                    return self.read(about, written, said)
            if refusal:
                return Verdict("refused", refusal)
            if REST in verdicts:
                return self.read(about, REST, verdicts[REST])
        return Verdict("refused", refusal) if refusal else None

    def values(self, key: str) -> Iterator[Any]:
        """The values of a key that are judged one by one."""
        for about in self._about(key):
            yield from (value_of(v) for v in self.keys[about] if self.is_value(v))

    @staticmethod
    def is_value(written: Any) -> bool:
        """Whether a verdict stands under a value."""
        return written not in (REST, ONLY)

    def only_listed(self, key: str) -> bool:
        """Whether no other values are tried than those that are judged."""
        return any(ONLY in self.keys[about] for about in self._about(key))

    def _about(self, key: str) -> list[str]:
        own = [key] if key in self.keys else []
        return own + [p for p in self._patterns if fnmatchcase(key, p.replace("[", "[[]"))]

    def read(self, key: str, value: Any, said: Any) -> Verdict | None:
        """A verdict as it is written: ``outcome: why``, or a map.

        Raises:
            InputError: It is written otherwise.
        """
        if value == ONLY:
            return None
        if isinstance(said, str):
            outcome, _, because = said.partition(", ")
            said = {"is": outcome, "because": because}
        told = {"because": "", "silent": "", "although": "", **said}
        outcome = told.pop("is", "")
        unknown = told.keys() - {"because", "silent", "although"}
        if outcome not in OUTCOMES or unknown or not told["because"]:
            where = f"{self.file}: {key}: {value}"
            raise InputError(f"{where}: write `outcome, why` with one of {', '.join(OUTCOMES)}")
        return Verdict(outcome, **told)


def value_of(written: Any) -> Any:
    """The value that a verdict is written under; a map or list stands there as text."""
    if written == ABSENT:
        return Absent
    if isinstance(written, str) and written[:1] in tuple('[{"'):
        return json.loads(written)
    return written
