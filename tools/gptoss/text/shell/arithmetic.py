"""Integer arithmetic of the shell."""

from __future__ import annotations

import operator
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

LIMIT = 2**63
MAX_LENGTH = 200
MAX_DEPTH = 20
TOKEN = re.compile(
    r"[0-9]\w*|\$?\{?[A-Za-z_]\w*\}?|\$\{?[0-9]\}?"
    r"|<<=|>>=|\*\*|\+\+|--|&&|\|\||[-+*/%=!<>&|^]=|<<|>>|\S"
)
NUMBER = re.compile(r"0|[1-9][0-9]*")
NAME = re.compile(r"[A-Za-z_]\w*")
ASSIGNING = ("=", "+=", "-=", "*=", "/=", "%=")


def _quotient(left: int, right: int) -> int:
    return abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)


BINARY: dict[str, tuple[int, Callable[[int, int], int]]] = {
    "||": (1, lambda left, right: left or right),
    "&&": (2, lambda left, right: left and right),
    "|": (3, operator.or_),
    "^": (4, operator.xor),
    "&": (5, operator.and_),
    "==": (6, operator.eq),
    "!=": (6, operator.ne),
    "<": (7, operator.lt),
    "<=": (7, operator.le),
    ">": (7, operator.gt),
    ">=": (7, operator.ge),
    "+": (9, operator.add),
    "-": (9, operator.sub),
    "*": (10, operator.mul),
    "/": (10, _quotient),
    "%": (10, lambda left, right: left - _quotient(left, right) * right),
}
LOGICAL = ("&&", "||")


def evaluate(
    expression: str, values: Mapping[str, str | None], arguments: Sequence[str]
) -> tuple[int | None, dict[str, str | None]]:
    """The value of an expression, and what it assigns.

    Args:
        expression: The text between ``$((`` and ``))``.
        values: Variables by name.
        arguments: Positional parameters, ``$0`` first.

    Returns:
        The value, and the variables that it changes with their new values. The value is None when
        a variable or an operator is not known; what the expression names is then unknown where it
        may assign.
    """
    found = TOKEN.findall(expression[: MAX_LENGTH + 1])
    if len(expression) <= MAX_LENGTH:
        reader = _Expression(found, values, arguments)
        try:
            result = reader.total()
        except (ValueError, ZeroDivisionError):
            pass
        else:
            if reader.at_end:
                return result, reader.changes
    if not {*ASSIGNING, "++", "--", "<<=", ">>=", "&=", "|=", "^="}.intersection(found):
        return None, {}
    return None, dict.fromkeys(NAME.findall(expression))


class _Expression:
    def __init__(
        self, tokens: list[str], values: Mapping[str, str | None], arguments: Sequence[str]
    ) -> None:
        self.changes: dict[str, str | None] = {}
        self._tokens = tokens[::-1]
        self._values = values
        self._arguments = arguments
        self._depth = 0

    @property
    def at_end(self) -> bool:
        return not self._tokens

    def total(self) -> int:
        """An expression with the commas in it."""
        result = self._assignment()
        while self._next() == ",":
            self._tokens.pop()
            result = self._assignment()
        return result

    def _assignment(self) -> int:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise ValueError
        value = self._assigned()
        self._depth -= 1
        return value

    def _assigned(self) -> int:
        name = self._next()
        follower = self._tokens[-2] if len(self._tokens) > 1 else ""
        if follower not in ASSIGNING or not NAME.fullmatch(name):
            return self._binary(1)
        del self._tokens[-2:]
        value = self._assignment()
        if follower != "=":
            value = BINARY[follower[0]][1](self._value(name), value)
        return self._set(name, value)

    def _binary(self, lowest: int) -> int:
        result = self._operand()
        while (symbol := self._next()) in BINARY and BINARY[symbol][0] >= lowest:
            self._tokens.pop()
            level, calculate = BINARY[symbol]
            before = dict(self.changes)
            right = self._binary(level + 1)
            if symbol in LOGICAL and bool(result) == (symbol == "||"):
                self.changes = before
            result = (
                calculate(bool(result), bool(right))
                if symbol in LOGICAL
                else calculate(result, right)
            )
            result = _bounded(int(result))
        return result

    def _operand(self) -> int:
        word = self._tokens.pop() if self._tokens else ""
        if word == "(":
            result = self.total()
            if self._next() != ")":
                raise ValueError
            self._tokens.pop()
            return result
        if word in ("-", "+", "!"):
            operand = self._operand()
            return int(not operand) if word == "!" else -operand if word == "-" else operand
        if word in ("++", "--") and NAME.fullmatch(self._next()):
            name = self._tokens.pop()
            return self._set(name, self._value(name) + (1 if word == "++" else -1))
        if NAME.fullmatch(word) and self._next() in ("++", "--"):
            value = self._value(word)
            self._set(word, value + (1 if self._tokens.pop() == "++" else -1))
            return value
        return self._value(word)

    def _value(self, word: str) -> int:
        name = word.strip("${}")
        text: str | None = name
        if word.startswith("$") and name.isdecimal():
            text = self._arguments[int(name)] if int(name) < len(self._arguments) else ""
        elif NAME.fullmatch(name):
            text = self.changes.get(name, self._values.get(name))
        match = NUMBER.fullmatch((text or "").strip())
        negative = re.fullmatch(r"-([1-9][0-9]*)", (text or "").strip())
        if not match and not negative:
            raise ValueError
        return _bounded(int(text or ""))

    def _set(self, name: str, value: int) -> int:
        self.changes[name] = str(_bounded(value))
        return value

    def _next(self) -> str:
        return self._tokens[-1] if self._tokens else ""


def _bounded(value: int) -> int:
    if abs(value) >= LIMIT:
        raise ValueError
    return value
