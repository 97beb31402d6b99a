"""The values reference: every group's example is taken by the chart."""

from typing import Any

import pytest

from generate.chart_readme import groups
from gptoss.values.contract import Values
from tests.chart.rendering import with_values

GROUPS = {group["title"]: group["example"] for group in groups(Values.model_json_schema())}


@pytest.mark.parametrize("title", GROUPS)
def test_the_example_of_a_group_of_values_renders(title: str) -> None:
    example: dict[str, Any] = GROUPS[title]
    assert with_values(example)
