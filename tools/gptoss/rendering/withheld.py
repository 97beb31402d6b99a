"""Secrets of a target: scripts and compose files take them from whoever starts them."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from gptoss.facts import folders
from gptoss.text.secrets import has_secrets, is_secret

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gptoss.rendering.one_container import RenderedContainer


def holds_secret(text: str) -> bool:
    """Whether a rendered file holds a secret; the chart's own scripts only speak of some."""
    own = _own_lines()
    return has_secrets("\n".join(line for line in text.split("\n") if line.strip() not in own))


@cache
def _own_lines() -> frozenset[str]:
    scripts = folders.chart_script("").glob("*.py")
    return frozenset(
        line.strip() for path in scripts for line in path.read_text("utf-8").splitlines()
    )


def secrets_of(containers: Iterable[RenderedContainer]) -> list[str]:
    """Names of the variables that whoever starts these has to bring."""
    given = (variable for found in containers for variable in found.environment.items())
    return sorted({name for name, value in given if is_secret(name, value)})


def notes_on_secrets(containers: Iterable[RenderedContainer]) -> tuple[str, ...]:
    """What to do before the start, where something has to be brought."""
    names = secrets_of(containers)
    return (f"not written, for secrets: {', '.join(names)}; export before you start",) * bool(names)
