"""Assignments and declarations of a script."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING, Any

from gptoss.text.aligned import Aligned
from gptoss.text.budget import Kind
from gptoss.text.places import Located, Place
from gptoss.text.shell import braces
from gptoss.text.shell.expansion import joined, words
from gptoss.text.shell.flow import Status
from gptoss.text.shell.loops import LoopWalker
from gptoss.text.shell.parts import Arithmetic, Substitution, Text, Word
from gptoss.text.shell.resolved import is_resolved
from gptoss.text.shell.syntax import assigned, element

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gptoss.text.shell.nodes import Array
    from gptoss.text.shell.variables import Variables
    from gptoss.text.yaml_tree import Tree

DECLARATIONS = ("export", "local", "declare", "typeset", "readonly")
LOCAL = ("local", "declare", "typeset")
MAX_ELEMENTS = 500
# Attributes that change what is assigned: references, integers, cases, maps.
ODD_ATTRIBUTES = set("niluA")


class Assigner(LoopWalker):
    """A walker that knows assignments.

    Attributes:
        exports: Variables that the script gives to any command.
        hidden: What the local variables of the function hide.
    """

    def __init__(self, script: Tree, variables: Variables) -> None:
        super().__init__(variables)
        self.exports: dict[str, Located[str | None]] = {}
        self.hidden: dict[str, list[dict[str, Any]]] | None = None
        self.script = script
        self._aligned = Aligned(str(script.value), script.place)
        self._lines = [0, *(match.end() for match in re.finditer("\n", str(script.value)))]

    def assign(self, word: Word, *, export: bool = False) -> None:
        """Makes an assignment; what an element of an array becomes is not followed."""
        match, variables = assigned(word), self.variables
        if match is None or match.group(2):
            name = match.group(1) if match else element(word)
            variables.values[name] = variables.arrays[name] = None
            return
        name, _, operator, first = match.groups()
        before = variables.assumptions
        value: str | None = joined((Text(first, quoted=True), *word.parts[1:]), variables)
        if operator == "+=":
            old = variables.values.get(name, "" if not variables.blurred else None)
            is_listed = name in variables.arrays
            value = None if old is None or is_listed else f"{old}{value}"
        if name in variables.arrays:
            variables.arrays[name] = None
        variables.values[name] = value
        is_assumed = variables.assumptions > before
        (variables.assumed.add if is_assumed else variables.assumed.discard)(name)
        if export or name in variables.environment or name in variables.exported:
            self.export(name, value, word)

    def export(self, name: str, value: str | None, word: Word) -> None:
        """Gives a variable to the commands that follow."""
        known = value if value is not None and is_resolved(value) else None
        located = Located(known, self.place(word.start))
        self.variables.exported[name] = located
        given = self.exports.get(name)
        if self.choices and given is not None and given.value != known:
            located = Located(None, located.place)
        self.exports[name] = located

    def environment(self) -> dict[str, Located[str | None]]:
        """The variables that a command is given here."""
        self.variables.budget.spend(Kind.VARIABLES, len(self.variables.exported))
        given: dict[str, Located[str | None]] = {}
        for name, located in self.variables.exported.items():
            value = self.variables.values.get(name)
            known = value if value is not None and is_resolved(value) else None
            given[name] = located if known == located.value else Located(known, located.place)
        return given

    def assign_array(self, array: Array, declared: str) -> None:
        """Makes an assignment of words in parentheses."""
        variables = self.variables
        if declared in LOCAL:
            self.hide(array.name)
        texts: list[str] = []
        whole = not any(word.literal.startswith("[") for word in array.words)
        for word in array.words:
            found, sure = words(word, variables)
            texts += found
            whole &= sure
        variables.budget.spend(Kind.WORDS, len(array.words) + len(texts))
        old = variables.arrays.get(array.name, None if array.name in variables.values else [])
        if array.appends:
            texts = [*(old or []), *texts]
            whole &= old is not None and not variables.blurred
        variables.values[array.name] = None
        variables.arrays[array.name] = texts if whole and len(texts) <= MAX_ELEMENTS else None

    def declare(self, how: str, declared: Sequence[Word]) -> Status:
        """``export``, ``local`` and their like."""
        attributes: set[str] = set()
        for word in (one for written in declared for one in self._each(written)):
            match = assigned(word)
            name = match.group(1) if match else word.literal
            if name.startswith(("-", "+")) or not name:
                attributes |= set(name)
                self._declare_unknown(name, word)
                continue
            if how == "export" and "n" in attributes:
                self.variables.exported.pop(name, None)
                continue
            if how in LOCAL and "g" not in attributes:
                self.hide(name)
            exports = how == "export" or "x" in attributes
            values = self.variables.values
            if match:
                self.assign(word, export=exports)
            elif exports and name in values:
                self.export(name, values[name], word)
            elif exports:
                place = self.place(word.start)
                self.variables.exported.setdefault(name, Located(None, place))
            elif how in LOCAL and name not in self.variables.arrays:
                values[name] = None
            if attributes & ODD_ATTRIBUTES:
                values[name] = None
        return Status.LIKELY

    def _each(self, word: Word) -> list[Word]:
        return braces.expanded(word, self.variables.budget)

    def _declare_unknown(self, name: str, word: Word) -> None:
        """Forgets everything where it is not known what is declared."""
        if not name and not all(isinstance(part, Text) for part in word.parts):
            self.variables.forget()

    def hide(self, name: str) -> None:
        """Notes what a local variable hides."""
        if self.hidden is not None and name not in self.hidden:
            variables = self.variables
            tables: list[dict[str, Any]] = [variables.values, variables.arrays, variables.exported]
            self.hidden[name] = [{name: t[name]} if name in t else {} for t in tables]

    def uncover(self) -> None:
        """Gives what local variables hide its values back."""
        variables = self.variables
        tables: list[dict[str, Any]] = [variables.values, variables.arrays, variables.exported]
        for name, hidden in (self.hidden or {}).items():
            for table, before in zip(tables, hidden, strict=True):
                table.pop(name, None)
                table.update(before)

    def place(self, offset: int) -> Place:
        """Where an offset of the script stands in the file."""
        start, indent = self.script.place, self.script.indent
        if indent is None:
            return self._aligned.place(offset)
        line = bisect_right(self._lines, offset) - 1
        return Place(start.file, start.line + 1 + line, 1 + indent + offset - self._lines[line])


def runs_something(word: Word) -> bool:
    """Whether a word runs a command, which may fail."""
    return any(isinstance(part, Substitution | Arithmetic) for part in word.parts)
