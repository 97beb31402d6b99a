"""One key set to one value."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final

ABSENT: Final = "absent"
SURFACES = ("values", "engine", "pods", "together")


class Absent:
    """The value of a key that is taken away."""


@dataclass(frozen=True, slots=True)
class Case:
    """One key set to one value.

    Attributes:
        surface: What the key is one of: values, engine, pods, or together for several at once.
        key: The key.
        value: Its value; ``Absent`` where it is taken away.
        refusal: Why its schema alone refuses it; '' where that does not.
    """

    surface: str
    key: str
    value: Any
    refusal: str = ""

    @property
    def shown(self) -> str:
        """The value as judgements and the page write it."""
        return shown(self.value)


def shown(value: Any) -> str:
    """A value in one line: text as it is where YAML reads it as text, else JSON."""
    if value is Absent:
        return ABSENT
    if isinstance(value, str) and value and value[0].isalpha() and value not in WORDS:
        return value
    return json.dumps(value, ensure_ascii=False)


# Text that YAML does not read as text.
WORDS = {"true", "false", "yes", "no", "on", "off", "null", ABSENT}
