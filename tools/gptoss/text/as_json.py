"""What is printed as JSON: whole, valid for every reader, and without secrets."""

from __future__ import annotations

import base64
import json
import math
import re
from datetime import date, datetime, time
from typing import TYPE_CHECKING, Any

from gptoss.text.printable import ESCAPED
from gptoss.text.secrets import (
    is_secret,
    shown,
    text_without_secrets,
    without_secrets,
    words_without_secrets,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

# Terminals obey the first and the runners of GitHub the second wherever they stand in a line.
OBEYED = re.compile(rf"{ESCAPED.pattern}|##(?=\[)")


class Own(str):
    """Text of this project, in which nothing is hidden."""

    __slots__ = ()


def json_text(data: object) -> str:
    """Data as JSON for programs, with what is secret hidden, by its name too.

    Numbers that JSON does not have, dates and bytes are texts, as YAML writes them. What a terminal
    or a log would obey is escaped, so that it reads as the same.
    """
    text = json.dumps(_plain(data), indent=2, ensure_ascii=False, allow_nan=False)
    return OBEYED.sub(lambda found: found[0] if found[0] == "\n" else _escaped(found[0]), text)


def json_line(value: object) -> str:
    """A value as JSON on one line, likewise."""
    return json.dumps(_plain(value), ensure_ascii=False, allow_nan=False)


def safe(name: str, value: object) -> object:
    """A value of this name with what is secret hidden where it is a text, as data for JSON."""
    return shown(name, value) if isinstance(value, str) else value


def holds_secret(name: str, value: object) -> bool:
    """Whether something is hidden of a value of this name, at any depth."""
    if isinstance(value, str):
        return is_secret(name, value)
    return isinstance(value, dict | list) and _plain(value) != value


def _escaped(text: str) -> str:
    return "".join(f"\\u{ord(character):04x}" for character in text)


def _plain(value: Any) -> Any:
    """A value as JSON has it, with what is secret in it hidden."""
    if isinstance(value, Own):
        return value
    if isinstance(value, str):
        return without_secrets(value)
    if isinstance(value, dict):
        return _map(value)
    if isinstance(value, list | tuple):
        words = list(value)
        if words and all(isinstance(word, str) for word in words):
            return [_plain(word) for word in words_without_secrets(words)]
        return [_plain(item) for item in words]
    if isinstance(value, float) and not math.isfinite(value):
        return ".nan" if math.isnan(value) else ".inf" if value > 0 else "-.inf"
    if isinstance(value, date | datetime | time):
        return value.isoformat()
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return value if value is None or isinstance(value, int | float) else str(value)


def _map(value: Mapping[Any, Any]) -> dict[str, Any]:
    named = value.get("name")
    found = {}
    for key, item in value.items():
        name = str(_plain(key))
        if isinstance(item, str) and not isinstance(item, Own):
            own = shown(str(named), item) if key == "value" and isinstance(named, str) else item
            # A file that is shown whole; other texts are sentences.
            item = text_without_secrets(own) if name == "values" else shown(name, own)
        found[name] = _plain(item)
    return found
