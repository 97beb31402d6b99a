"""The commands that documents and notes hold, as words."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FENCE = re.compile(r"^```(console|bash|sh)\n(.*?)^```", re.DOTALL | re.MULTILINE)
INLINE = re.compile(r"(?<!`)`((?:gptoss|helm|kubectl|docker|\./launch\.sh) [^`]+)`(?!`)")
ASSIGNED = re.compile(r"([A-Z_]+)=(.*)", re.DOTALL)
VARIABLE = re.compile(r"\$([A-Z_]+)")
SEPARATORS = {"\n", ";", "|", "||", "&&", "&"}


@dataclass(slots=True)
class Command:
    """One command.

    Attributes:
        words: Its words, with the reader's variables put in.
        line: The line of its block's fence.
        given: Variables that are set for it alone.
        output: The file that it writes to.
    """

    words: list[str]
    line: int = 0
    given: dict[str, str] = field(default_factory=dict)
    output: str | None = None

    def __str__(self) -> str:
        return shlex.join(self.words)


def commands(document: str, variables: Mapping[str, str]) -> Iterator[Command]:
    """Every command of every block, in order, with what the blocks export put in.

    Args:
        document: Markdown.
        variables: What is set before.
    """
    known = dict(variables)
    for match in FENCE.finditer(document):
        line = document.count("\n", 0, match.start()) + 1
        for command in split(match[2]):
            command.line = line
            if command.words[:1] == ["export"]:
                known |= dict(_assigned(word) for word in command.words[1:])
            yield _filled(command, known)


def inline(document: str) -> Iterator[Command]:
    """Every command that stands in a sentence."""
    for match in INLINE.finditer(document):
        yield from split(match[1])


def notes(text: str) -> list[Command]:
    """Every command of a chart's notes: they are indented."""
    return [c for line in text.splitlines() if line.startswith("   ") for c in split(line)]


def split(text: str) -> Iterator[Command]:
    """The commands of some lines of shell."""
    lexer = shlex.shlex(text.replace("\\\n", " "), posix=True, punctuation_chars=";|&<>\n")
    lexer.whitespace = " \t"
    lexer.whitespace_split = True
    lexer.commenters = ""
    words: list[str] = []
    comment = False
    for token in [*lexer, "\n"]:
        ends = set(token) <= set("\n;|&") and bool(token.strip() or "\n" in token)
        comment = (comment or token.startswith("#")) and "\n" not in token
        if ends:
            if words:
                yield _command(words)
            words = []
        elif not comment:
            words.append(token)


def _command(words: list[str]) -> Command:
    output = None
    if ">" in words:
        at = words.index(">")
        output = words[at + 1]
        words = words[:at] + words[at + 2 :]
    given = {}
    while words and words[0] != "export" and (assigned := ASSIGNED.fullmatch(words[0])):
        given[assigned[1]] = assigned[2]
        words = words[1:]
    return Command(words, given=given, output=output)


def _assigned(word: str) -> tuple[str, str]:
    match = ASSIGNED.fullmatch(word)
    assert match, f"{word} is no assignment"
    return match[1], match[2]


def _filled(command: Command, known: Mapping[str, str]) -> Command:
    command.words = [VARIABLE.sub(lambda m: known.get(m[1], m[0]), w) for w in command.words]
    return command
