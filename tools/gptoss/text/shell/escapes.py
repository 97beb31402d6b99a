"""Escapes of ``$'…'``."""

from __future__ import annotations

import re

ESCAPE = re.compile(r"(?s)\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|([0-7]{1,3})|(.))")
ESCAPED = dict(zip("abeEfnrtv", "\a\b\x1b\x1b\f\n\r\t\v", strict=True))


def unescaped(text: str) -> str:
    """What stands between the quotes of ``$'…'``, as the shell reads it."""
    return ESCAPE.sub(_character, text)


def _character(match: re.Match[str]) -> str:
    code = match.group(1) or match.group(2)
    if code or match.group(3):
        return chr(int(code, 16) if code else int(match.group(3), 8))
    character = match.group(4)
    return ESCAPED.get(character, character if character in "\\'\"?" else match.group())
