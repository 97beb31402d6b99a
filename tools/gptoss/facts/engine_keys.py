"""What the engine YAML may hold in one version of TensorRT-LLM (schema/engine/fields.yaml)."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from enum import Enum
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from gptoss.facts.versions import trtllm_number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gptoss.facts.world import Facts

BOUNDS = (
    "minimum",
    "maximum",
    "exclusive_minimum",
    "exclusive_maximum",
    "min_items",
    "pattern",
    "increasing",
    "sum",
    "default",
)
LISTS = ("enum", "enum_ci", "tolerated_ci")

# The plain entry of a field is a reading of this version, or of the first one that has the field.
PLAIN = "1.3.0rc14"


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
    def defaults(self) -> dict[str, Any]:
        """Default of each field here; where two may hold, that of the fields' plain reading."""
        fields = self.facts["fields"].items()
        return {path: self.reading(f).get("default", f.get("default")) for path, f in fields}

    def is_certain(self, path: str) -> bool:
        """Whether what is said of a field was read in this version, or before and after it."""
        bracket = self.facts["bracket"]
        first, last = (trtllm_number(bracket[end]) for end in ("from", "to"))
        between = first <= trtllm_number(self.version) <= last
        return self.is_exact or (between and path.split(".")[0] not in bracket["but"])

    @property
    def may_have_more(self) -> bool:
        """Whether this version is newer than the sources that were read."""
        return bool(self.facts["versions"].get(self.version, {}).get("may_have_more"))

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

    def validates(self, validator: str) -> bool:
        """Whether a condition of validators.yaml was read in this version."""
        return self.version in self.facts["validators"][validator]

    def is_deprecated(self, field: Mapping[str, Any]) -> bool:
        """Whether this version is known to speak of a field as deprecated."""
        return "deprecated" in field and not self._is_before(field["deprecated"])

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

    def reading(self, field: Mapping[str, Any]) -> dict[str, Any]:
        """A field as this version has it; where two readings may hold, what either allows."""
        plain = {key: value for key, value in field.items() if key != "changes"}
        changes = field.get("changes", ())
        if not changes or self.is_exact:
            return plain
        older: list[tuple[tuple[int, ...], dict[str, Any]]] = []
        newer: list[tuple[tuple[int, ...], dict[str, Any]]] = []
        for change in changes:
            read = {k: v for k, v in {**plain, **change}.items() if v is not None or k == "default"}
            if self._is_before(change.get("since")):
                newer.append((trtllm_number(change["since"]), read))
            elif self._is_after(change.get("until")):
                older.append((trtllm_number(change["until"]), read))
            else:
                return read
        anchor = trtllm_number(self._anchor(field))
        (newer if anchor > trtllm_number(self.version) else older).append((anchor, plain))
        nearest = [max(older, key=_rank_of)[1]] if older else []
        nearest += [min(newer, key=_rank_of)[1]] if newer else []
        return nearest[0] if len(nearest) == 1 else either(*nearest)

    def value_history(self, field: Mapping[str, Any], value: Any) -> str | None:
        """Which versions take a value that this one does not, or None when no version does."""
        readings = [{"since": self._anchor(field), "until": self._anchor(field), **_lists(field)}]
        readings += field.get("changes", ())
        taking = [r for r in readings if value in (r.get("enum") or r.get("enum_ci") or ())]
        if not taking or isinstance(value, list | dict):
            return None
        if later := [r["since"] for r in taking if self._is_before(r.get("since"))]:
            return f"{value} came with TensorRT-LLM {min(later, key=trtllm_number)}"
        gone = [r["until"] for r in taking if self._is_after(r.get("until"))]
        return f"{value} was last read in {max(gone, key=trtllm_number)}" if gone else None

    def lifetime(self, field: Mapping[str, Any]) -> str:
        """The versions that have a field, in words."""
        since, until = field.get("since"), field.get("until")
        begins = f"since {since}" if since else f"since {self.facts['oldest']} or before"
        if since and field.get("absent_until"):
            begins += f" (not yet in {field['absent_until']})"
        ends = f" until {until}" if until else ""
        if field.get("absent_from"):
            ends += f", gone in {field['absent_from']}"
        return begins + ends

    def suggestion(self, path: str) -> str:
        """What to write instead of a key that is no field here."""
        field = self.field(path)
        stale = self.facts["stale_keys"].get(path)
        if stale is not None and (field is None or self._is_after(field.get("until"))):
            return self._stale_hint(stale)
        if field is not None:
            return self._version_hint(path, field)
        block, _, name = path.rpartition(".")
        present = [p for p, f in self.facts["fields"].items() if self.life(f) is not Life.ABSENT]
        siblings = {p.rpartition(".")[2]: p for p in present if p.rpartition(".")[0] == block}
        if name.lower() in siblings:
            return f"write {name.lower()}"
        elsewhere = [p for p in present if p.rpartition(".")[2] == name]
        if elsewhere:
            return f"write {_joined(elsewhere[:2])}"
        close = get_close_matches(name.replace("-", "_").lower(), siblings, n=1, cutoff=0.6)
        return f"write {close[0]}" if close else "remove it"

    def has(self, path: str) -> bool:
        """Whether this version has a field for certain."""
        field = self.field(path)
        return field is not None and self.life(field) is Life.PRESENT

    def _version_hint(self, path: str, field: Mapping[str, Any]) -> str:
        if self._is_before(field.get("since")):
            came = f"{path} came with TensorRT-LLM {field['since']}"
            old = field.get("renamed_from")
            if old and self.has(old):
                return f"write {old}, as it was called before {field['since']}"
            return f"remove it: {came}"
        gone = f"gone from TensorRT-LLM {field.get('absent_from', 'since')}"
        new = field.get("renamed_to") or field.get("use_instead")
        return f"write {new}: {path} is {gone}" if new else f"remove it: {path} is {gone}"

    def _stale_hint(self, stale: Mapping[str, Any]) -> str:
        use = stale.get("use")
        if not use:
            return f"remove it: {stale['why']}"
        named = _joined([use] if isinstance(use, str) else use)
        inverted = " with the opposite value" if stale.get("inverted") else ""
        return f"write {named}{inverted} ({stale['why']})"

    def _anchor(self, field: Mapping[str, Any]) -> str:
        since: str = field.get("since", PLAIN)
        return since if trtllm_number(since) > trtllm_number(PLAIN) else PLAIN

    def _is_before(self, version: str | None) -> bool:
        return version is not None and trtllm_number(self.version) < trtllm_number(version)

    def _is_after(self, version: str | None) -> bool:
        return version is not None and trtllm_number(self.version) > trtllm_number(version)


@cache
def schema_for(facts: Facts, version: str) -> EngineSchema:
    """The schema of a version of TensorRT-LLM."""
    return EngineSchema(version, facts.engine)


def either(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """A field that allows what one of two readings allows."""
    merged = {k: v for k, v in one.items() if k not in BOUNDS or other.get(k) == v}
    for key in LISTS:
        merged.pop(key, None)
        if key in one and key in other:
            merged[key] = list(dict.fromkeys([*one[key], *other[key]]))
    kinds = [*one["type"].split("|"), *other["type"].split("|")]
    merged["type"] = "|".join(dict.fromkeys(kinds))
    merged["nullable"] = bool(one.get("nullable") or other.get("nullable"))
    return merged


def _lists(field: Mapping[str, Any]) -> dict[str, Any]:
    return {key: field[key] for key in LISTS if key in field}


def _rank_of(ranked: tuple[tuple[int, ...], dict[str, Any]]) -> tuple[int, ...]:
    return ranked[0]


def _joined(words: list[str]) -> str:
    return " or ".join(words) if len(words) < 3 else f"{', '.join(words[:-1])} or {words[-1]}"
