"""Words and operators of a shell script, of POSIX and bash; what is not closed ends with it."""

from __future__ import annotations

import re

from gptoss.text.errors import InputError
from gptoss.text.shell.escapes import unescaped
from gptoss.text.shell.parts import (
    Arithmetic,
    Operator,
    Parameter,
    Part,
    Redirection,
    Substitution,
    Text,
    Token,
    Word,
)

PARAMETER = re.compile(r"(?s)([A-Za-z_]\w*|\d+|[@*#?$!-])(:?[-=+?]|##?|%%?)?(.*)")
NAME = re.compile(r"[A-Za-z_]\w*|[0-9@*#?$!-]")
OPERATOR = re.compile(r";;&|;;|;&|&&|\|\||\|&|[;&|()\n]")
REDIRECTION = re.compile(r"\d*(<<<|<<-|<<|<>|<&|>>|>&|>\||<|>)|&>>|&>")
TEST_OPERATOR = re.compile(r"&&|\|\||[<>()]")
BLANK = " \t\r"
WORD_END = BLANK + "\n;&|()<>"
PLAIN = re.compile(r"(?s)[^\s;&|()<>'\"$`\\]+|.")
MAX_NESTING = 10
# Characters that are looked through for brackets that turn out not to be closed, in one text.
MAX_LOOKED_AHEAD = 5_000_000
# After these a command begins, so that "((" is arithmetic and "[[" a test.
BEFORE_COMMAND = {"if", "elif", "while", "until", "for", "then", "do", "else", "!", "{", "time"}


def tokens(script: str) -> list[Token]:
    """The tokens of a script, without comments; InputError where too much is never closed."""
    return _Lexer(script).tokens()


def document_parts(text: str) -> tuple[Part, ...]:
    """The parts of an unquoted here-document."""
    return tuple(_Lexer(text).quoted_parts(end=""))


