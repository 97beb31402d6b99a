"""Keeps secrets out of what is printed. What is read and judged never goes through here.

A secret is known by its form (:mod:`gptoss.text.secret_forms`) or by the name that it is given to
(:mod:`gptoss.text.secret_names`): ``NAME=VALUE``, ``NAME: VALUE``, ``--flag VALUE``.

This module imports nothing heavy: the command line is judged before Helm starts.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from gptoss.text.secret_forms import marked
from gptoss.text.secret_lines import Around
from gptoss.text.secret_names import names_secret

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    Span = tuple[int, int]

HIDDEN = "(hidden)"
NAMED = re.compile(
    r"""(?<![\w.$-])(?P<open>\\?["'])?(?P<name>-{0,2}[A-Za-z_][\w.-]*)"""
    r"""(?P<close>\\?["'])?[ \t]*(?P<sign>:[-=]|\+?=|:(?=[\s"'\\]|$))[ \t]*"""
)
FLAG = re.compile(
    r"""(?<![\w-])(?P<name>--?[A-Za-z][\w-]*)(?:\\?["'])?(?P<sign>[ \t]*,[ \t]*|[ \t]+)"""
)
QUOTED = r"""\\"(?:[^"\\]|\\[^"])*|"(?:[^"\\]|\\.)*"?|'[^']*'?"""
WORD = re.compile(rf"(?:{QUOTED}|[^\s\"'`;&|<>\\]|\\.)+")
ITEM = re.compile(rf"{QUOTED}|[^\s\"'`,\]}}]+")
FIELD = re.compile(rf"{QUOTED}|[^\"'`,\]}}]+")
REST = re.compile(rf"(?:{QUOTED}|[^\s]|[ \t]+(?!#))+")
# To the end of the quotes that began before the name.
WITHIN = {'"': re.compile(r'(?:[^"\\]|\\[^"])+'), "'": re.compile("[^']+")}
# Sentences, also in a file.
COMMENT = re.compile(r"(?:^|[ \t])#")
FIRST = re.compile(r"[\s?-]*[\"']?")
# What is there in the place of a secret, or no secret for sure.
NOTHING = re.compile(
    r"(?:null|none|true|false|yes|no|on|off|nil|undefined|~|\*+|\.{3}|…|[|>][+-]?|[\[{&!].*"
    r"|\$\w+|\$\{\w+(?::?\?[^}]*)?\}|\$\(.*|\$\{\{.*|\{\{.*|<.*|\(hidden\)|\(from a Secret\)"
    r"|http|not-used|not-needed|unused|empty|dummy)?",
    re.IGNORECASE,
)
# A quotation of more is a sentence.
WORDS_OF_SECRET = 3
ENDS = ",.;:)]}"


def is_secret(name: str, value: str) -> bool:
    """Whether a variable holds a secret, by its name or by the form of its value."""
    return bool(value) and (_named(name, value) or without_secrets(value) != value)


def shown(name: str, value: str) -> str:
    """The value, with a word in the place of what is secret in it."""
    return HIDDEN if _named(name, value) else without_secrets(value)


def without_secrets(text: str) -> str:
    """A sentence, or several lines of them, with what is secret hidden."""
    return "\n".join(_hidden(line, _spans(line, prose=True)) for line in text.split("\n"))


def words_without_secrets(words: Iterable[str]) -> list[str]:
    """The words of a command line with what is secret hidden, also what follows a flag."""
    found, flag = [], ""
    for word in words:
        is_flag = word.startswith("-") and len(word) > 1
        name, sign, value = word.partition("=")
        if flag and not is_flag:
            found.append(shown(flag, word))
        elif sign and _named(name, value):
            found.append(f"{name}={HIDDEN}")
        else:
            found.append(_hidden(word, _spans(word)))
        flag = word if is_flag and "=" not in word else ""
    return found


def lines_without_secrets(lines: Sequence[str]) -> list[str]:
    """The lines of a file with what is secret hidden, by the lines around it too."""
    around = Around(lines)
    return [
        _hidden(line, [*around.spans(number), *_spans(line)]) for number, line in enumerate(lines)
    ]


def text_without_secrets(text: str) -> str:
    """The text of a file with what is secret hidden; it keeps its lines."""
    return "\n".join(lines_without_secrets(text.split("\n")))


@lru_cache(maxsize=64)
def line_without_secrets(line: str, before: str, after: str = "") -> str:
    """A source line with what is secret hidden; the lines around may say that it is."""
    above = before.split("\n")
    return lines_without_secrets([*above, line, *after.split("\n")])[len(above)]


def _named(name: str, value: str) -> bool:
    """Whether a value is a secret by the name that it is given to."""
    value = value.strip().strip("\"'\\").strip()
    if not names_secret(name) or NOTHING.fullmatch(value):
        return False
    return not (value.replace(".", "").isdigit() and "token" in name.lower())


def _hidden(line: str, spans: Iterable[Span]) -> str:
    """A line with a word in the place of each span."""
    parts, end = [], 0
    for start, stop in sorted(spans):
        if start >= end:
            parts += [line[end:start], HIDDEN]
        end = max(end, stop)
    return "".join([*parts, line[end:]])


def _spans(line: str, *, prose: bool = False) -> list[Span]:
    """Where secrets stand in a line.

    Args:
        line: The line.
        prose: Whether it is a sentence: ``token: missing`` and ``--api-key needs`` are words of it.
    """
    return [*marked(line), *_assigned(line, prose), *_flagged(line, prose)]


def _assigned(line: str, prose: bool) -> Iterator[Span]:
    """Values that are given to a name, as ``NAME=VALUE`` and ``NAME: VALUE``."""
    begin, comment = FIRST.match(line), COMMENT.search(line)
    position, first = 0, begin.end() if begin else 0
    while found := NAMED.search(line, position):
        position = found.end()
        name = found["name"]
        if not names_secret(name):
            continue
        colon = found["sign"] == ":"
        said = prose or (comment is not None and comment.end() <= found.start())
        form = _after(found, ITEM if said else REST if found.start() <= first else FIELD)
        value = form.match(line, position)
        if value and _named(name, value[0]) and not (colon and said and _is_word(name, value[0])):
            yield _inner(line, value.span())
            position = value.end()


def _after(found: re.Match[str], of_colon: re.Pattern[str]) -> re.Pattern[str]:
    """The form of the value that follows a name."""
    if found["open"] and not found["close"]:
        return WITHIN[found["open"][-1]]
    if found["sign"] != ":":
        return WORD
    return FIELD if "uthorization" in found["name"] else of_colon


def _flagged(line: str, prose: bool) -> Iterator[Span]:
    """Values that follow a flag as a word of their own."""
    position = 0
    while found := FLAG.search(line, position):
        position = found.end()
        value = ITEM.match(line, position) if names_secret(found["name"]) else None
        if value is None or value[0].strip("\"'\\").startswith("-"):
            continue
        if _named(found["name"], value[0]) and not (prose and _is_word("", value[0])):
            yield _inner(line, value.span())
            position = value.end()


def _is_word(name: str, value: str) -> bool:
    """Whether what follows a name in a sentence is a word of the sentence, or quotes one."""
    is_word = value.rstrip(ENDS).isalpha() and value.islower()
    return "uthorization" not in name and (is_word or value.count(" ") > WORDS_OF_SECRET)


def _inner(line: str, span: Span) -> Span:
    """A span without the quotes around it, and without what ends it in a sentence or a list."""
    start, end = span
    mark = re.match(r"\\?[\"']", line[start : start + 2])
    if mark:
        start += mark.end()
        closing = line[end - 1 : end] == mark[0][-1] and end > start
        return start, end - 1 if closing else end
    while end - start > 1 and line[end - 1] in f"{ENDS} \t":
        end -= 1
    return start, end
