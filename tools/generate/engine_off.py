"""The word "off" for null in engine settings of the chart's values."""

from __future__ import annotations

from typing import Any


def with_off(node: Any) -> Any:
    """A schema in which whatever may be null may also be the word "off".

    Helm drops null on its way from a parent chart's values; the chart makes null of the word. A
    pattern says it without an alternative, for Helm reports each alternative that fails.
    """
    if isinstance(node, list):
        return [with_off(item) for item in node]
    if not isinstance(node, dict):
        return node
    node = {key: with_off(value) for key, value in node.items()}
    kinds = node.get("type")
    if not isinstance(kinds, list) or "null" not in kinds:
        return node
    if "enum" in node:
        node["enum"] = [*node["enum"], "off"]
    elif "string" not in kinds:
        node["pattern"] = "^off$"
    if "string" not in kinds:
        node["type"] = [*kinds, "string"]
    return node
