"""Where the parts of compound commands begin and end among the tokens of a script."""

from __future__ import annotations

from dataclasses import dataclass

from gptoss.text.shell.words import Operator, Token, Word

OPENING = {"if", "while", "until"}
CLOSING = {"fi", "done", "esac"}
CONTROL = {"{", "}", "!", "then", "do", "time", "elif", "else", *OPENING, *CLOSING}
LOOPS_WITH_VARIABLE = {"for", "select"}
LOOPS = {"while", "until", *LOOPS_WITH_VARIABLE}


@dataclass(frozen=True, slots=True)
class Function:
    """A function's name, and where its body begins and ends."""

    name: str
    begin: int
    end: int


def after_word(script: list[Token], at: int, word: str) -> int:
    """The position after the next occurrence of a word."""
    while at < len(script) and _literal(script, at) != word:
        at += 1
    return at + 1


def after_array(script: list[Token], at: int) -> int:
    """The position after the parenthesis that closes an array."""
    while at < len(script) and _symbol(script, at) != ")":
        at += 1
    return at + 1


def after_pattern(script: list[Token], at: int) -> int:
    """The position after the pattern of a case branch, or of ``esac``."""
    while _symbol(script, at) == "\n":
        at += 1
    return at if _literal(script, at) == "esac" else after_array(script, at)


def loop_header(script: list[Token], at: int) -> tuple[list[Word], int]:
    """The words of a ``for`` up to its ``do``, and where they end."""
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
    return header, at


def loop_body(script: list[Token], at: int) -> tuple[int, int]:
    """Where the commands of a loop begin and end whose ``do`` comes next."""
    begin = after_word(script, at, "do")
    depth, at = 1, begin
    begins_command = True
    while at < len(script):
        word = _literal(script, at)
        if begins_command:
            depth += (word in LOOPS) - (word == "done")
        if depth == 0:
            break
        begins_command = isinstance(script[at], Operator) or (begins_command and word in CONTROL)
        at += 1
    return begin, at


def function_at(script: list[Token], at: int) -> Function | None:
    """The function that is defined at a position, or None."""
    has_keyword = _literal(script, at) == "function"
    at += has_keyword
    name = _literal(script, at)
    has_parentheses = _symbol(script, at + 1) == "(" and _symbol(script, at + 2) == ")"
    if not name or not (has_keyword or has_parentheses):
        return None
    begin = at + (3 if has_parentheses else 1)
    while _symbol(script, begin) == "\n":
        begin += 1
    if _symbol(script, begin) == "(":
        return Function(name, begin, _after_subshell(script, begin))
    return Function(name, begin, _after_braces(script, begin))


def _after_subshell(script: list[Token], at: int) -> int:
    depth = 0
    while at < len(script):
        depth += (_symbol(script, at) == "(") - (_symbol(script, at) == ")")
        at += 1
        if depth == 0:
            break
    return at


def _after_braces(script: list[Token], at: int) -> int:
    """The position after the brace that closes the one at a position; braces are words."""
    depth = 0
    begins_command = True
    while at < len(script):
        word = _literal(script, at)
        if begins_command:
            depth += (word == "{") - (word == "}")
        begins_command = isinstance(script[at], Operator) or (begins_command and word in CONTROL)
        at += 1
        if depth <= 0:
            break
    return at


def _symbol(script: list[Token], at: int) -> str:
    token = script[at] if at < len(script) else None
    return token.symbol if isinstance(token, Operator) else ""


def _literal(script: list[Token], at: int) -> str:
    token = script[at] if at < len(script) else None
    return token.literal if isinstance(token, Word) else ""
