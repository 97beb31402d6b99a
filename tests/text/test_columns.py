"""Rows stand in columns."""

from gptoss.text.columns import columns


def test_every_column_is_as_wide_as_its_widest_cell() -> None:
    assert columns([("a", "bbb", "c"), ("aa", "b", "")]) == ["a   bbb  c", "aa  b"]


def test_numbers_stand_to_the_right() -> None:
    assert columns([("n", "size"), ("10", "1")], str.rjust) == [" n  size", "10     1"]
