"""Reads files of facts, and says in one message all that is wrong with one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import MISSING, fields
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import yaml

from gptoss.text import plain_yaml
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

T = TypeVar("T")


class Want(NamedTuple):
    """What a fact has to be.

    Attributes:
        told: In words.
        holds: Whether a value is so.
        optional: Whether it may be left out.
    """

    told: str
    holds: Callable[[Any], bool]
    optional: bool = False


Shape = Mapping[str, Want]
"""The keys of an entry."""


def one_of(*words: str) -> Want:
    """One of some words."""
    return Want(" or ".join(words), lambda value: value in words)


def at_least(least: int, unit: str = "") -> Want:
    """A whole number that is not below another."""
    told = f"a whole number{unit and ' of '}{unit} from {least:,} on"
    return Want(told, lambda value: type(value) is int and value >= least)


def texts(*known: str) -> Want:
    """A list of texts, which may have to be among some."""

    def holds(value: Any) -> bool:
        if not isinstance(value, list):
            return False
        return all(isinstance(item, str) and (not known or item in known) for item in value)

    return Want(f"a list of {' and '.join(known) or 'texts'}", holds)


def like(told: str, pattern: str) -> Want:
    """A text of a form."""
    form = re.compile(pattern)
    return Want(told, lambda value: isinstance(value, str) and form.fullmatch(value) is not None)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and value != ""


TEXT = Want("a text", _is_text)
WHOLE = at_least(1)
NUMBER = Want("a number", lambda value: type(value) in (int, float))
SWITCH = Want("true or false", lambda value: isinstance(value, bool))
FLAG = like("a flag such as --name", r"--[a-z][\w.-]*")
MAP = Want("a map", lambda value: isinstance(value, Mapping))
ANY = Want("anything", lambda _value: True, optional=True)


def faults(at: str, entry: Any, shape: Shape) -> Iterator[str]:
    """What is wrong with one entry of a file.

    Args:
        at: Where it stands, as in ``gpus.b300``; '' for the whole file.
        entry: The entry.
        shape: The keys it has to have.
    """
    where = f"{at}: " if at else ""
    if not isinstance(entry, Mapping):
        yield f"{where}it is {entry!r}, not a map"
        return
    for key, want in shape.items():
        if key not in entry:
            if not want.optional:
                yield f"{where}{key} is missing"
        elif not want.holds(entry[key]):
            yield f"{where}{key} is {entry[key]!r}, not {want.told}"
    for key in entry.keys() - shape.keys():
        close = get_close_matches(str(key), shape, n=1)
        yield f"{where}{key} is no key{f'; did you mean {close[0]}?' if close else ''}"


def refuse(file: str, found: Iterable[str]) -> None:
    """Stops where anything is wrong.

    Args:
        file: The file's name below the project's folder.
        found: What is wrong.

    Raises:
        InputError: There is something; the message has it all.
    """
    if told := [f"{file}: {fault}" for fault in found]:
        raise InputError(told[0], below=told[1:])


def read_facts(path: Path, file: str) -> dict[str, Any]:
    """A file of facts, which is a YAML map.

    Raises:
        InputError: It is missing, cannot be read, or is none.
    """
    try:
        loaded = plain_yaml.load(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise InputError(f"{file} is missing") from error
    except OSError as error:
        raise InputError(f"cannot read {file}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{file}: this is not UTF-8 text; save the file as UTF-8") from error
    except yaml.YAMLError as error:
        raise InputError(f"{file}: {' '.join(str(error).split())}") from error
    if not isinstance(loaded, dict):
        raise InputError(f"{file}: it is not a map")
    return loaded


def made(kind: Callable[..., T], facts: Mapping[str, Any], **own: Any) -> T:
    """A record of an entry whose keys are the names of the record's fields in camel case.

    A field with a default may be missing from the entry.

    Args:
        kind: The record, a dataclass.
        facts: The entry.
        own: Fields that are not so.
    """
    for field in fields(kind):  # type: ignore[arg-type]
        if field.name not in own:
            key = _camel(field.name)
            if key not in facts and field.default is not MISSING:
                continue
            value = facts[key]
            own[field.name] = tuple(value) if isinstance(value, list) else value
    return kind(**own)


def _camel(name: str) -> str:
    return re.sub(r"_(\w)", lambda match: match[1].upper(), name)
