"""Where deployments stand, as text and as JSON."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from gptoss.cluster.pod_words import State
from gptoss.text.as_json import json_text
from gptoss.text.printable import painted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gptoss.cluster.standing import Standing

WIDTH = 100
STYLES = {
    State.OK: "ok",
    State.WORKING: "hint",
    State.WRONG: "error",
    State.UNKNOWN: "warning",
}


def as_text(found: Sequence[Standing], paint: Callable[[str, str], str]) -> str:
    """A sentence for each deployment, a paragraph for each of its parts, and what to type."""
    return "\n\n".join(_block(each, paint) for each in found)


def _block(standing: Standing, paint: Callable[[str, str], str]) -> str:
    where = f" of {standing.context}" if standing.context else ""
    head = f"{standing.name} in namespace {standing.namespace}{where}: {standing.verdict}"
    lines = [*textwrap.wrap(head, WIDTH, break_on_hyphens=False), ""]
    states = max(len(words.state) for words in standing.parts.values())
    names = max(map(len, standing.parts))
    indent = " " * (2 + states + 2 + names + 2)
    for name, words in standing.parts.items():
        told = textwrap.wrap(words.text, WIDTH - len(indent), break_on_hyphens=False) or [""]
        state = paint(words.state.ljust(states), STYLES[words.state])
        lines.append(f"  {state}  {name.ljust(names)}  {told[0]}")
        lines += [f"{indent}{line}" for line in told[1:]]
        lines += [f"{indent}{paint(words.do, 'hint')}"] if words.do else []
    return "\n".join(map(painted, lines))


def as_json(found: Sequence[Standing]) -> str:
    """The same for programs."""
    return json_text([_data(each) for each in found])


def _data(standing: Standing) -> dict[str, object]:
    parts = [
        {"part": name, "state": words.state, "says": words.text, "do": words.do or None}
        for name, words in standing.parts.items()
    ]
    return {
        "name": standing.name,
        "namespace": standing.namespace,
        "context": standing.context or None,
        "serves": standing.serves,
        "says": standing.says,
        "parts": parts,
    }
