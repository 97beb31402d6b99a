"""Values written in one line of YAML."""

from __future__ import annotations

import math
import re
from typing import Any

import yaml

from gptoss.text.printable import ESCAPED

# Strings that no YAML reader, old or new, in block or flow, takes for anything else.
PLAIN = re.compile(
    r"[A-Za-z/][\w/.@=+-]*(:[\w/.@=+-]+)*|\d+\.\d+\.[\w.-]+|\d+(Ki|Mi|Gi|Ti)|--?[a-z][\w/.@=+-]*",
    re.ASCII,
)
# What a terminal or, wherever it stands in a line, a runner of GitHub would obey.
OBEYED = re.compile(rf"{ESCAPED.pattern}|#(?=#\[)")
WORDS = {"true", "false", "yes", "no", "on", "off", "y", "n", "t", "f", "null", "none"}


def scalar(value: Any, quote: str = "") -> str:
    """A text, number, switch or null; a text that stood in quotes keeps their kind."""
    if not isinstance(value, str):
        text: str = yaml.safe_dump(value, width=math.inf)
        return text.removesuffix("...\n").strip()
    if quote == "'" and value.isprintable():
        return "'" + value.replace("'", "''") + "'"
    if not quote and PLAIN.fullmatch(value) and value.lower() not in WORDS:
        return value
    text = yaml.safe_dump(value, default_style='"', width=math.inf, allow_unicode=True)
    return OBEYED.sub(lambda found: f"\\u{ord(found[0][0]):04x}", text.rstrip("\n"))


def flow(value: Any) -> str:
    """A value in one line, lists and maps too."""
    if isinstance(value, list):
        return f"[{', '.join(map(flow, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{flow(key)}: {flow(item)}' for key, item in value.items())}}}"
    return scalar(value)
