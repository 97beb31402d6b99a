"""Small changes of rendered manifests, one line each."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gptoss.text.yaml_tree import parse_documents, parse_embedded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gptoss.text.yaml_tree import Tree

KINDS = (
    "removed",
    "misspelt key",
    "misspelt value",
    "repeated",
    "doubled",
    "negative",
    "wrong type",
    "wrong case of key",
    "wrong case of value",
    "swapped between roles",
)
ROLES = ("prefill", "decode")
CHANGED = ("ConfigMap", "DynamoGraphDeployment", "Job", "PersistentVolumeClaim")
LINE = re.compile(r"(?P<head>\s*(?:- )*)(?:(?P<key>[\w./-]+):(?: |$))?(?P<value>.*)")

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Leaf:
    """A scalar that stands on one line.

    Attributes:
        path: Where in the document; an engine YAML continues the path of its ConfigMap.
        line: Its line, from 1.
        value: Its value.
    """

    path: Path
    line: int
    value: Any


@dataclass(frozen=True, slots=True)
class Mutant:
    """A target with one line changed.

    Attributes:
        target: The target.
        kind: What was done.
        key: The path that was changed, without the parts that differ between workers.
        line: The line, from 1.
        new: The new lines; empty when the line is removed.
    """

    target: str
    kind: str
    key: str
    line: int
    new: tuple[str, ...]

    def apply(self, text: str) -> str:
        """The text with the change."""
        lines = text.split("\n")
        lines[self.line - 1 : self.line] = self.new
        return "\n".join(lines)


def mutants_of(target: str, text: str) -> Iterator[Mutant]:
    """Every mutant of a rendered target."""
    lines = text.split("\n")
    for document in parse_documents(text, target):
        if document.text("kind") not in CHANGED:
            continue
        leaves = {leaf.path: leaf for leaf in leaves_of(document) if "\n" not in str(leaf.value)}
        for leaf in leaves.values():
            for kind, new in changes(lines[leaf.line - 1], leaf, leaves):
                if new != [lines[leaf.line - 1]]:
                    yield Mutant(target, kind, _shape(document, leaf), leaf.line, tuple(new))


def leaves_of(tree: Tree, path: Path = ()) -> Iterator[Leaf]:
    """The scalars of a document, those of engine YAML in a ConfigMap too; scripts are left out."""
    for name, value in tree.items():
        is_engine = path == ("data",) and name.endswith(".yaml")
        inside = parse_embedded(value) if is_engine else value
        if inside is not None and not name.endswith((".py", ".jinja")):
            yield from leaves_of(inside, (*path, name))
    for number, element in enumerate(tree.elements()):
        yield from leaves_of(element, (*path, number))
    if not tree.is_container and tree.value is not None:
        yield Leaf(path, tree.where.line, tree.value)


def changes(line: str, leaf: Leaf, leaves: dict[Path, Leaf]) -> Iterator[tuple[str, list[str]]]:
    """Kinds of change with the lines that they leave."""
    match = LINE.fullmatch(line)
    if match is None or (match["key"] is None and isinstance(leaf.path[-1], str)):
        return
    head, key, value = match["head"], match["key"], match["value"]
    before = f"{head}{key}: " if key else head
    starts_item = head.rstrip().endswith("-")
    yield "removed", [head.rstrip()] if starts_item and key else []
    if key:
        yield "misspelt key", [f"{head}{_misspelt(key)}: {value}"]
        yield "wrong case of key", [f"{head}{_other_case(key)}: {value}"]
    if not starts_item or not key:
        yield "repeated", [line, line]
    for kind, change in VALUES.items():
        changed = change(leaf.value, value)
        if changed is not None:
            yield kind, [f"{before}{changed}"]
    other = leaves.get(_other_role(leaf.path))
    if other is not None and other is not leaf and other.value != leaf.value:
        yield "swapped between roles", [f"{before}{_written(other.value)}"]


def _shape(document: Tree, leaf: Leaf) -> str:
    names = [
        "*" if isinstance(step, int) else re.sub(f"^({'|'.join(ROLES)}|worker)\\b", "WORKER", step)
        for step in leaf.path
    ]
    flag = f" {leaf.value}" if str(leaf.value).startswith("--") else ""
    return f"{document.text('kind')} {'.'.join(names)}{flag}"


def _other_role(path: Path) -> Path:
    """The same path in the other worker."""
    swap = {"prefill": "decode", "decode": "prefill"}
    swap |= {f"{role}.yaml": f"{other}.yaml" for role, other in swap.items()}
    return tuple(swap.get(step, step) if isinstance(step, str) else step for step in path)


def _misspelt(word: str) -> str:
    """A word of which one letter in the middle is left out."""
    middle = len(word) // 2
    return word[:middle] + word[middle + 1 :] if len(word) > 3 else word + word[-1]


def _other_case(word: str) -> str:
    return word[0].swapcase() + word[1:]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _digits(value: Any) -> bool:
    return isinstance(value, str) and value.isdecimal()


def _negative(value: Any, _: str) -> str | None:
    if _digits(value):
        return f'"-{value}"'
    return f"-{value}" if _is_number(value) and value > 0 else None


def _doubled(value: Any, _: str) -> str | None:
    if _digits(value):
        return f'"{2 * int(value)}"'
    return str(2 * value) if _is_number(value) else None


def _wrong_type(value: Any, _: str) -> str:
    if _digits(value):
        return "many"
    return "many" if _is_number(value) or isinstance(value, bool) else "[1]"


def _word(change: Callable[[str], str]) -> Callable[[Any, str], str | None]:
    def changed(value: Any, _: str) -> str | None:
        is_word = isinstance(value, str) and re.fullmatch(r"-*[A-Za-z][\w-]+", value)
        return change(value) if is_word else None

    return changed


def _written(value: Any) -> str:
    """A scalar in YAML."""
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)


VALUES: dict[str, Callable[[Any, str], str | None]] = {
    "misspelt value": _word(_misspelt),
    "wrong case of value": _word(str.swapcase),
    "doubled": _doubled,
    "negative": _negative,
    "wrong type": _wrong_type,
}
