"""Engine values in the types that the values schema asks for.

The engine converts leniently (1 for a switch, "8" for a number); the schema of the values does not,
so what the engine would read is written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

SWITCHED_ON = {"true", "yes", "on", "t", "y", "1"}


def as_read(field: Mapping[str, Any], value: Any) -> Any:
    """A value that the engine takes, as what it takes it for.

    Args:
        field: The field as the version has it (EngineSchema.reading).
        value: A value without fault.
    """
    kinds = field.get("type", "").split("|")
    names = [str(name) for name in field.get("enum_ci", ())]
    if isinstance(value, list):
        inner = next((k[5:-1] for k in kinds if k.startswith("list[")), "")
        return [_scalar([inner], item) for item in value] if inner else value
    read = _scalar(kinds, value)
    same = [name for name in names if name.lower() == str(read).lower()]
    return same[0] if same and isinstance(read, str) else read


def _scalar(kinds: list[str], value: Any) -> Any:
    if isinstance(value, dict) or value is None or any(_is(value, kind) for kind in kinds):
        return int(value) if isinstance(value, float) and "int" in kinds else value
    if "bool" in kinds:
        return str(value).lower() in SWITCHED_ON
    if "int" in kinds:
        return int(float(value))
    return float(value) if "float" in kinds else value


def _is(value: Any, kind: str) -> bool:
    """Whether a value is of a type without being converted."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    match kind:
        case "bool":
            return isinstance(value, bool)
        case "int":
            return is_number and value == int(value)
        case "float":
            return is_number
        case "str":
            return isinstance(value, str)
        case _:
            return False
