"""Examples of rules, each rule's in a file of its family's folder.

The file of D003 is ``examples/D003.txt`` and has a line ``# bad``, one ``# good`` and one
``# near``, each above its example; ``docs/rules/README.md`` has their form. It is read when
somebody asks for it, which no check does.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

SECTION = re.compile(r"^# (bad|good|near)\n", re.MULTILINE)


class Examples(NamedTuple):
    """What fires a rule, the same mended, and a near miss."""

    bad: str = ""
    good: str = ""
    near: str = ""


@cache
def read_examples(path: Path) -> Examples:
    """The examples in a file.

    Raises:
        ValueError: There is no such file, or it lacks an example.
    """
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    _, *parts = SECTION.split(text)
    found = {name: part.strip("\n") for name, part in zip(parts[::2], parts[1::2], strict=True)}
    missing = [name for name in Examples._fields if name not in found]
    if missing:
        raise ValueError(f"{path} has no # {', # '.join(missing)}; write each above its example")
    return Examples(**found)
