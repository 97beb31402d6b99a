"""V: what Helm refuses before anything is rendered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.rules.rule import Said, Severity, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Problem


@rule(
    "V001",
    "refused-by-values-schema",
    Severity.ERROR,
    reports="values-schema",
)
def refused_by_values_schema(problem: Problem) -> Iterator[Said]:
    """A value that the chart's schema does not know, or of another type than it takes.

    Helm refuses to render it, so that nothing is installed. The schema holds every key of the
    chart and of the engine configuration of the TensorRT-LLM that the release ships.
    """
    hint = "charts/gpt-oss/README.md lists the chart's keys and their types"
    if ".engine" in problem.message:
        hint = "schema/engine/fields.yaml lists the keys that each TensorRT-LLM takes"
    yield Said(problem, problem.message, hint)


@rule(
    "V002",
    "refused-by-chart",
    Severity.ERROR,
    reports="chart-guard",
)
def refused_by_chart(problem: Problem) -> Iterator[Said]:
    """A value that contradicts another one, so that the chart does not render.

    GPU counts follow from the engine configuration, roles come in pairs, names have to fit: what
    can only be a mistake fails while rendering, with the value to set.
    """
    message, _semicolon, hint = problem.message.rpartition("; ")
    yield Said(problem, message or hint, hint)
