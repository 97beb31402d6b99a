"""Secrets that the lines around them tell: entries of name and value, blocks, Secrets, PEM."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gptoss.text.secret_names import names_secret

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Span = tuple[int, int]

NAME = re.compile(r"(?<![\w.-])([\"']?)(?:name|key)\1[ \t]*:[ \t]*[\"']?([\w.-]+)")
VALUE = re.compile(
    r"(?<![\w.-])([\"']?)value\1[ \t]*:[ \t]*([\"']?)([^\s\"'][^\"'}]*|(?<=[\"'])[^\"']+)"
)
START = re.compile(r"\s*(?:-\s|-$|\{|\}|\[|\])")
NEAR = 8
# A key, or a variable of a list, whose text stands on the lines below.
BLOCK = re.compile(
    r"(?P<indent>[ \t]*(?:-[ \t]+)*)[\"']?(?P<name>\w[\w.-]*)[\"']?[ \t]*:"
    r"[ \t]*[|>][\d+-]*[ \t]*(?:#.*)?$"
)
FLAG_AT_END = re.compile(r"(?<![\w-])(--?[A-Za-z][\w-]*)\\?[\"']?[ \t]*(?:,[ \t]*)?\\?$")
ITEM = re.compile(r"[ \t]*(?:-[ \t]+)?[\"']?(?P<value>[^\"'\s,\]][^\"',\]]*)")
KIND = re.compile(r"kind:[ \t]*[\"']?Secret[\"']?[ \t]*$")
DATA = re.compile(r"[\"']?(?:data|stringData)[\"']?[ \t]*:[ \t]*$")
PAIR = re.compile(r"[ \t]+[^\s:#][^:#]*:[ \t]+(?P<value>[^|>\s].*)")


class Around:
    """The lines of a file, and what of them is secret by the lines around.

    Args:
        lines: The lines.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self.blocks = dict(_blocks(lines))

    def spans(self, number: int) -> list[Span]:
        """Where the secrets of a line stand; nothing where only the line itself can tell."""
        line = self.lines[number]
        if number in self.blocks:
            return [self.blocks[number]]
        if found := list(VALUE.finditer(line)):
            return [each.span(3) for each in found] if self._is_of_secret(number) else []
        return [*self._after_flag(number)]

    def _is_of_secret(self, number: int) -> bool:
        """Whether an entry with a value has the name of a secret, on its line or beside it."""
        names = NAME.findall(self.lines[number])
        if not names:
            names = [*self._near(number, -1), *self._near(number, 1)]
        return any(names_secret(name) for _, name in names)

    def _near(self, number: int, step: int) -> list[tuple[str, str]]:
        """Names on the lines of the same entry above or below."""
        for distance in range(1, NEAR):
            # An entry ends above its first line and below its last.
            ends = START.match(self.lines[number + (distance - 1) * step]) if step < 0 else None
            at = number + distance * step
            if ends or not 0 <= at < len(self.lines):
                return []
            if step > 0 and START.match(self.lines[at]):
                return []
            if found := NAME.findall(self.lines[at]):
                return found
        return []

    def _after_flag(self, number: int) -> Iterator[Span]:
        """The value of a flag that stands on the line before."""
        flag = FLAG_AT_END.search(self.lines[number - 1]) if number else None
        value = ITEM.match(self.lines[number]) if flag and names_secret(flag[1]) else None
        if value and not value["value"].startswith(("-", "$")):
            yield value.span("value")


def _blocks(lines: Sequence[str]) -> Iterator[tuple[int, Span]]:
    """Lines that are secret as a whole: a text under a name, a PEM file, the data of a Secret."""
    inside, pem, secret, data = -1, False, False, False
    for number, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        whole = (indent, len(line))
        if pem or "-----BEGIN " in line:
            begins = "PRIVATE KEY" in line and "-----BEGIN " in line
            if pem and line.strip():
                yield number, whole
            pem = (pem or begins) and "-----END " not in line
            continue
        if line.startswith("---"):
            secret = data = False
        if inside >= 0 and (not line.strip() or indent > inside):
            if line.strip():
                yield number, whole
            continue
        inside = -1
        if (block := BLOCK.match(line)) and (names_secret(block["name"]) or (secret and data)):
            inside = len(block["indent"])
        elif KIND.match(line):
            secret = True
        elif line[:1].strip():
            data = bool(DATA.match(line))
        elif secret and data and (pair := PAIR.match(line)):
            yield number, pair.span("value")
