"""Commands of the shell that change its variables."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gptoss.text.shell.resolved import is_resolved
from gptoss.text.shell.variables import More

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gptoss.text.shell.variables import Variables

# Scripts that set up an interpreter or a terminal, and nothing of the caller's.
HARMLESS = ("/activate", "/conda.sh", "bashrc", "profile", "/cargo/env")
READING = ("read", "mapfile", "readarray", "getopts")
NAME = re.compile(r"[A-Za-z_]\w*")


def change(name: str, words: Sequence[str], variables: Variables, *, whole: bool) -> None:
    """Changes the variables as a command does.

    Args:
        name: The command.
        words: Its arguments, expanded.
        variables: The variables.
        whole: Whether the arguments are sure to be that many.
    """
    if name == "set":
        _set(words, variables, whole=whole)
    elif name == "shift":
        _shift(words, variables)
    elif name == "unset":
        _forget([word for word in words if not word.startswith("-")], variables)
    elif name in READING:
        _forget([*words, "REPLY", "OPTARG", "OPTIND", "MAPFILE"], variables)
    elif name == "printf" and words[:1] == ["-v"]:
        _forget(words[1:2], variables)
    elif name in ("source", ".") and not (words and words[0].endswith(HARMLESS)):
        variables.forget()


def _forget(words: Sequence[str], variables: Variables) -> None:
    # Which element of an array it is does not matter.
    names = [word.partition("[")[0] for word in words]
    if not all(map(is_resolved, names)):
        variables.forget()
        return
    for name in names:
        if match := NAME.match(name):
            variables.values[match.group()] = None
            if match.group() in variables.arrays:
                variables.arrays[match.group()] = None


def _set(words: Sequence[str], variables: Variables, *, whole: bool) -> None:
    """``set``: what follows its options are the positional parameters."""
    at, has_end = 0, False
    while at < len(words) and words[at][:1] in ("-", "+") and not has_end:
        has_end = words[at] == "--"
        at += 1 + (not has_end and words[at].endswith("o"))
    given = list(words[at:])
    if not whole or not all(is_resolved(word) for word in words[:at]):
        variables.forget_arguments()
    elif given or has_end:
        variables.arguments[1:] = given
        variables.more = More.NONE
    if not variables.arguments:
        variables.arguments = [""]


def _shift(words: Sequence[str], variables: Variables) -> None:
    count = words[0] if words else "1"
    left = len(variables.arguments) - 1
    if not count.isdecimal() or (variables.more is More.UNKNOWN and int(count) > left):
        variables.forget_arguments()
    elif int(count) <= left:
        del variables.arguments[1 : 1 + int(count)]
