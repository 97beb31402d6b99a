"""The commands that a ``sh -c`` script would run, with variables resolved where they are known.

A script is read once from top to bottom: loops and branches are walked as if run once, functions
where they are called. A variable whose value depends on the branch taken becomes unknown; what is
unknown stays as written. Nothing here fails: odd shell gives odd words.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gptoss.places import Located, Place
from gptoss.pods import Command
from gptoss.shell.expansion import Variables, is_resolved
from gptoss.shell.structure import (
    CLOSING,
    CONTROL,
    LOOPS_WITH_VARIABLE,
    OPENING,
    after_array,
    after_pattern,
    after_word,
    function_at,
)
from gptoss.shell.words import (
    Operator,
    Redirection,
    Text,
    Token,
    Word,
    document_parts,
    tokens,
)
from gptoss.yaml_tree import Tree

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MAX_COMMANDS = 2000
MAX_CALLS = 16
ASSIGNMENT = re.compile(r"(?s)([A-Za-z_]\w*)(\+?=)(.*)")
DECLARATIONS = {"export", "local", "declare", "typeset", "readonly"}
TESTS = {"[", "[[", "test"}


@dataclass(frozen=True, slots=True)
class HereDocument:
    """A here-document.

    Attributes:
        target: The file it is written to, if any.
        content: Its text, placed so that it can be read on as YAML.
    """

    target: Located[str] | None
    content: Tree


@dataclass(frozen=True, slots=True)
class Script:
    """What a script does.

    Attributes:
        commands: Every command in order; assignments and control words are left out.
        documents: Its here-documents.
        exports: Variables that it puts into the environment of its commands; None for a value
            that is not known.
    """

    commands: tuple[Command, ...]
    documents: tuple[HereDocument, ...]
    exports: Mapping[str, Located[str | None]]


def read_script(
    script: Tree,
    environment: Mapping[str, str | None],
    arguments: Sequence[str] = (),
) -> Script:
    """Reads a shell script.

    Args:
        script: The script as a YAML string.
        environment: Variables of the container; None for a value that comes from elsewhere.
        arguments: Words after the script: ``$0``, ``$1`` and so on.
    """
    reader = _Reader(script, Variables(environment, arguments))
    reader.run(tokens(str(script.value)))
    return Script(tuple(reader.commands), tuple(reader.documents), reader.exports)


@dataclass(slots=True)
class _Block:
    """An if, case or loop: the variables before it and at the end of each branch."""

    before: dict[str, str | None]
    is_case: bool = False
    is_exhaustive: bool = False
    ends: list[dict[str, str | None]] = field(default_factory=list)


class _Reader:
    def __init__(self, script: Tree, variables: Variables) -> None:
        self.commands: list[Command] = []
        self.documents: list[HereDocument] = []
        self.exports: dict[str, Located[str | None]] = {}
        self._script = script
        self._variables = variables
        self._functions: dict[str, list[Token]] = {}
        self._outer: dict[str, tuple[bool, str | None]] = {}
        self._calls = 0
        self._steps = 0
        self._conditional = False
        text = str(script.value)
        self._lines = [0, *(match.end() for match in re.finditer("\n", text))]

    def run(self, script: list[Token]) -> None:
        """Walks through the tokens of the script or of a function."""
        blocks: list[_Block] = []
        words: list[Word] = []
        redirections: list[Redirection] = []
        at = 0
        while at < len(script):
            token = script[at]
            at += 1
            if isinstance(token, Redirection):
                redirections.append(token)
            elif isinstance(token, Operator):
                if token.symbol == "(" and words and (array := _array(words[-1])):
                    self._variables.values[array] = None
                    words.pop()
                    at = after_array(script, at)
                    continue
                self._execute(words, redirections)
                self._after(token.symbol, words)
                words, redirections = [], []
                if token.symbol in (";;", ";&", ";;&") and blocks and blocks[-1].is_case:
                    self._next_branch(blocks[-1])
                    at = after_pattern(script, at)
            elif words:
                words.append(token)
            elif (function := function_at(script, at - 1)) is not None:
                self._functions[function.name] = script[function.begin : function.end]
                at = function.end
            elif token.literal in LOOPS_WITH_VARIABLE:
                blocks.append(_Block(dict(self._variables.values)))
                at = self._loop_variable(script, at)
            elif token.literal == "case":
                blocks.append(_Block(dict(self._variables.values), is_case=True))
                at = after_pattern(script, after_word(script, at, "in"))
            elif token.literal in CONTROL:
                self._control(token.literal, blocks)
            else:
                words.append(token)
        self._execute(words, redirections)

    def _after(self, symbol: str, words: list[Word]) -> None:
        """Notes whether what follows an operator may be left out at run time."""
        if symbol == "||":
            self._conditional = True
        elif symbol == "&&":
            self._conditional |= bool(words) and words[0].literal in TESTS
        elif symbol not in ("|", "|&"):
            self._conditional = False

    def _control(self, word: str, blocks: list[_Block]) -> None:
        if word in OPENING:
            blocks.append(_Block(dict(self._variables.values)))
        elif word in ("elif", "else") and blocks:
            blocks[-1].is_exhaustive = word == "else"
            self._next_branch(blocks[-1])
        elif word in CLOSING and blocks:
            block = blocks.pop()
            ends = [*block.ends, self._variables.values]
            self._variables.values = _common(ends if block.is_exhaustive else [block.before, *ends])

    def _next_branch(self, block: _Block) -> None:
        block.ends.append(self._variables.values)
        self._variables.values = dict(block.before)

    def _loop_variable(self, script: list[Token], at: int) -> int:
        """Sets the variable of a ``for``; with several values it is not known."""
        header: list[Word] = []
        while at < len(script):
            token = script[at]
            if isinstance(token, Operator) and token.symbol in (";", "\n"):
                break
            if isinstance(token, Word):
                if token.literal == "do":
                    break
                header.append(token)
            at += 1
        if header:
            given = [text for word in header[2:] for text in self._variables.words(word)]
            self._variables.values[header[0].literal] = given[0] if len(given) == 1 else None
        return at

    def _execute(self, words: list[Word], redirections: list[Redirection]) -> None:
        """Runs a simple command."""
        self._steps += 1
        if self._steps > MAX_COMMANDS:
            return
        prefix = 0
        while prefix < len(words) and _assigned(words[prefix]):
            prefix += 1
        command = words[prefix:]
        for word in words[:prefix]:
            self._assign(word, export=bool(command), keep=not command)
        if command:
            self._command(command)
        target = next((r.target for r in redirections if r.symbol in (">", ">>", ">|")), None)
        if target is None and command and command[0].literal == "tee":
            target = next((w for w in command[1:] if not w.literal.startswith("-")), None)
        for redirection in redirections:
            if redirection.is_document:
                self._document(redirection, target)

    def _command(self, words: list[Word]) -> None:
        name = words[0].literal
        if name in DECLARATIONS:
            for word in words[1:]:
                self._declare(name, word)
        elif name in ("read", "unset"):
            for word in words[1:]:
                self._variables.values[word.literal] = None
        elif name == "shift":
            del self._variables.arguments[1:2]
        elif name in self._functions and self._calls < MAX_CALLS:
            self._call(name, [t for word in words[1:] for t in self._variables.words(word)])
        else:
            located = [
                Located(text, self._place(word.start))
                for word in words
                for text in self._variables.words(word)
            ]
            if located:
                self.commands.append(Command(tuple(located)))

    def _declare(self, how: str, word: Word) -> None:
        match = _assigned(word)
        name = match.group(1) if match else word.literal
        values = self._variables.values
        if how == "local" and name not in self._outer:
            self._outer[name] = (name in values, values.get(name))
        if match:
            self._assign(word, export=how == "export", keep=True)
        elif how == "export" and name in values:
            self._export(name, values[name], word)

    def _assign(self, word: Word, *, export: bool, keep: bool) -> None:
        match = _assigned(word)
        if match is None:
            return
        name, operator, first = match.groups()
        value: str | None = self._variables.joined((Text(first, quoted=True), *word.parts[1:]))
        before = self._variables.values.get(name, "")
        if operator == "+=":
            value = None if before is None else f"{before}{value}"
        if self._conditional and value != before:
            value = None
        if export or name in self._variables.environment:
            self._export(name, value, word)
        if keep:
            self._variables.values[name] = value

    def _export(self, name: str, value: str | None, word: Word) -> None:
        known = value if value is not None and is_resolved(value) else None
        self.exports[name] = Located(known, self._place(word.start))

    def _call(self, name: str, arguments: list[str]) -> None:
        variables = self._variables
        kept = variables.arguments, self._outer
        variables.arguments, self._outer = [name, *arguments], {}
        self._calls += 1
        self.run(self._functions[name])
        self._calls -= 1
        for local, (was_set, value) in self._outer.items():
            variables.values.pop(local, None)
            if was_set:
                variables.values[local] = value
        variables.arguments, self._outer = kept

    def _document(self, redirection: Redirection, target: Word | None) -> None:
        text = redirection.text
        if not any(isinstance(p, Text) and p.quoted for p in redirection.target.parts):
            text = self._variables.joined(document_parts(text))
        if redirection.symbol == "<<-":
            text = re.sub(r"(?m)^\t+", "", text)
        begin = self._place(redirection.start)
        if self._script.indent is not None:
            begin = begin.moved(lines=-1)
        written = None
        if target is not None:
            written = Located(self._variables.joined(target.parts), self._place(target.start))
        self.documents.append(HereDocument(written, Tree(text, begin, None, self._script.indent)))

    def _place(self, offset: int) -> Place:
        """Where an offset of the script stands in the file."""
        start, indent = self._script.place, self._script.indent
        if indent is None:
            return start
        line = bisect_right(self._lines, offset) - 1
        return Place(start.file, start.line + 1 + line, 1 + indent + offset - self._lines[line])


def _assigned(word: Word) -> re.Match[str] | None:
    """Name, operator and beginning of the value when a word is an assignment."""
    first = word.parts[0] if word.parts else None
    if isinstance(first, Text) and not first.quoted:
        return ASSIGNMENT.fullmatch(first.value)
    return None


def _array(word: Word) -> str:
    """The name of an array when a word is the beginning of its assignment, else ''."""
    match = ASSIGNMENT.fullmatch(word.literal)
    return match.group(1) if match and not match.group(3) else ""


def _common(ends: list[dict[str, str | None]]) -> dict[str, str | None]:
    """What is known whichever branch was taken."""
    known: dict[str, str | None] = {}
    for name in {name for end in ends for name in end}:
        values = {end.get(name) for end in ends}
        known[name] = values.pop() if len(values) == 1 else None
    return known
