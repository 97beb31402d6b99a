"""What the engine YAML may hold in one version of TensorRT-LLM (schema/engine/fields.yaml)."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from enum import Enum
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gptoss.facts import Facts

LIMITS = (
    "enum",
    "enum_ci",
    "minimum",
    "maximum",
    "exclusive_minimum",
    "exclusive_maximum",
    "min_items",
)


class Life(Enum):
    """Whether a field exists in a version."""

    PRESENT = "present"
    ABSENT = "absent"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class EngineSchema:
    """The fields of the engine YAML in one version.

    Attributes:
        version: Version of TensorRT-LLM.
        facts: Contents of schema/engine/fields.json.
    """

    version: str
    facts: Mapping[str, Any]

    @property
    def is_exact(self) -> bool:
        """Whether the source of this version was read in full."""
        return bool(self.facts["versions"].get(self.version, {}).get("basis") == "read")

    @cached_property
    def names(self) -> dict[str, str]:
        """Field by each spelling, aliases too."""
        names = {path: path for path in self.facts["fields"]}
        for path, field in self.facts["fields"].items():
            block = path.rpartition(".")[0]
            for alias in field.get("aliases", ()):
                names[f"{block}.{alias}" if block else alias] = path
        return names

    def field(self, path: str) -> dict[str, Any] | None:
        """What is known about a field, or None when no version has it."""
        name = self.names.get(path)
        found: dict[str, Any] | None = self.facts["fields"][name] if name else None
        return found

    def life(self, field: Mapping[str, Any]) -> Life:
        """Whether a field exists in this version."""
        if self._is_before(field.get("since")):
            known = not self._is_after(field.get("absent_until"))
            return Life.ABSENT if known else Life.UNDECIDED
        if self._is_after(field.get("until")):
            known = not self._is_before(field.get("absent_from"))
            return Life.ABSENT if known and "absent_from" in field else Life.UNDECIDED
        return Life.PRESENT

    def unknown(self, path: str) -> tuple[str, Life] | None:
        """The shortest part of a path that is no field here, with whether that is certain."""
        parts = path.split(".")
        for depth in range(1, len(parts) + 1):
            prefix = ".".join(parts[:depth])
            field = self.field(prefix)
            if field is None:
                return prefix, Life.ABSENT
            life = self.life(field)
            if life is not Life.PRESENT:
                return prefix, life
            if field.get("open") or field["type"].startswith(("map", "object")):
                return None
        return None

    def limits(self, field: Mapping[str, Any]) -> dict[str, Any]:
        """Enumeration and bounds that hold in this version; left out where they are not known."""
        limits = {key: field[key] for key in LIMITS if field.get(key) is not None}
        changes = field.get("changes", ())
        if not changes or self.is_exact:
            return limits
        for change in changes:
            if not self._is_before(change.get("since")) and not self._is_after(change.get("until")):
                merged = {**limits, **{k: v for k, v in change.items() if k in LIMITS}}
                return {key: value for key, value in merged.items() if value is not None}
        return {}

    def suggestion(self, path: str) -> str:
        """What to write instead of a key that is no field here."""
        stale = self.facts["stale_keys"].get(path)
        if stale is not None:
            return _stale_hint(stale)
        field = self.field(path)
        if field is not None:
            return self._version_hint(path, field)
        block, _, name = path.rpartition(".")
        present = [p for p, f in self.facts["fields"].items() if self.life(f) is Life.PRESENT]
        siblings = {p.rpartition(".")[2]: p for p in present if p.rpartition(".")[0] == block}
        elsewhere = [p for p in present if p.rpartition(".")[2] == name]
        if elsewhere:
            return f"write {_joined(elsewhere[:2])}"
        close = get_close_matches(name, siblings, n=1, cutoff=0.6)
        return f"write {close[0]}" if close else "remove it"

    def _version_hint(self, path: str, field: Mapping[str, Any]) -> str:
        if new := field.get("renamed_to") or field.get("use_instead"):
            return f"write {new}"
        if self._is_before(field.get("since")):
            return f"remove it: {path} came with TensorRT-LLM {field['since']}"
        return f"remove it: {path} is gone from TensorRT-LLM {field.get('absent_from', 'since')}"

    def _is_before(self, version: str | None) -> bool:
        return version is not None and self._rank(self.version) < self._rank(version)

    def _is_after(self, version: str | None) -> bool:
        return version is not None and self._rank(self.version) > self._rank(version)

    def _rank(self, version: str) -> int:
        order = self.facts["version_order"]
        return order.index(version) if version in order else len(order)


@cache
def schema_for(facts: Facts, version: str) -> EngineSchema:
    """The schema of a version of TensorRT-LLM."""
    return EngineSchema(version, facts.engine)


def _stale_hint(stale: Mapping[str, Any]) -> str:
    use = stale.get("use")
    if not use:
        return f"remove it: {stale['why']}"
    named = _joined([use] if isinstance(use, str) else use)
    inverted = " with the opposite value" if stale.get("inverted") else ""
    return f"write {named}{inverted} ({stale['why']})"


def _joined(words: list[str]) -> str:
    return " or ".join(words) if len(words) < 3 else f"{', '.join(words[:-1])} or {words[-1]}"