class _Lexer:
    def __init__(self, text: str, nesting: int = 0) -> None:
        self._text = text
        self._at = 0
        self._nesting = nesting
        self._pending: list[Redirection] = []
        self._in_test = False
        self._looked_ahead = 0

    def tokens(self) -> list[Token]:
        found: list[Token] = []
        while (token := self._next()) is not None:
            last = found[-1] if found else None
            if not isinstance(last, Word) or last.literal in BEFORE_COMMAND:
                if isinstance(token, Operator) and (words := self._arithmetic()):
                    found += words
                    continue
                self._in_test = isinstance(token, Word) and token.literal == "[["
            found.append(token)
        return found

    def _arithmetic(self) -> list[Word]:
        """``((expression))`` as a command of two words, when it begins before this offset."""
        start = self._at - 1
        if not self._text.startswith("((", start):
            return []
        end = self._closing(start, "(", ")")
        if not self._text.startswith("))", end - 2):
            self._looked_ahead += end - start
            if self._looked_ahead > MAX_LOOKED_AHEAD:
                raise InputError("there are too many brackets that are never closed")
            return []
        self._at = end
        expression = self._text[start + 2 : end - 2]
        parts = (Text(expression, quoted=True),)
        return [Word((Text("((", quoted=False),), start), Word(parts, start + 2)]

    def _next(self) -> Token | None:
        self._skip_blanks()
        if self._at >= len(self._text):
            return None
        if self._in_test and (word := self._word_of_test()):
            return word
        if self._text.startswith(("<(", ">("), self._at):
            return self._word()
        if match := REDIRECTION.match(self._text, self._at):
            return self._redirection(match)
        if match := OPERATOR.match(self._text, self._at):
            self._at = match.end()
            if match.group() == "\n":
                self._read_documents()
            return Operator(match.group())
        return self._word()

    def _word_of_test(self) -> Word | None:
        """An operator inside ``[[ ]]``, where it is a word; None for any other word."""
        match = TEST_OPERATOR.match(self._text, self._at)
        if match is None:
            return None
        self._at = match.end()
        return Word((Text(match.group(), quoted=False),), match.start())

    def _skip_blanks(self) -> None:
        text = self._text
        while self._at < len(text):
            if text[self._at] in BLANK:
                self._at += 1
            elif text.startswith("\\\n", self._at):
                self._at += 2
            elif text[self._at] == "#":
                end = text.find("\n", self._at)
                self._at = len(text) if end < 0 else end
            else:
                return

    def _redirection(self, match: re.Match[str]) -> Redirection:
        self._at = match.end()
        self._skip_blanks()
        symbol = match.group(1) or match.group()
        redirection = Redirection(symbol, self._word())
        if redirection.is_document:
            self._pending.append(redirection)
        return redirection

    def _read_documents(self) -> None:
        """Takes the here-documents that begin after this newline."""
        for document in self._pending:
            delimiter = "".join(p.value for p in document.target.parts if isinstance(p, Text))
            document.start = self._at
            lines = []
            while self._at < len(self._text):
                end = self._text.find("\n", self._at)
                end = len(self._text) if end < 0 else end
                line = self._text[self._at : end]
                self._at = end + 1
                if (line.lstrip("\t") if document.symbol == "<<-" else line) == delimiter:
                    break
                lines.append(line + "\n")
            document.text = "".join(lines)
        self._pending.clear()

    def _word(self) -> Word:
        start = self._at
        parts: list[Part] = []
        text = self._text
        while self._at < len(text):
            if text.startswith(("<(", ">("), self._at):
                end = self._closing(self._at + 1, "(", ")")
                parts.append(Substitution(True, "$" + text[self._at + 1 : end]))
                self._at = end
            elif text[self._at] in WORD_END:
                break
            else:
                self._part(parts)
        word = Word(tuple(parts), start)
        self._in_test &= word.literal != "]]"
        return word

    def unquoted_parts(self) -> list[Part]:
        """The parts up to the end of the text, blanks included."""
        parts: list[Part] = []
        while self._at < len(self._text):
            self._part(parts)
        return parts

    def quoted_parts(self, end: str = '"') -> list[Part]:
        """The parts up to a closing quote, or to the end of the text when ``end`` is ''."""
        text, parts, plain = self._text, list[Part](), list[str]()
        escapable = "$`\\" + end
        while self._at < len(text):
            character = text[self._at]
            if character == end:
                break
            if character == "\\" and text[self._at + 1 : self._at + 2] == "\n":
                self._at += 2
            elif character == "\\" and text[self._at + 1 : self._at + 2] in (*escapable,):
                plain.append(text[self._at + 1])
                self._at += 2
            elif character in "$`":
                parts += [Text("".join(plain), quoted=True)] * bool(plain)
                plain.clear()
                parts.append(self._expansion(quoted=True))
            else:
                plain.append(character)
                self._at += 1
        self._at += len(end)
        if plain or not parts:
            parts.append(Text("".join(plain), quoted=True))
        return parts

    def _part(self, parts: list[Part]) -> None:
        """Reads the next part of an unquoted word."""
        text, character = self._text, self._text[self._at]
        if text.startswith("$'", self._at):
            parts.append(self._with_escapes())
        elif character == "'":
            begin = self._at + 1
            end = text.find("'", begin)
            end = len(text) if end < 0 else end
            parts.append(Text(text[begin:end], quoted=True))
            self._at = end + 1
        elif character == '"' or text.startswith('$"', self._at):
            self._at = text.index('"', self._at) + 1
            parts += self.quoted_parts()
        elif character in "$`":
            parts.append(self._expansion(quoted=False))
        elif text.startswith("\\\n", self._at):
            self._at += 2
        elif character == "\\":
            parts.append(Text(text[self._at + 1 : self._at + 2], quoted=True))
            self._at += 2
        elif match := PLAIN.match(text, self._at):
            self._at = match.end()
            parts.append(Text(match.group(), quoted=False))

    def _with_escapes(self) -> Text:
        """``$'...'``."""
        begin = self._at = self._at + 2
        while self._at < len(self._text) and self._text[self._at] != "'":
            self._at += 1 + (self._text[self._at] == "\\")
        text = self._text[begin : self._at]
        self._at += 1
        return Text(unescaped(text), quoted=True)

    def _expansion(self, *, quoted: bool) -> Part:
        text, start = self._text, self._at
        if text[start] == "`":
            end = text.find("`", start + 1)
            self._at = len(text) if end < 0 else end + 1
            return Substitution(quoted, text[start : self._at])
        if text.startswith("$$(", start):  # Kubernetes writes $$( for $(
            start += 1
        if text.startswith("$((", start):
            end = self._closing(start + 1, "(", ")")
            if text.startswith("))", end - 2):
                self._at = end
                source = text[start:end]
                return Arithmetic(source[3:-2], quoted, source)
        if text.startswith("$(", start):
            self._at = self._closing(start + 1, "(", ")")
            return Substitution(quoted, text[start : self._at])
        if text.startswith("${", start):
            self._at = self._closing(start + 1, "{", "}")
            return self._braced(text[start : self._at], quoted=quoted)
        if match := NAME.match(text, start + 1):
            self._at = match.end()
            return Parameter(match.group(), "", (), quoted, text[start : self._at])
        self._at = start + 1
        return Text("$", quoted)

    def _closing(self, at: int, opening: str, closing: str, nesting: int = 0) -> int:
        """The offset after the bracket that closes the one at an offset; quotes are skipped."""
        text, depth = self._text, 0
        while at < len(text):
            character = text[at]
            if character == "\\":
                at += 1
            elif character == "'" and opening == "(":
                at = text.find("'", at + 1)
                if at < 0:
                    break
            elif character == '"' and nesting <= MAX_NESTING:
                at = self._after_quotes(at + 1, nesting) - 1
            elif character == opening:
                depth += 1
            elif character == closing:
                depth -= 1
                if depth == 0:
                    return at + 1
            at += 1
        return len(text)

    def _after_quotes(self, at: int, nesting: int) -> int:
        """The offset after the double quote that closes the one before an offset."""
        text = self._text
        while at < len(text) and text[at] != '"':
            if text[at] == "\\":
                at += 1
            elif text.startswith(("$(", "${"), at):
                opening = text[at + 1]
                closing = ")" if opening == "(" else "}"
                at = self._closing(at + 1, opening, closing, nesting + 1) - 1
            at += 1
        return at + 1

    def _braced(self, source: str, *, quoted: bool) -> Parameter:
        match = PARAMETER.fullmatch(source[2:-1])
        if match is None or (match.group(3) and not match.group(2)) or self._nesting > MAX_NESTING:
            return Parameter("", "", (), quoted, source)
        lexer = _Lexer(match.group(3), self._nesting + 1)
        word = lexer.quoted_parts(end="") if quoted else lexer.unquoted_parts()
        return Parameter(match.group(1), match.group(2) or "", tuple(word), quoted, source)
