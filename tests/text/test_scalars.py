"""What is written as YAML reads as the same value."""

import math

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from gptoss.text.scalars import flow, scalar

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS
)


@given(SCALARS, st.sampled_from(["", "'", '"']))
def test_a_scalar_reads_as_itself(value: object, quote: str) -> None:
    text = scalar(value, quote)
    assert "\n" not in text
    assert yaml.safe_load(text) == value


@given(st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner)))
def test_lists_and_maps_read_as_themselves(value: object) -> None:
    assert yaml.safe_load(flow(value)) == value


@pytest.mark.parametrize(
    "text", ["decode", "--max-batch-size", "--x=0.5", "80Gi", "1.3.0rc14", "a:b", "openai/gpt-oss"]
)
def test_plain_texts_need_no_quotes(text: str) -> None:
    assert scalar(text) == text


@pytest.mark.parametrize(
    "text", ["yes", "Null", "1e3", "12", "0x10", "1_000", "2026-01-01", "1:30", "a: b", "a,b", "~"]
)
def test_texts_that_some_reader_takes_for_something_else_are_quoted(text: str) -> None:
    assert scalar(text) == f'"{text}"'


def test_small_numbers_stay_numbers() -> None:
    assert math.isclose(yaml.safe_load(scalar(1e-05)), 1e-05)
