"""What expressions ask Prometheus for, read with a parser of its language."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import promql_parser

if TYPE_CHECKING:
    from collections.abc import Iterator

# Labels that a cluster's Prometheus adds.
ADDED = ("namespace", "pod")
# What Grafana fills in.
FILLED = {"$__rate_interval": "1m", "$namespace": ".*", "$pods": ".*", "$gpus": "4"}


@dataclass(frozen=True)
class Asked:
    """A metric that an expression asks for.

    Attributes:
        name: The metric's name.
        selector: All of it, as it is written in the language.
        labels: Labels with the values that it must have, those left out that a cluster adds.
        by: Labels that it is grouped by.
    """

    name: str
    selector: str
    labels: dict[str, str]
    by: tuple[str, ...]


def shown(expression: str) -> str:
    """A panel's expression as Grafana sends it."""
    for word, value in FILLED.items():
        expression = expression.replace(word, value)
    return expression


def asked(expression: str) -> list[Asked]:
    """Every metric that an expression asks for."""
    return list(_asked(promql_parser.parse(expression), ()))


def _asked(node: Any, by: tuple[str, ...]) -> Iterator[Asked]:
    if isinstance(node, promql_parser.VectorSelector):
        labels = {m.name: m.value for m in node.matchers.matchers if m.name not in ADDED}
        yield Asked(str(node.name), node.prettify(), labels, by)
    elif isinstance(node, promql_parser.MatrixSelector):
        yield from _asked(node.vector_selector, by)
    elif isinstance(node, promql_parser.AggregateExpr):
        yield from _asked(node.expr, tuple(node.modifier.labels) if node.modifier else ())
    elif isinstance(node, promql_parser.Call):
        for argument in node.args:
            yield from _asked(argument, by)
    elif isinstance(node, promql_parser.BinaryExpr):
        yield from _asked(node.lhs, by)
        yield from _asked(node.rhs, by)
    elif isinstance(node, promql_parser.ParenExpr):
        yield from _asked(node.expr, by)
    else:
        assert isinstance(node, promql_parser.NumberLiteral), type(node)
