"""Single values laid over a target: Helm's ``--set`` and its relatives.

This module imports nothing heavy: Helm works on one core while Python imports its libraries on
the other.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from gptoss.text.places import Place

if TYPE_CHECKING:
    from collections.abc import Iterator

SET, SET_JSON, SET_STRING, SET_FILE = "--set", "--set-json", "--set-string", "--set-file"
STRENGTH = (SET_JSON, SET, SET_STRING, SET_FILE)
"""The flags in the order in which Helm applies them, whatever the order on the command line.

Source: helm v3.14 ``pkg/cli/values/options.go``.
"""

SEPARATOR = re.compile(r"(?<!\\),")


class SetArgument(NamedTuple):
    """One of these flags with what follows it.

    Attributes:
        flag: As in ``--set``.
        text: As in ``a.b=1,c=2``; of ``--set-json`` also a whole JSON object.
    """

    flag: str
    text: str

    @property
    def place(self) -> Place:
        """Where findings point."""
        return Place(f"{self.flag} {self.text}")

    @property
    def keys(self) -> list[str]:
        """The dotted values paths that it sets, with those of the maps that it sets."""
        if self.flag != SET_JSON:
            return [_plain(part.partition("=")[0]) for part in SEPARATOR.split(self.text)]
        return list(_json_keys(self.text))


def _json_keys(text: str) -> Iterator[str]:
    """The paths of ``{"a": {"b": 1}}``, or of ``a.b=1,c={"d": 2}``."""
    decoder, rest = json.JSONDecoder(), text.strip()
    while rest:
        key, found = "", re.match(r"([^={]*)=\s*", rest)
        if found:
            key, rest = _plain(found[1].strip()), rest[found.end() :]
        try:
            value, end = decoder.raw_decode(rest)
        except (ValueError, RecursionError):
            # Helm says what is wrong with it.
            yield from [key] if key else []
            return
        yield from _below(key, value)
        rest = rest[end:].lstrip().removeprefix(",").lstrip()


def _below(key: str, value: Any) -> Iterator[str]:
    if key:
        yield key
    for name, inner in value.items() if isinstance(value, dict) else ():
        yield from _below(f"{key}.{name}" if key else name, inner)


def _plain(path: str) -> str:
    """A path as values paths are written here: a dot inside a key is not told from others."""
    return path.replace("\\", "")
