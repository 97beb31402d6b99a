"""What a shell knows at one point of a script."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import TYPE_CHECKING, TypeVar

from gptoss.text.budget import Budget, Kind, purse
from gptoss.text.places import Located

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gptoss.text.shell.result import HereDocument


class More(Enum):
    """Whether there may be positional parameters beyond those known."""

    NONE = auto()
    CALLER = auto()  # the script's own, where its caller is taken to give no more
    UNKNOWN = auto()


@dataclass(slots=True)
class Variables:
    """The variables of a shell, and the files that it has written.

    Attributes:
        environment: Variables that the container was started with.
        arguments: Positional parameters, ``$0`` first.
        folder: The folder that the script is in; None where it is no file.
        values: Variables by name; None for a value that is not known.
        arrays: Arrays by name; None for one that is not known.
        exported: Variables that commands are given.
        files: Here-documents by the path that they were written to.
        assumed: Names of variables whose value the caller of the script may replace.
        more: Whether there are more positional parameters.
        blurred: Whether any variable may have been set, by what is not understood.
        assumptions: How often a value was used that the caller may replace.
        budget: What reading the script may spend.
    """

    environment: Mapping[str, str | None]
    arguments: list[str]
    folder: str | None = None
    values: dict[str, str | None] = field(default_factory=dict)
    arrays: dict[str, list[str] | None] = field(default_factory=dict)
    exported: dict[str, Located[str | None]] = field(default_factory=dict)
    files: dict[str, HereDocument] = field(default_factory=dict)
    assumed: set[str] = field(default_factory=set)
    more: More = More.CALLER
    blurred: bool = False
    assumptions: int = field(default=0, compare=False)
    budget: Budget = field(default_factory=purse, compare=False)

    def copy(self) -> Variables:
        """The same, to be changed on its own."""
        tables = (self.arguments, self.values, self.arrays, self.exported)
        self.budget.spend(Kind.VARIABLES, sum(map(len, tables)))
        return replace(
            self,
            arguments=list(self.arguments),
            values=dict(self.values),
            arrays=dict(self.arrays),
            exported=dict(self.exported),
            assumed=set(self.assumed),
        )

    def forget(self) -> None:
        """Notes that every variable may have changed."""
        self.budget.spend(Kind.VARIABLES, len(self.values) + len(self.exported))
        self.values = dict.fromkeys(self.values)
        self.arrays = dict.fromkeys(self.arrays)
        self.exported = {n: Located(None, e.place) for n, e in self.exported.items()}
        self.forget_arguments()
        self.blurred = True

    def forget_arguments(self) -> None:
        """Notes that the positional parameters are not known."""
        self.arguments = self.arguments[:1]
        self.more = More.UNKNOWN

    def look_up(self, name: str) -> tuple[bool, str | None]:
        """Whether a parameter is set, and its value where that is known."""
        if name.isdecimal():
            if len(name) < 4 and int(name) < len(self.arguments):
                return True, self.arguments[int(name)]
            return self.more is More.UNKNOWN, "" if self.more is More.NONE else None
        if name in self.values:
            return True, self.values[name]
        return self.blurred, None


def common(ends: Sequence[Variables]) -> Variables:
    """What is known whichever branch was taken."""
    first, *others = ends
    if not others:
        return first
    merged = first.copy()
    merged.values = _same([end.values for end in ends])
    merged.arrays = _same([end.arrays for end in ends])
    merged.files = _same_files(ends)
    merged.blurred = any(end.blurred for end in ends)
    merged.assumptions = max(end.assumptions for end in ends)
    merged.assumed = set().union(*(end.assumed for end in ends))
    if any((end.arguments, end.more) != (first.arguments, first.more) for end in others):
        merged.forget_arguments()
    exported = _same([end.exported for end in ends])
    unsure = {name for name, located in exported.items() if located is None}
    for end in ends:
        merged.exported |= {
            n: Located(None, end.exported[n].place) for n in unsure & {*end.exported}
        }
    return merged


V = TypeVar("V")


def _same(ends: Sequence[Mapping[str, V | None]]) -> dict[str, V | None]:
    """By name what all ends have; None where they differ."""
    first, *others = ends
    merged = dict(first)
    for end in others:
        if end == first:
            continue
        merged |= {name: None for name in merged if name not in end}
        merged |= {
            name: None for name, value in end.items() if name not in merged or merged[name] != value
        }
    return merged


def _same_files(ends: Sequence[Variables]) -> dict[str, HereDocument]:
    """The files of all ends; what stands in one that differs is not known."""
    first, *others = ends
    merged = first.files
    for end in others:
        if end.files is first.files:
            continue
        end.budget.spend(Kind.VARIABLES, len(end.files))
        merged = {
            path: d if end.files.get(path) == d else d.blurred() for path, d in merged.items()
        }
        for path, document in end.files.items():
            if first.files.get(path) != document:
                merged[path] = document.blurred()
    return merged
