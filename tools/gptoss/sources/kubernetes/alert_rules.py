"""Reads alerts of PrometheusRules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.deployment.alerts import Alert
from gptoss.sources.parts.reading import a_map, maps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.sources.parts.reading import Scope
    from gptoss.text.yaml_tree import Tree

KIND = "PrometheusRule"


def alerts(trees: list[Tree], root: Scope) -> Iterator[Alert]:
    """The alerts among objects.

    Raises:
        InputError: A field has a shape that the API server would refuse.
    """
    for tree in trees:
        spec = a_map(tree.at("spec"), "spec") if tree.text("kind") == KIND else None
        for group in maps(spec.at("groups"), "groups") if spec else ():
            for rule in maps(group.at("rules"), "rules"):
                name, expression = rule.text("alert"), rule.at("expr")
                if name and expression:
                    place = root.at("alerts", expression.where)
                    yield Alert(name, str(expression.value), place)
