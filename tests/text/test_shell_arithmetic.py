"""Promises of gptoss.text.shell.arithmetic: numbers are those of the shell."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gptoss.text.shell.arithmetic import evaluate


@given(st.integers(0, 99), st.integers(1, 99), st.sampled_from("+-*/%"))
def test_arithmetic_is_that_of_the_shell(left: int, right: int, operator: str) -> None:
    value = {
        "+": left + right,
        "-": left - right,
        "*": left * right,
        "/": left // right,
        "%": left % right,
    }[operator]
    assert evaluate(f"x {operator} {right}", {"x": str(left)}, []) == (value, {})


@pytest.mark.parametrize("expression", ["", "x", "1 +", "1 / 0", "9" * 30, "(" * 90, "1 ? 2 : 3"])
def test_arithmetic_that_is_not_known_has_no_value(expression: str) -> None:
    assert evaluate(expression, {}, []) == (None, {})


@pytest.mark.parametrize(
    ("expression", "value", "changes"),
    [
        ("x++", 3, {"x": "4"}),
        ("++x", 4, {"x": "4"}),
        ("y = x + 1", 4, {"y": "4"}),
        ("x *= 2, y = x", 6, {"x": "6", "y": "6"}),
        ("0 && (x = 9)", 0, {}),
        ("x > 2 || y", 1, {}),
        ("1 + 2 * 3 == 7", 1, {}),
        ("z = y + 1", None, {"z": None, "y": None}),
    ],
)
def test_assignments_are_told(
    expression: str, value: int | None, changes: dict[str, str | None]
) -> None:
    values = {"x": "3", "y": None} if value is None else {"x": "3", "y": "0"}
    assert evaluate(expression, values, []) == (value, changes)
