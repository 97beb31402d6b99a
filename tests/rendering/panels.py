"""What the shipped dashboards ask Prometheus for, read with a parser of its language."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import promql_parser

from gptoss.facts import folders

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = folders.chart() / "dashboards"
DASHBOARDS = tuple(sorted(path.stem for path in FOLDER.glob("*.json")))
# A label that a cluster's Prometheus adds; the other is a duration that Grafana fills in.
ADDED = "namespace"
RATE = "$__rate_interval"


@dataclass(frozen=True)
class Asked:
    """A metric that a panel shows.

    Attributes:
        panel: The panel's title.
        name: The metric's name.
        labels: Labels with the values that it must have.
        by: Labels that it is grouped by.
    """

    panel: str
    name: str
    labels: dict[str, str]
    by: tuple[str, ...]


def dashboard(name: str) -> dict[str, Any]:
    """A shipped dashboard."""
    loaded: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
    return loaded


def asked(name: str) -> list[Asked]:
    """Every metric that a dashboard shows."""
    return [
        found
        for panel in dashboard(name)["panels"]
        for target in panel["targets"]
        for found in _asked(panel["title"], promql_parser.parse(shown(target["expr"])), ())
    ]


def shown(expression: str) -> str:
    """An expression as Grafana sends it."""
    return expression.replace(RATE, "1m").replace("$namespace", ".*")


def _asked(panel: str, node: Any, by: tuple[str, ...]) -> Iterator[Asked]:
    if isinstance(node, promql_parser.VectorSelector):
        matchers = node.matchers.matchers
        labels = {m.name: m.value for m in matchers if m.name not in (ADDED, "__name__")}
        yield Asked(panel, str(node.name), labels, by)
    elif isinstance(node, promql_parser.MatrixSelector):
        yield from _asked(panel, node.vector_selector, by)
    elif isinstance(node, promql_parser.AggregateExpr):
        yield from _asked(panel, node.expr, tuple(node.modifier.labels) if node.modifier else ())
    elif isinstance(node, promql_parser.Call):
        for argument in node.args:
            yield from _asked(panel, argument, by)
    else:
        assert isinstance(node, promql_parser.NumberLiteral), type(node)
