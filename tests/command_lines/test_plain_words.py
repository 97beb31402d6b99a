"""Promises of gptoss.command_lines.plain_words: flags of programs without facts."""

from __future__ import annotations

import pytest

from gptoss.command_lines.plain_words import plain_value
from gptoss.text.places import Located, Place


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("--revision abc", "abc"),
        ("--revision=abc", "abc"),
        ("--revision one --revision two", "two"),
        ("--revision -1", "-1"),
        ("--revision --token x", None),
        ("--revision", None),
        ("", None),
    ],
)
def test_a_flag_has_the_word_after_it_unless_that_is_a_flag(line: str, value: str | None) -> None:
    words = [Located(word, Place("line")) for word in line.split()]
    found = plain_value(words, "--revision")
    assert (found.value if found else None) == value
