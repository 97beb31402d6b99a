"""The shipped dashboards, and what their panels ask Prometheus for."""

from __future__ import annotations

import json
from typing import Any

from gptoss.facts import folders
from tests.promql import Asked, asked, shown

FOLDER = folders.chart() / "dashboards"
DASHBOARDS = tuple(sorted(path.stem for path in FOLDER.glob("*.json")))


def dashboard(name: str) -> dict[str, Any]:
    """A shipped dashboard."""
    loaded: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
    return loaded


def expressions(of: dict[str, Any]) -> list[tuple[str, str]]:
    """The title of each panel with each expression that it sends."""
    return [
        (panel["title"], shown(target["expr"]))
        for panel in of["panels"]
        for target in panel["targets"]
    ]


def asked_by(of: dict[str, Any]) -> list[tuple[str, Asked]]:
    """Every metric that a dashboard shows, with its panel's title."""
    return [(title, found) for title, text in expressions(of) for found in asked(text)]
