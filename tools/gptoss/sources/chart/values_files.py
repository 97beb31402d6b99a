"""Whether a file is a values file of the chart: it has the chart's keys, at its top and below them.

This module imports nothing heavy: Helm starts before Python has imported its libraries.
"""

from __future__ import annotations

import json
import re
from functools import cache
from typing import TYPE_CHECKING, Any

from gptoss.facts import folders
from gptoss.sources.given import MANIFEST
from gptoss.sources.recognise import other_chart
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from gptoss.sources.given import GivenFile
    from gptoss.text.yaml_tree import Tree

# Keys at the top that others have too: an engine file names its model.
SHARED = ("model",)


def is_values(file: GivenFile) -> bool:
    """Whether a file is a values file of the chart.

    Half of the keys at its top have to be the chart's, and half of those below these, so that a
    misspelt one is still told.
    """
    text = "" if file.is_stdin else file.text
    if not _top().search(text) or MANIFEST.search(text):
        return False
    try:
        tree = next(iter(file.trees), None)
    except InputError:
        return file.is_yaml
    return tree is not None and tree.is_map and not other_chart(tree) and has_our_keys(tree)


def has_our_keys(tree: Tree) -> bool:
    """Whether most of a map's keys are the chart's, at its top and below them."""
    ours = _keys()
    found = [
        (value, ours[key])
        for key, value in tree.items()
        if key in ours and (value.is_container or value.value is None or not ours[key])
    ]
    below = [(key, known) for value, known in found if known for key, _ in value.items()]
    return 2 * len(found) >= len(tree.value) and 2 * sum(k in ks for k, ks in below) >= len(below)


@cache
def _keys() -> dict[str, frozenset[str]]:
    """The chart's keys with those below each; none where every key is allowed."""
    schema = json.loads(folders.values_schema().read_text(encoding="utf-8"))
    return {
        name: frozenset(_resolved(value, schema).get("properties", ()))
        for name, value in schema["properties"].items()
    }


def _resolved(schema: dict[str, Any], root: dict[str, Any]) -> dict[str, Any]:
    reference: str = schema.get("$ref", "")
    return root["$defs"][reference.rpartition("/")[2]] if reference else schema


@cache
def _top() -> re.Pattern[str]:
    """Finds a key that only a values file has at its top."""
    return re.compile(rf"^({'|'.join(_keys().keys() - set(SHARED))}):", re.MULTILINE)
