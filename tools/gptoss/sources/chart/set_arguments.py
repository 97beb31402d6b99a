"""Single values laid over a target: Helm's ``--set`` and its relatives.

This module imports nothing heavy: Helm works on one core while Python imports its libraries on
the other.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from gptoss.text.places import Place
from gptoss.text.plain_json import load_first

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SET, SET_JSON, SET_STRING, SET_FILE = "--set", "--set-json", "--set-string", "--set-file"
STRENGTH = (SET_JSON, SET, SET_STRING, SET_FILE)
"""The flags in the order in which Helm applies them, whatever the order on the command line.

Source: helm v3.14 ``pkg/cli/values/options.go``.
"""

# One KEY=VALUE; commas inside {a,b} and behind a backslash belong to it.
ASSIGNMENT = re.compile(r"(?:\\.|\{[^}]*\}|[^,\\])+")
INDEX = re.compile(r"\[(\d+)\].*")


class SetArgument(NamedTuple):
    """One of these flags with what follows it.

    Attributes:
        flag: As in ``--set``.
        text: As in ``a.b=1,c=2``; of ``--set-json`` also a whole JSON object.
        written: Where it stands when it does not stand on the command line.
    """

    flag: str
    text: str
    written: Place | None = None

    @property
    def place(self) -> Place:
        """Where findings point."""
        return self.written or Place(f"{self.flag} {self.text}")

    @property
    def keys(self) -> list[str]:
        """The dotted values paths that it sets, with those of the maps that it sets."""
        if self.flag != SET_JSON:
            return [_plain(key) for key, _ in self.assignments()]
        return list(dict.fromkeys(key for key, _ in _json_values(self.text)))

    def texts(self, key: str, before: list[str]) -> list[str] | None:
        """What it sets a list of texts, or one text, at the top to; None when it sets neither.

        Args:
            key: Key at the top of the values.
            before: The list that ``key[0]=text`` changes.
        """
        if self.flag == SET_JSON:
            found = [value for path, value in _json_values(self.text) if path == key]
            return _texts(found[-1]) if found else None
        result = None
        for path, value in self.assignments() if self.flag != SET_FILE else ():
            index = INDEX.fullmatch(path.removeprefix(key)) if path.startswith(key) else None
            if path == key:
                inner = value[1:-1].split(",") if value.startswith("{") else [value]
                result = [text.strip() for text in inner if text.strip()]
            elif index:
                result = [*(before if result is None else result)]
                result[int(index[1]) : int(index[1]) + 1] = [value]
        return result

    def assignments(self) -> Iterator[tuple[str, str]]:
        """What it sets: each key as written, with its text; not of ``--set-json``."""
        for part in ASSIGNMENT.findall(self.text):
            key, _, value = part.partition("=")
            yield key.strip(), value


def texts_set(arguments: Iterable[SetArgument], key: str, before: list[str]) -> list[str]:
    """What arguments, the strongest last, make of a list of texts, or one text, at the top."""
    for argument in arguments:
        found = argument.texts(key, before)
        before = before if found is None else found
    return before


def _texts(value: Any) -> list[str]:
    return [str(text) for text in (value if isinstance(value, list) else [value]) if text]


def _json_values(text: str) -> Iterator[tuple[str, Any]]:
    """Paths and values of ``{"a": {"b": 1}}``, or of ``a.b=1,c={"d": 2}``."""
    rest = text.strip()
    while rest:
        key, found = "", re.match(r"([^={]*)=\s*", rest)
        if found:
            key, rest = _plain(found[1].strip()), rest[found.end() :]
        try:
            value, end = load_first(rest)
        except ValueError:
            # Helm says what is wrong with it.
            yield from [(key, None)] if key else []
            return
        yield from _below(key, value)
        rest = rest[end:].lstrip().removeprefix(",").lstrip()


def _below(key: str, value: Any) -> Iterator[tuple[str, Any]]:
    if key:
        yield key, value
    for name, inner in value.items() if isinstance(value, dict) else ():
        yield from _below(f"{key}.{name}" if key else name, inner)


def _plain(path: str) -> str:
    """A path as values paths are written here: up to a list, dots inside keys not told apart."""
    return path.replace("\\", "").partition("[")[0]
