"""What is carried over from another chart's values, and what is said of the rest."""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import cache
from typing import TYPE_CHECKING, Any

from gptoss.importing.context import Note, Outcome, leaf
from gptoss.importing.document import Block, Leaf, put
from gptoss.values.contract import Values

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gptoss.facts.world import Facts, Gpu, Release
    from gptoss.text.places import Place
    from gptoss.text.yaml_tree import Tree

NO_LIKE = "the chart has no like of it"


class Carrying:
    """Values of another chart while they are carried over.

    Attributes:
        tree: The other chart's values.
        facts: Facts.
        release: The release that the new values are for.
        gpu: The kind of GPU that is asked for; None where the values have to tell it.
        values: What is carried over so far.
        notes: What was not carried over as it stands, so far.
    """

    def __init__(self, tree: Tree, facts: Facts, release: Release, gpu: Gpu | None) -> None:
        self.tree = tree
        self.facts = facts
        self.release = release
        self.gpu = gpu
        self.values: Block = {}
        self.notes: list[Note] = []
        self._done: set[int] = set()

    def carry(self, tree: Tree | None, to: str, value: Any = None) -> None:
        """Puts a value of theirs at a path of ours; one that says nothing is left alone.

        Args:
            tree: The value; None where there is none.
            to: Dotted path in the chart's values. A key that the chart does not have is left to
                the report.
            value: What to put in its place.
        """
        if tree is None or says_nothing(tree) or not has_key(to):
            return
        self.done(tree)
        put(self.values, to, leaf(tree.plain() if value is None else value, tree.where))

    def carry_all(self, tree: Tree | None, rows: Mapping[str, str], below: str = "") -> None:
        """Puts what stands under dotted paths of a map at paths of ours below another."""
        if tree is not None:
            for path, to in rows.items():
                self.carry(tree.at(*path.split(".")), f"{below}{to}")

    def choose(self, to: str, value: Any, why: str = "") -> None:
        """Puts a value that they do not have."""
        put(self.values, to, Leaf(value, why))

    def done(self, *trees: Tree | None) -> None:
        """Says that values, with all below them, need no word in the report."""
        self._done.update(id(tree) for tree in trees if tree is not None)

    def left_out(self, message: str, at: Tree | Place) -> None:
        """Notes that something is not carried over."""
        self._note(Outcome.LEFT_OUT, message, at)

    def mended(self, message: str, at: Tree | Place) -> None:
        """Notes that something is carried over in another form."""
        self._note(Outcome.MENDED, message, at)

    def chosen(self, message: str, at: Tree | Place | None = None) -> None:
        """Notes that something had to be chosen."""
        self._note(Outcome.CHOSEN, message, at)

    def rest(self, reasons: Mapping[str, str]) -> None:
        """Notes everything that nothing was said of yet.

        Args:
            reasons: Why it is left out, by pattern of its path.
        """
        for path, tree in self._rest(self.tree, ""):
            fitting = (why for pattern, why in reasons.items() if fnmatchcase(path, pattern))
            self.left_out(f"{path}: {next(fitting, NO_LIKE)}", tree)

    def _note(self, kind: Outcome, message: str, at: Tree | Place | None) -> None:
        place = at if at is None or isinstance(at, tuple) else at.where
        if not isinstance(at, tuple):
            self.done(at)
        if all((note.kind, note.message) != (kind, message) for note in self.notes):
            self.notes.append(Note(kind, message, place))

    def _rest(self, tree: Tree, path: str) -> Iterator[tuple[str, Tree]]:
        if id(tree) in self._done or says_nothing(tree):
            return
        if path and not self._begun(tree):
            yield path, tree
            return
        for key, inner in tree.items():
            yield from self._rest(inner, f"{path}.{key}".lstrip("."))
        for number, inner in enumerate(tree.elements()):
            yield from self._rest(inner, f"{path}[{number}]")

    def _begun(self, tree: Tree) -> bool:
        """Whether anything below a value was carried over or spoken of."""
        inner = [*(each for _, each in tree.items()), *tree.elements()]
        return any(id(each) in self._done or self._begun(each) for each in inner)


def says_nothing(tree: Tree) -> bool:
    """Whether a value is empty or off, or a map of which the same is true or which is off."""
    if tree.is_container:
        switch = tree.at("enabled")
        if switch is not None and switch.value is False:
            return True
        inner = [*(each for _, each in tree.items()), *tree.elements()]
        return all(map(says_nothing, inner))
    return tree.value is None or tree.value is False or tree.value == ""


def in_order(values: Block) -> Block:
    """The values in the order of the chart's own."""
    order = list(_schema()["properties"])
    return {key: values[key] for key in sorted(values, key=order.index)}


def has_key(path: str) -> bool:
    """Whether the chart's values have a dotted path; names of workers are free."""
    schemas = [_schema()]
    for step in path.split("."):
        options = [option for schema in schemas for option in _options(schema)]
        below = [option.get("properties", {}).get(step) for option in options]
        below += [option.get("additionalProperties") for option in options]
        below += [{} for option in options if "x-engine" in option]
        schemas = [found for found in below if isinstance(found, dict)]
        if any(option.get("additionalProperties") is True for option in options):
            return True
    return bool(schemas)


def _options(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for option in schema.get("anyOf", [schema]):
        reference = option.get("$ref", "")
        yield _schema()["$defs"][reference.rpartition("/")[2]] if reference else option


@cache
def _schema() -> dict[str, Any]:
    return Values.model_json_schema(by_alias=True)
