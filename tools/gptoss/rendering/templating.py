"""The templates and what they share."""

from __future__ import annotations

import json
import re
import sys
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from gptoss.text import plain_yaml

WIDTH = 100
# Numbers in base 60, as 1:30, take the square of their length to read.
LONGEST_PLAIN = 1000
# What Helm and others take for a number, or will; it begins with a digit, a sign or a point.
NUMBER = re.compile(r"[-+]?\.?[0-9][0-9A-Za-z_.+:-]*")
PLAIN = re.compile(r"[A-Za-z0-9_./:=+-]*[A-Za-z0-9_./=+-]")


@cache
def environment() -> Environment:
    """The templates' environment; a name that a template does not get is an error."""
    found = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701 (YAML and shell, no HTML)
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    own = (scalar, flow, in_flow, executable, one_line)
    found.filters |= {each.__name__: each for each in own}
    return found


def from_template(name: str, **context: Any) -> str:
    """The text of a template."""
    return environment().get_template(name).render(**context)


def scalar(value: Any) -> str:
    """A value as YAML on one line, in quotes where it needs them."""
    if not isinstance(value, str):
        return json.dumps(value)
    is_short = len(value) <= LONGEST_PLAIN
    is_plain = is_short and PLAIN.fullmatch(value) and not value.startswith(("-", "=", ":"))
    means = plain_yaml.load(value) if is_plain else None
    if means == value:
        return value
    if '"' in value and "'" not in value and value.isprintable():
        return f"'{value}'"
    return yaml.safe_dump(value, default_style='"', allow_unicode=True, width=sys.maxsize).strip()


class _Dumper(yaml.SafeDumper):
    """Writes text so that it is text to every reader of YAML: to PyYAML 1e3 is no number."""


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    tag = "tag:yaml.org,2002:str"
    style = '"' if NUMBER.fullmatch(text) else None
    return dumper.represent_scalar(tag, text, style)


_Dumper.add_representer(str, _text)


def block(values: Any) -> str:
    """Values as YAML on lines of their own, in their order."""
    return yaml.dump(values, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=WIDTH)


def flow(values: Any) -> str:
    """Values as a YAML list on one line."""
    return f"[{', '.join(in_flow(value) for value in values)}]"


def one_line(text: str) -> str:
    """A text for a comment, which ends with its line and which a terminal only shows."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def executable(folder: str) -> str:
    """A folder in memory where programs may be started: kernels are compiled into the home."""
    return f"{folder}:exec"


def in_flow(value: Any) -> str:
    """A value as an element of a YAML list on one line."""
    is_flag = isinstance(value, str) and re.fullmatch(r"--?[a-z][a-z0-9-]*", value)
    return value if is_flag else scalar(value)
