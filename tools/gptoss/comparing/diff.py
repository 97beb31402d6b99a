"""What ``gptoss diff`` compares and prints."""

from __future__ import annotations

import textwrap
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gptoss.sources.given import SCRIPT_SUFFIXES
from gptoss.sources.load import load
from gptoss.sources.request import Request, plan_of
from gptoss.text.as_json import json_line, json_text, safe
from gptoss.text.columns import row
from gptoss.text.errors import InputError
from gptoss.text.files import is_there
from gptoss.text.printable import printable
from gptoss.text.secrets import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gptoss.comparing.compare import Difference
    from gptoss.deployment.model import Deployment
    from gptoss.text.places import Place

WIDTH = 100
SETTING_WIDTH = 46


def side(text: str) -> Request:
    """What one side asks for: ``SOURCE[,SOURCE…][@RELEASE]``.

    Overlays that follow a target are laid over it, a script is its benchmark; manifests are read
    together. A file whose name holds a comma or an at sign is taken for what it is.
    """
    name, release = text, None
    if not is_there(text):
        before, at, after = text.rpartition("@")
        name, release = (before, after) if at else (text, None)
    first, *others = [name] if is_there(name) else name.split(",")
    request = Request((first,), release=release)
    if others and plan_of(request).charts:
        scripts = [other for other in others if Path(other).suffix in SCRIPT_SUFFIXES]
        overlays = [other for other in others if other not in scripts]
        return replace(request, sources=(first, *scripts), files=tuple(overlays))
    return replace(request, sources=(first, *others))


def read(text: str, name: str | None = None) -> Deployment:
    """The one deployment that a side names.

    Args:
        text: The side as it is typed.
        name: Name of the Helm release, where the side is a target.

    Raises:
        InputError: It cannot be read, Helm refuses it, or it is not one deployment.
    """
    request = side(text)
    if name and plan_of(request).charts:
        request = replace(request, name=name)
    deployments = load(request).deployments
    if len(deployments) != 1:
        names = ", ".join(deployment.name for deployment in deployments) or "none"
        raise InputError(f"{text} holds {len(deployments)} deployments ({names}); name one")
    deployment = deployments[0]
    if deployment.is_refused:
        problem = deployment.problems[0]
        raise InputError(f"{text}: {problem.message}", problem.place)
    return deployment


def as_json(labels: tuple[str, str], found: Sequence[Difference]) -> str:
    """The differences as JSON."""
    report = {
        "left": labels[0],
        "right": labels[1],
        "equal": not found,
        "differences": [
            {
                "subject": difference.subject,
                "setting": difference.setting,
                "left": safe(difference.setting, difference.left),
                "right": safe(difference.setting, difference.right),
                "left_place": _place(difference.left_place),
                "right_place": _place(difference.right_place),
            }
            for difference in found
        ],
    }
    return json_text(report)


def as_text(labels: tuple[str, str], found: Sequence[Difference], places: bool = False) -> str:
    """The differences as a table of at most 100 columns.

    Args:
        labels: What the user called both sides.
        found: The differences.
        places: Whether to say below each who sets it.
    """
    if not found:
        return f"{labels[0]} and {labels[1]}: every setting in force is the same"
    width = min(SETTING_WIDTH, max(len(difference.setting) for difference in found))
    rest = (WIDTH - width - 6) // 2
    lines = list(_row(("", *labels), width, rest))
    for subject in dict.fromkeys(difference.subject for difference in found):
        lines += ["", subject]
        for difference in found:
            if difference.subject == subject:
                setting = difference.setting
                values = _text(setting, difference.left), _text(setting, difference.right)
                lines += _row((setting, *values), width, rest)
                if places:
                    who = _who(difference.left_place), _who(difference.right_place)
                    lines += _row(("", *who), width, rest)
    count = len(found)
    told = f"{count} setting{'s' * (count > 1)} in force differ{'s' * (count == 1)}"
    return "\n".join([*map(printable, lines), "", told])


def _row(cells: tuple[str, ...], first: int, rest: int) -> Iterator[str]:
    """A row of the table; what does not fit a column goes on below."""
    widths = (first, rest, rest)
    wrapped = [
        textwrap.wrap(cell, width, break_on_hyphens=False) or [""]
        for cell, width in zip(cells, widths, strict=True)
    ]
    for parts in zip_longest(*wrapped, fillvalue=""):
        yield f"  {row(parts, widths)}".rstrip()


def _text(setting: str, value: object) -> str:
    if value is None:
        return "not set"
    return shown(setting, value) if isinstance(value, str) and value else json_line(value)


def _who(place: Place | None) -> str:
    return f"{place.file}:{place.line}" if place else "default"


def _place(place: Place | None) -> dict[str, Any] | None:
    return place._asdict() if place else None
