"""Secrets of a target: scripts and compose files take them from whoever starts them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml

from gptoss.text import plain_yaml
from gptoss.text.secrets import is_secret, without_secrets

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gptoss.rendering.one_container import RenderedContainer

# What the chart writes where a program wants some key and uses none.
NO_KEY = "not-used"
# Maps of variables, in values, compose files and Truss.
ENVIRONMENTS = ("env", "environment", "environment_variables")


def is_withheld(name: str, value: str) -> bool:
    """Whether a variable is a secret, which is not written as text."""
    return value != NO_KEY and is_secret(name, value)


def secrets_of(containers: Iterable[RenderedContainer]) -> list[str]:
    """Names of the variables that whoever starts these has to bring."""
    given = (variable for found in containers for variable in found.environment.items())
    return sorted({name for name, value in given if is_withheld(name, value)})


def notes_on_secrets(containers: Iterable[RenderedContainer]) -> tuple[str, ...]:
    """What to do before the start, where something has to be brought."""
    names = secrets_of(containers)
    return (f"not written, for secrets: {', '.join(names)}; export before you start",) * bool(names)


def holds_secret(text: str) -> bool:
    """Whether a file of YAML or another text holds a secret, so that only its owner may read it."""
    if without_secrets(text) != text:
        return True
    try:
        documents = plain_yaml.load_all(text)
        return any(is_withheld(*variable) for each in documents for variable in _variables(each))
    except yaml.YAMLError:
        return False


def _variables(node: Any) -> Iterator[tuple[str, str]]:
    """Variables with their values, however deep they stand."""
    if isinstance(node, list):
        for each in node:
            yield from _variables(each)
    if not isinstance(node, dict):
        return
    if isinstance(node.get("name"), str) and isinstance(node.get("value"), str):
        yield node["name"], node["value"]
    for key, value in node.items():
        if key in ENVIRONMENTS and isinstance(value, dict):
            yield from ((n, v) for n, v in value.items() if isinstance(v, str))
        yield from _variables(value)
