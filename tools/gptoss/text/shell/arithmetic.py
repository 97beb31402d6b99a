"""Integer arithmetic of the shell."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

LIMIT = 2**63
MAX_LENGTH = 200
TOKEN = re.compile(r"[0-9]+|\$?\{?[A-Za-z_]\w*\}?|\$\{?[0-9]\}?|\S")


def evaluate(
    expression: str, values: Mapping[str, str | None], arguments: Sequence[str]
) -> int | None:
    """The value of an expression with + - * / % and parentheses.

    Args:
        expression: The text between ``$((`` and ``))``.
        values: Variables by name.
        arguments: Positional parameters, ``$0`` first.

    Returns:
        The value, or None when a variable or an operator is not known.
    """
    if len(expression) > MAX_LENGTH:
        return None
    reader = _Expression(TOKEN.findall(expression), values, arguments)
    try:
        result = reader.total()
    except (ValueError, ZeroDivisionError, RecursionError):
        return None
    return result if reader.at_end else None


class _Expression:
    def __init__(
        self, tokens: list[str], values: Mapping[str, str | None], arguments: Sequence[str]
    ) -> None:
        self._tokens = tokens[::-1]
        self._values = values
        self._arguments = arguments

    @property
    def at_end(self) -> bool:
        return not self._tokens

    def total(self) -> int:
        result = self._product()
        while self._next_is("+-"):
            sign = 1 if self._tokens.pop() == "+" else -1
            result = _bounded(result + sign * self._product())
        return result

    def _product(self) -> int:
        result = self._operand()
        while self._next_is("*/%"):
            symbol, right = self._tokens.pop(), self._operand()
            if symbol == "*":
                result = _bounded(result * right)
                continue
            quotient = abs(result) // abs(right) * (1 if (result < 0) == (right < 0) else -1)
            result = quotient if symbol == "/" else result - quotient * right
        return result

    def _operand(self) -> int:
        word = self._tokens.pop() if self._tokens else ""
        if word == "(":
            result = self.total()
            if not self._next_is(")"):
                raise ValueError
            self._tokens.pop()
            return result
        if word in ("-", "+"):
            operand = self._operand()
            return -operand if word == "-" else operand
        name = word.strip("${}")
        if word.startswith("$") and name.isdecimal():
            name = self._arguments[int(name)] if int(name) < len(self._arguments) else ""
        elif not name.isdecimal():
            name = self._values.get(name) or ""
        return _bounded(int(name))

    def _next_is(self, symbols: str) -> bool:
        return bool(self._tokens) and self._tokens[-1] in symbols


def _bounded(value: int) -> int:
    if abs(value) >= LIMIT:
        raise ValueError
    return value
