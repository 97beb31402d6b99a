"""The house: rooms in the order of the map, arrows one way, one name for one file."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import gptoss

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = Path(gptoss.__file__).parent
TOOLS = PACKAGE.parent
MAP = re.findall(r"^    (\w+) {2,}\S", gptoss.__doc__ or "", re.MULTILINE)
MOST_LINES = 300
# Rooms that stand side by side: the model and its readers, ways in and out, a command and its work.
PARALLEL = (
    {"deployment", "sources", "importing", "rendering"},
    {"sources/chart", "sources/containers", "sources/kubernetes", "sources/truss", "sources/parts"},
    {"cli", "comparing", "showing", "rendering", "live", "benchmarking"},
)


class Import(NamedTuple):
    """A name that one module of the package takes from another."""

    file: str
    room: str
    of: str
    name: str


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def room(parts: tuple[str, ...]) -> str:
    """The room of a module by the parts of its name below the package; '' for the root."""
    return parts[0] if parts and (PACKAGE / parts[0]).is_dir() else ""


@cache
def imports() -> list[Import]:
    return [found for path in modules() for found in imports_of(path)]


def imports_of(path: Path) -> Iterator[Import]:
    here = path.relative_to(PACKAGE)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "gptoss":
            below = tuple((node.module or "").split(".")[1:])
            for name in node.names:
                of = room(below or (name.name,))
                yield Import(str(here), room(here.parts[:-1]), of, name.name)


def test_the_map_names_every_room_and_no_other() -> None:
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert sorted(MAP) == sorted(folders)


def test_at_most_three_modules_lie_at_the_root() -> None:
    assert len(list(PACKAGE.glob("*.py"))) <= 3


def test_a_room_takes_only_from_rooms_above_it_on_the_map() -> None:
    below = {name: number for number, name in enumerate(MAP)}
    wrong = [i for i in imports() if i.room and i.of and below[i.of] > below[i.room]]
    assert not wrong


def test_nothing_private_is_taken_from_another_room() -> None:
    private = [i for i in imports() if re.match(r"_[^_]", i.name) and i.of != i.room]
    assert not private


def test_no_module_is_longer_than_one_reads_at_once() -> None:
    lines = {path: len(path.read_text("utf-8").splitlines()) for path in TOOLS.rglob("*.py")}
    assert not {str(path): count for path, count in lines.items() if count > MOST_LINES}


def test_two_files_of_one_name_are_twins_in_parallel_rooms() -> None:
    places = defaultdict(list)
    for path in modules():
        if path.name not in ("__init__.py", "__main__.py"):
            places[path.name].append(path.relative_to(PACKAGE).parent.as_posix())
    same = [(n, a, b) for n, found in places.items() for a, b in combinations(found, 2)]
    assert not [(name, one, other) for name, one, other in same if not are_parallel(one, other)]


def are_parallel(one: str, other: str) -> bool:
    """Whether two rooms stand side by side, by themselves or by the rooms that they are in."""
    tops = {one.split("/")[0], other.split("/")[0]}
    return any({one, other} <= rooms or (len(tops) > 1 and tops <= rooms) for rooms in PARALLEL)


def test_everything_is_printed_through_one_place() -> None:
    """What goes around it could be obeyed by a terminal or a runner, or hold a secret."""
    prints = re.compile(r"\bclick\.s?echo\(|^\s*print\(|sys\.stdout\.write\(", re.MULTILINE)
    own_processes = ("live/shim", "live/mocker", "planning/steps/step_server.py")
    files = {path.relative_to(PACKAGE).as_posix(): path.read_text("utf-8") for path in modules()}
    found = [name for name, text in files.items() if prints.search(text)]
    assert [name for name in found if not name.startswith(own_processes)] == ["cli/printing.py"]


def test_all_json_that_is_printed_is_made_in_one_place() -> None:
    written = re.compile(r"json\.dumps\((?:[^()]|\([^()]*\))*indent=")
    files = {path.relative_to(PACKAGE).as_posix(): path.read_text("utf-8") for path in modules()}
    # What a rule says is the house's own, and the two others are files.
    others = {"reports/explain.py", "rendering/monitoring.py"}
    others |= {"planning/calibrating/kept_calibration.py", "text/as_json.py"}
    assert {name for name, text in files.items() if written.search(text)} == others
