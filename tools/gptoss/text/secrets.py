"""Keeps secrets out of what is printed."""

from __future__ import annotations

import re

NAMES = re.compile(r"(TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|CREDENTIAL|PRIVATE)", re.IGNORECASE)
# Variables whose names only look like it.
HARMLESS = re.compile(r"(MAX_.*TOKENS?|TOKENIZER|TOKENS_PER|TIKTOKEN|TOKENS$)", re.IGNORECASE)
VALUES = re.compile(r"\b(hf_|nvapi-|ghp_|glpat-|sk-)[A-Za-z0-9_-]{12,}")
HIDDEN = "(hidden)"


def is_secret(name: str, value: str) -> bool:
    """Whether a variable holds a secret, by its name or by the form of its value."""
    named = bool(NAMES.search(name)) and not HARMLESS.search(name)
    return bool(value) and (named or bool(VALUES.search(value)))


def shown(name: str, value: str) -> str:
    """The value, or a word in its place when it is a secret."""
    return HIDDEN if is_secret(name, value) else value


def without_secrets(text: str) -> str:
    """A text with everything in it that has the form of a token hidden."""
    return VALUES.sub(HIDDEN, text)


def line_without_secrets(line: str, before: str) -> str:
    """A source line with what looks like a secret hidden, for the line before may name it."""
    named = any(NAMES.search(text) and not HARMLESS.search(text) for text in (line, before))
    if named:
        line = re.sub(r"(\bvalue:\s*)[^,}]+", rf"\1{HIDDEN}", line)
    return without_secrets(line)
