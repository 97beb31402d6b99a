"""Which variables a text refers to, and whether any of them is left in it."""

from __future__ import annotations

import re

REFERENCE = re.compile(r"\$[({]?([A-Za-z_]\w*)")
ARITHMETIC = re.compile(r"\$\(\((.*?)(?:\)\)|$)", re.MULTILINE)
NAME = re.compile(r"[A-Za-z_]\w*")
UNBROKEN_REFERENCE = re.compile(r"\$\{[^}]*\}?|\$\([^()]*\)|`[^`]*`")
UNRESOLVED = re.compile(r"\$[({]|`")


def is_resolved(text: str) -> bool:
    """Whether a text holds no expansion that could not be resolved."""
    return UNRESOLVED.search(text) is None


def mentioned(text: str) -> set[str]:
    """Names of the variables that a script or a command line refers to."""
    names = {match.group(1) for match in REFERENCE.finditer(text)}
    for arithmetic in ARITHMETIC.finditer(text):
        names.update(NAME.findall(arithmetic.group(1)))
    return names
