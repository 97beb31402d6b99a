"""The commands that a ``sh -c`` script would run, with variables resolved where they are known.

A script is read once from top to bottom: branches are walked as if run once, loops for each value
where these are known and else once, functions where they are called. A variable whose value depends
on the branch taken becomes unknown; what is unknown stays as written. Nothing here fails: odd shell
gives odd words.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING

from gptoss.text.command import Command
from gptoss.text.places import Located, Place
from gptoss.text.shell.assignments import Block, array_start, assigned, assigned_names, common
from gptoss.text.shell.expansion import Variables, is_resolved
from gptoss.text.shell.result import HereDocument, Script, Step
from gptoss.text.shell.structure import (
    CLOSING,
    CONTROL,
    LOOPS_WITH_VARIABLE,
    OPENING,
    after_array,
    after_pattern,
    after_word,
    function_at,
    loop_body,
    loop_header,
)
from gptoss.text.shell.words import (
    Operator,
    Redirection,
    Text,
    Token,
    Word,
    document_parts,
    tokens,
)
from gptoss.text.yaml_tree import Tree

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MAX_COMMANDS = 2000
MAX_CALLS = 16
MAX_LOOPS = 4
MAX_ELEMENTS = 500
DECLARATIONS = {"export", "local", "declare", "typeset", "readonly"}
TESTS = {"[", "[[", "test"}


def read_script(
    script: Tree,
    environment: Mapping[str, str | None],
    arguments: Sequence[str] = (),
    folder: str | None = None,
) -> Script:
    """Reads a shell script.

    Args:
        script: The script as a YAML string.
        environment: Variables of the container; None for a value that comes from elsewhere.
        arguments: Words after the script: ``$0``, ``$1`` and so on.
        folder: The folder that the script is in, where it is a file.
    """
    reader = _Reader(script, Variables(environment, arguments, folder))
    reader.run(tokens(str(script.value)))
    return Script(tuple(reader.steps), tuple(reader.documents), reader.exports)


class _Reader:
    def __init__(self, script: Tree, variables: Variables) -> None:
        self.steps: list[Step] = []
        self.documents: list[HereDocument] = []
        self.exports: dict[str, Located[str | None]] = {}
        self._script = script
        self._variables = variables
        self._exported: dict[str, Located[str | None]] = {}
        self._functions: dict[str, list[Token]] = {}
        self._inside: list[str] = []
        self._outer: dict[str, tuple[bool, str | None]] = {}
        self._loops = 0
        self._steps = 0
        self._conditional = False
        text = str(script.value)
        self._lines = [0, *(match.end() for match in re.finditer("\n", text))]

    def run(self, script: list[Token]) -> None:
        """Walks through the tokens of the script or of a function."""
        blocks: list[Block] = []
        words: list[Word] = []
        redirections: list[Redirection] = []
        at = 0
        while at < len(script):
            token = script[at]
            at += 1
            if isinstance(token, Redirection):
                redirections.append(token)
            elif isinstance(token, Operator):
                if token.symbol == "(" and words and (array := array_start(words[-1])):
                    end = after_array(script, at)
                    self._assign_array(array, script[at : end - 1], known=not blocks)
                    words.pop()
                    at = end
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
                at = self._loop(script, at, blocks)
            elif token.literal == "case":
                blocks.append(Block(dict(self._variables.values), is_case=True))
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

    def _control(self, word: str, blocks: list[Block]) -> None:
        if word in OPENING:
            blocks.append(Block(dict(self._variables.values)))
        elif word in ("elif", "else") and blocks:
            blocks[-1].is_exhaustive = word == "else"
            self._next_branch(blocks[-1])
        elif word in CLOSING and blocks:
            block = blocks.pop()
            ends = [*block.ends, self._variables.values]
            self._variables.values = common(ends if block.is_exhaustive else [block.before, *ends])

    def _next_branch(self, block: Block) -> None:
        block.ends.append(self._variables.values)
        self._variables.values = dict(block.before)

    def _loop(self, script: list[Token], at: int, blocks: list[Block]) -> int:
        """Walks through a ``for`` whose values are known, else begins its block."""
        header, at = loop_header(script, at)
        values = [text for word in header[2:] for text in self._variables.words(word)]
        name = header[0].literal if header else ""
        if len(values) > 1 and self._loops < MAX_LOOPS and self._steps < MAX_COMMANDS:
            begin, end = loop_body(script, at)
            self._loops += 1
            for value in values:
                self._variables.values[name] = value
                self.run(script[begin:end])
            self._loops -= 1
            return end + 1
        blocks.append(Block(dict(self._variables.values)))
        self._variables.values[name] = values[0] if len(values) == 1 else None
        return at

    def _execute(self, words: list[Word], redirections: list[Redirection]) -> None:
        """Runs a simple command."""
        self._steps += 1
        if self._steps > MAX_COMMANDS:
            return
        prefix = 0
        while prefix < len(words) and assigned(words[prefix]):
            prefix += 1
        command = words[prefix:]
        before = dict(self._exported)
        for word in words[:prefix]:
            self._assign(word, export=bool(command), keep=not command)
        if command:
            self._command(command)
            for name in assigned_names(words[:prefix]):
                self._exported.pop(name, None)
                if name in before:
                    self._exported[name] = before[name]
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
        else:
            self._start(words)

    def _start(self, words: list[Word]) -> None:
        """Calls a function, or notes a command; its name may come from a variable."""
        located = [
            Located(text, self._place(word.start))
            for word in words
            for text in self._variables.words(word)
        ]
        if not located:
            return
        name, inside = located[0].value, self._inside
        if name in self._functions and len(inside) < MAX_CALLS:
            self._call(name, [word.value for word in located[1:]])
        else:
            function = inside[-1] if inside else ""
            self.steps.append(Step(Command(tuple(located)), dict(self._exported), function))

    def _declare(self, how: str, word: Word) -> None:
        match = assigned(word)
        name = match.group(1) if match else word.literal
        values = self._variables.values
        if how == "local" and name not in self._outer:
            self._outer[name] = (name in values, values.get(name))
        if match:
            self._assign(word, export=how == "export", keep=True)
        elif how == "export" and name in values:
            self._export(name, values[name], word)

    def _assign(self, word: Word, *, export: bool, keep: bool) -> None:
        match = assigned(word)
        if match is None:
            return
        name, operator, first = match.groups()
        value: str | None = self._variables.joined((Text(first, quoted=True), *word.parts[1:]))
        before = self._variables.values.get(name, "")
        if operator == "+=":
            value = None if before is None else f"{before}{value}"
        if self._conditional and value != before:
            value = None
        if export or name in self._variables.environment or name in self._exported:
            self._export(name, value, word)
        if keep:
            self._variables.values[name] = value

    def _assign_array(self, array: re.Match[str], elements: list[Token], *, known: bool) -> None:
        """Sets an array, or adds to it; one that may be set otherwise at run time is not known."""
        name, arrays = array.group(1), self._variables.arrays
        self._variables.values[name] = None
        texts = [
            t for word in elements if isinstance(word, Word) for t in self._variables.words(word)
        ]
        if self._conditional or not known:
            arrays.pop(name, None)
        elif array.group(2) == "=":
            arrays[name] = texts[:MAX_ELEMENTS]
        elif name in arrays:
            arrays[name] = (arrays[name] + texts)[:MAX_ELEMENTS]

    def _export(self, name: str, value: str | None, word: Word) -> None:
        known = value if value is not None and is_resolved(value) else None
        self.exports[name] = self._exported[name] = Located(known, self._place(word.start))

    def _call(self, name: str, arguments: list[str]) -> None:
        variables = self._variables
        kept = variables.arguments, self._outer
        variables.arguments, self._outer = [name, *arguments], {}
        self._inside.append(name)
        self.run(self._functions[name])
        self._inside.pop()
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
