"""The values file that an import writes is read back as it was meant."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gptoss.importing.document import WIDTH, Block, Leaf, count, is_writable, plain, put, written
from gptoss.text import plain_yaml

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**12), 10**12),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(codec="utf-8"), max_size=20),
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=5), inner, max_size=3),
    ),
    max_leaves=6,
)
keys = st.text("abcdefgh_/.-", min_size=1, max_size=8)
leaves = st.builds(Leaf, values, st.text("abc:# \n", max_size=8))
blocks = st.recursive(
    st.dictionaries(keys, leaves, min_size=1, max_size=3),
    lambda inner: st.dictionaries(keys, st.one_of(leaves, inner), min_size=1, max_size=3),
    max_leaves=8,
)


@given(blocks)
def test_what_is_written_is_read_back(block: Block) -> None:
    assert plain_yaml.load(written(block)) == plain(block)


@pytest.mark.parametrize(
    "text", ["on", "No", "1e3", "0x10", "1_000", "1:20", "", "~", "null", "- a", "a: b", "#", "1.5"]
)
def test_text_that_readers_take_for_something_else_is_quoted(text: str) -> None:
    assert written({"key": Leaf(text)}).startswith('key: "')


@pytest.mark.parametrize("text", ["gb200", "openai/gpt-oss-120b", "1.2.1", "80Gi", "--verbose"])
def test_plain_text_has_no_quotes(text: str) -> None:
    assert written({"key": Leaf(text)}) == f"key: {text}\n"


def test_a_comment_stands_at_the_end_of_its_line() -> None:
    assert written({"a": {"b": Leaf(1, "f.yaml:3")}}) == "a:\n  b: 1  # f.yaml:3\n"


def test_a_comment_that_does_not_fit_stands_above() -> None:
    text = written({"key": Leaf("x" * 80, "f" * 30)})
    assert text == f"# {'f' * 30}\nkey: {'x' * 80}\n"


def test_a_long_list_has_one_element_a_line() -> None:
    words = [f"--flag-{number}" for number in range(20)]
    text = written({"args": Leaf(words, "f.yaml:3")})
    assert max(map(len, text.splitlines())) <= WIDTH
    assert plain_yaml.load(text) == {"args": words}


def test_a_block_without_settings_is_left_out() -> None:
    assert written({"empty": {"inner": {}}, "key": Leaf(1)}) == "key: 1\n"


def test_settings_are_put_at_dotted_paths_and_counted() -> None:
    block: Block = {}
    put(block, "a.b", Leaf(1))
    put(block, "a.c", Leaf(2))
    put(block, "a.b.d", Leaf(3))
    assert plain(block) == {"a": {"b": {"d": 3}, "c": 2}}
    assert count(block) == 2


@pytest.mark.parametrize("value", [float("inf"), float("nan"), {1: 2}, [float("inf")]])
def test_what_json_cannot_hold_is_not_writable(value: Any) -> None:
    assert not is_writable(value)
    assert is_writable({"a": [1, "b", None, 0.5, True]})
