"""The commands that the tokens of a shell script make, one inside the other.

The reader never fails: what is not closed ends with the text, and what stands where it cannot is
left out.
"""

from __future__ import annotations

import re

from gptoss.text.shell.nodes import (
    Array,
    Body,
    Case,
    Chain,
    Command,
    Count,
    For,
    Function,
    Group,
    If,
    Pipeline,
    Simple,
    While,
)
from gptoss.text.shell.parts import Operator, Redirection, Text, Token, Word

ASSIGNMENT = re.compile(r"(?s)([A-Za-z_]\w*)(\[[^]]*\])?(\+?=)(.*)")
ELEMENT = re.compile(r"([A-Za-z_]\w*)\[")
SEPARATORS = (";;", ";&", ";;&")
ENDS = ("then", "do", "done", "fi", "elif", "else", "esac", "}")
MAX_DEPTH = 40


def parse(script: list[Token]) -> Body:
    """The commands of a script."""
    return _Parser(script).body()


class _Parser:
    def __init__(self, script: list[Token]) -> None:
        self._script = script
        self._at = 0
        self._depth = 0

    def body(self, *ends: str) -> Body:
        """Commands up to a word or operator that ends them."""
        chains: list[Chain] = []
        while self._at < len(self._script):
            here = self._word or self._symbol
            if here in ends:
                break
            if here in ENDS or (self._symbol and self._symbol != "("):
                self._at += 1
                continue
            chains.append(self._chain())
        return tuple(chains)

    @property
    def _symbol(self) -> str:
        token = self._script[self._at] if self._at < len(self._script) else None
        return token.symbol if isinstance(token, Operator) else ""

    @property
    def _word(self) -> str:
        token = self._script[self._at] if self._at < len(self._script) else None
        return token.literal if isinstance(token, Word) else ""

    def _take(self, *expected: str) -> bool:
        """Passes over a word or operator when it is the next."""
        found = (self._word or self._symbol) in expected
        self._at += found
        return found

    def _skip_lines(self) -> None:
        while self._symbol == "\n":
            self._at += 1

    def _chain(self) -> Chain:
        links = [("", self._pipeline())]
        while (symbol := self._symbol) in ("&&", "||"):
            self._at += 1
            self._skip_lines()
            links.append((symbol, self._pipeline()))
        return Chain(tuple(links), background=self._take("&"))

    def _pipeline(self) -> Pipeline:
        negated = False
        while self._word in ("!", "time"):
            negated ^= self._word == "!"
            self._at += 1
        commands = [self._command()]
        while self._take("|", "|&"):
            self._skip_lines()
            commands.append(self._command())
        return Pipeline(tuple(commands), negated)

    def _command(self) -> Command:
        if self._depth >= MAX_DEPTH:
            return self._simple()
        self._depth += 1
        try:
            return self._compound() or self._simple()
        finally:
            self._depth -= 1

    def _compound(self) -> Command | None:
        if self._take("{"):
            body = self.body("}")
            self._take("}")
            return Group(body, subshell=False, redirections=self._redirections())
        if self._take("("):
            body = self.body(")")
            self._take(")")
            return Group(body, subshell=True, redirections=self._redirections())
        if self._take("if"):
            return self._if()
        if (word := self._word) in ("while", "until"):
            self._at += 1
            condition = self.body("do")
            return While(condition, self._do(), negated=word == "until")
        if self._take("for", "select"):
            return self._for()
        if self._take("case"):
            return self._case()
        if self._take("coproc"):
            return self._coprocess()
        return self._function()

    def _coprocess(self) -> Group:
        start = self._at
        command = self._compound()
        if command is None:
            # A compound command may have a name before it.
            self._at += 1
            command = self._compound()
        if command is None:
            self._at = start
            command = self._simple()
        chain = Chain((("", Pipeline((command,), negated=False)),), background=True)
        return Group((chain,), subshell=True, redirections=())

    def _if(self) -> If:
        branches = []
        while True:
            condition = self.body("then")
            self._take("then")
            branches.append((condition, self.body("elif", "else", "fi")))
            if not self._take("elif"):
                break
        otherwise = self.body("fi") if self._take("else") else ()
        self._take("fi")
        return If(tuple(branches), otherwise)

    def _do(self) -> Body:
        self._take("do")
        body = self.body("done")
        self._take("done")
        return body

    def _for(self) -> For | Count:
        name = self._next_word()
        if name and name.literal == "((":
            header = self._next_word()
            self._take(";")
            self._skip_lines()
            text = header.parts[0] if header else None
            return Count(text.value if isinstance(text, Text) else "", self._do())
        self._skip_lines()
        words: list[Word] | None = None
        if self._take("in"):
            words = []
            while word := self._next_word():
                words.append(word)
        self._take(";")
        self._skip_lines()
        return For(
            name.literal if name else "", None if words is None else tuple(words), self._do()
        )

    def _case(self) -> Case:
        subject = self._next_word() or Word((), 0)
        self._skip_lines()
        self._take("in")
        branches, falls_through = [], False
        while self._at < len(self._script):
            self._skip_lines()
            if self._take("esac"):
                break
            patterns = self._patterns()
            body = self.body(*SEPARATORS, "esac")
            falls_through |= self._symbol in SEPARATORS[1:]
            self._take(*SEPARATORS)
            branches.append((tuple(patterns), body))
        return Case(subject, tuple(branches), falls_through)

    def _patterns(self) -> list[Word]:
        patterns: list[Word] = []
        while self._at < len(self._script) and not self._take(")"):
            if word := self._next_word():
                patterns.append(word)
            else:
                self._at += 1
        return patterns

    def _function(self) -> Function | None:
        start = self._at
        has_keyword = self._take("function")
        name = self._word
        self._at += 1
        has_parentheses = self._take("(") and self._take(")")
        is_array = not has_keyword and ASSIGNMENT.fullmatch(name)
        if not name or is_array or not (has_keyword or has_parentheses):
            self._at = start
            return None
        self._skip_lines()
        return Function(name, (Chain((("", Pipeline((self._command(),), False)),), False),))

    def _simple(self) -> Simple:
        words: list[Word] = []
        redirections: list[Redirection] = []
        arrays: list[Array] = []
        while self._at < len(self._script):
            token = self._script[self._at]
            if isinstance(token, Word):
                words.append(token)
            elif isinstance(token, Redirection):
                redirections.append(token)
            elif token.symbol == "(" and words and (array := array_start(words[-1])):
                words.pop()
                arrays.append(self._array(array))
                continue
            elif token.symbol == "(" and not words and self._depth >= MAX_DEPTH:
                pass
            else:
                break
            self._at += 1
        return Simple(tuple(words), tuple(redirections), tuple(arrays))

    def _array(self, start: re.Match[str]) -> Array:
        self._at += 1
        words = []
        while self._at < len(self._script) and not self._take(")"):
            if word := self._next_word():
                words.append(word)
            else:
                self._at += 1
        return Array(start.group(1), start.group(3) == "+=", tuple(words))

    def _redirections(self) -> tuple[Redirection, ...]:
        found = []
        while self._at < len(self._script) and isinstance(
            token := self._script[self._at], Redirection
        ):
            found.append(token)
            self._at += 1
        return tuple(found)

    def _next_word(self) -> Word | None:
        """The next word, passed over; None before anything else."""
        token = self._script[self._at] if self._at < len(self._script) else None
        if not isinstance(token, Word):
            return None
        self._at += 1
        return token


def assigned(word: Word) -> re.Match[str] | None:
    """Name, index, operator and beginning of the value when a word is an assignment."""
    first = word.parts[0] if word.parts else None
    if isinstance(first, Text) and not first.quoted:
        return ASSIGNMENT.fullmatch(first.value)
    return None


def element(word: Word) -> str:
    """The name of an array when a word assigns to one of its elements, else ''."""
    first = word.parts[0] if word.parts else None
    if not isinstance(first, Text) or first.quoted or assigned(word):
        return ""
    match = ELEMENT.match(first.value)
    texts = [part.value for part in word.parts[1:] if isinstance(part, Text)]
    return match.group(1) if match and any(text.startswith("]=") for text in texts) else ""


def array_start(word: Word) -> re.Match[str] | None:
    """The name and operator of an array when a word is the beginning of its assignment."""
    match = ASSIGNMENT.fullmatch(word.literal)
    return match if match and not match.group(2) and not match.group(4) else None
