"""Edits of files that have exactly one right answer, keeping comments and formatting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gptoss.places import Place


@dataclass(frozen=True, slots=True)
class Edit:
    """One change of a YAML file.

    Attributes:
        place: Where the key (or the value of a list) to change begins.
        action: ``set`` its value, ``rename`` the key, ``remove`` it, or ``add`` a key beside it.
        text: The new value, key, or ``key: value``; unused for ``remove``.
    """

    place: Place
    action: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Fix:
    """Edits that together mend a finding."""

    edits: tuple[Edit, ...]
