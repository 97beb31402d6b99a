"""The project's own configuration: ``.gptoss.yaml``, or ``[tool.gptoss]`` in ``pyproject.toml``.

The nearest of the current folder and those above it counts, up to the top of the repository::

    ignore:                        # [tool.gptoss.ignore]
      M002: measured, it is faster # M002 = "measured, it is faster"
      K006:
        reason: the lab's nodes run nothing else
        path: values/lab-*.yaml    # or a list; * matches / too
"""

from __future__ import annotations

import fnmatch
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gptoss.text.bounds import OutsideError, found_file
from gptoss.text.errors import InputError
from gptoss.text.files import read_text
from gptoss.text.places import Place

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

YAML_NAME = ".gptoss.yaml"
TOML_NAME = "pyproject.toml"
SECTION = "tool.gptoss"
KEYS = ("ignore",)
IGNORE_KEYS = ("reason", "path")


@dataclass(frozen=True, slots=True)
class Ignore:
    """A rule that the project ignores.

    Attributes:
        rule: Identifier or name of the rule, as written.
        reason: Why; '' when none is given.
        paths: Patterns of files, relative to the configuration's folder; empty for everywhere.
        place: Where it stands in the configuration.
    """

    rule: str
    reason: str
    paths: tuple[str, ...]
    place: Place


@dataclass(frozen=True, slots=True)
class Config:
    """What a project configures.

    Attributes:
        ignores: Rules that it ignores.
        folder: The folder that patterns are relative to.
    """

    ignores: tuple[Ignore, ...] = ()
    folder: Path = field(default_factory=Path.cwd)

    def covers(self, ignore: Ignore, file: str) -> bool:
        """Whether an ignored rule is ignored in a file."""
        if not ignore.paths:
            return True
        path = os.path.relpath(os.path.join(Path.cwd(), file), self.folder)  # noqa: PTH118
        return any(fnmatch.fnmatchcase(Path(path).as_posix(), pattern) for pattern in ignore.paths)


def find_config(start: Path | None = None) -> Config:
    """The configuration that holds in a folder, the current one unless given.

    Raises:
        InputError: A configuration cannot be read or has something unknown in it.
    """
    start = (start or Path.cwd()).resolve()
    for path in config_files(start):
        if _configured(path):
            shown = os.path.relpath(path)
            found = config_in(read_text(path, shown), shown, path.parent)
            if found is not None:
                return found
    return Config(folder=start)


def config_files(start: Path) -> Iterator[Path]:
    """Where a configuration may stand that holds in a folder, the nearest first."""
    for folder in (start, *start.parents):
        yield from (folder / name for name in (YAML_NAME, TOML_NAME))
        if (folder / ".git").exists():
            return


def config_in(text: str, name: str, folder: Path) -> Config | None:
    """The configuration in the text of a file; None where a ``pyproject.toml`` has none.

    Args:
        text: Its text.
        name: What it is called.
        folder: The folder that patterns are relative to.

    Raises:
        InputError: It is no YAML or TOML, or has something unknown in it.
    """
    read = _from_yaml if Path(name).name == YAML_NAME else _from_toml
    return read(text, name, folder)


def _configured(path: Path) -> Path | None:
    """The file, when it is there.

    Raises:
        OutsideError: A ``.gptoss.yaml`` leads out; a ``pyproject.toml`` that does is none.
    """
    try:
        return found_file(path)
    except OutsideError:
        if path.name == YAML_NAME:
            raise
        return None


def _from_yaml(text: str, name: str, folder: Path) -> Config:
    from gptoss.text.yaml_tree import parse_documents

    documents = parse_documents(text, name)
    if len(documents) > 1:
        raise InputError("more than one YAML document; keep one", documents[1].place)
    tree = documents[0] if documents else None
    if tree is None or tree.value is None:
        return Config(folder=folder)
    places: dict[tuple[str, ...], Place] = {(): tree.place}
    for key, item in tree.items():
        places[(key,)] = item.where
        places |= {(key, rule): entry.where for rule, entry in item.items()}
    return _config(tree.plain(), folder, lambda *path: places.get(path, tree.place))


def _from_toml(text: str, name: str, folder: Path) -> Config | None:
    """The section of a ``pyproject.toml``; None when it has none."""
    if SECTION not in text:
        return None
    import tomllib

    try:
        section = tomllib.loads(text).get("tool", {}).get("gptoss")
    except ValueError as error:
        raise InputError(f"{name}: this is not valid TOML: {error}") from None
    except RecursionError:
        raise InputError(f"{name}: TOML nested too deep") from None
    if section is None:
        return None
    return _config(section, folder, lambda *path: _toml_place(text, name, path))


def _toml_place(text: str, name: str, path: tuple[str, ...]) -> Place:
    """Where a key stands in the section, which tomllib does not tell."""
    in_section = False
    last = re.escape(path[-1]) if path else ""
    written = re.compile(rf"""(\[.*[."'])?(?P<key>{last})["']?\s*(=|\.|\])""")
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("["):
            in_section = line.strip().strip("[] ").startswith(SECTION)
        found = written.search(line) if in_section else None
        if found:
            return Place(name, number, found.start("key") + 1)
    return Place(name)


def _config(data: Any, folder: Path, place: Callable[..., Place]) -> Config:
    _only(data, KEYS, "the configuration", lambda *path: place(*path))
    ignored = data.get("ignore") or {}
    if not isinstance(ignored, dict):
        raise InputError("ignore must be a map of rules to reasons", place("ignore"))
    ignores = (_ignore(str(k), v, place("ignore", str(k))) for k, v in ignored.items())
    return Config(tuple(ignores), folder)


def _ignore(rule: str, value: Any, place: Place) -> Ignore:
    if value is None or isinstance(value, str):
        return Ignore(rule, (value or "").strip(), (), place)
    _only(value, IGNORE_KEYS, f"ignore.{rule}", lambda *_: place)
    reason, path = value.get("reason") or "", value.get("path") or []
    paths = [path] if isinstance(path, str) else path
    strings = isinstance(paths, list) and all(isinstance(item, str) for item in paths)
    if not isinstance(reason, str) or not strings:
        raise InputError(f"ignore.{rule}: reason and path must be text", place)
    return Ignore(rule, reason.strip(), tuple(paths), place)


def _only(
    data: Any, keys: tuple[str, ...], what: str, place: Callable[..., Place]
) -> Mapping[str, Any]:
    """A map that has none but the keys that are known."""
    if not isinstance(data, dict):
        raise InputError(f"{what} must be a map with {' and '.join(keys)}", place())
    for key in data:
        if key not in keys:
            known = " and ".join(keys)
            raise InputError(f"{what} has no key {key}; it takes {known}", place(key))
    return data
