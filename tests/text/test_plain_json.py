"""Promises of gptoss.text.plain_json."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gptoss.text import plain_json

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=10,
)


@given(values)
def test_json_is_read_as_any_reader_reads_it(value: Any) -> None:
    text = json.dumps(value)
    assert plain_json.load(f" {text}\n") == value
    assert plain_json.load_first(f"{text}, more") == (value, len(text))


@pytest.mark.parametrize("opened", ["[", '{"a":'])
@pytest.mark.parametrize("depth", [66, 500, 900, 100_000])
def test_json_that_is_too_deep_is_refused(opened: str, depth: int) -> None:
    closed = "]" if opened == "[" else "}"
    with pytest.raises(ValueError, match="nested deeper than 64"):
        plain_json.load(opened * depth + "1" + closed * depth)


def test_brackets_in_texts_and_beside_each_other_are_no_depth() -> None:
    assert plain_json.load(json.dumps("[" * 1000)) == "[" * 1000
    assert plain_json.load(json.dumps([[]] * 1000)) == [[]] * 1000


@pytest.mark.parametrize("text", ["", "{", "1 2", "9" * 5000])
def test_what_is_no_json_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        plain_json.load(text)
