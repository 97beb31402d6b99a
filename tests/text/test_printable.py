"""What an input says, shown as one line."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gptoss.text.printable import printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\n::error::b\r", r"a\n::error::b\r"),
        ("\x1b]0;title\x07\x7f\x9b", r"\x1b]0;title\x07\x7f\x9b"),
        ("\u202eexe.yaml\u2069", r"\u202eexe.yaml\u2069"),
        ("a\u2028b\u2029c\x85d", r"a\u2028b\u2029c\x85d"),
        (b"caf\xe9.yaml".decode("utf-8", "surrogateescape"), r"caf\xe9.yaml"),
        ("\ud83d", r"\ud83d"),
    ],
)
def test_what_a_terminal_or_a_log_would_obey_is_escaped(text: str, shown: str) -> None:
    assert printable(text) == shown


@pytest.mark.parametrize("text", ["", "a\tb", "Größe 4×TP1→2 …", "名前", "🙂", r"C:\new"])
def test_other_text_stays_as_it_is(text: str) -> None:
    assert printable(text) == text


@given(st.text(st.characters(codec=None)))
def test_any_text_becomes_one_line_that_can_be_written(text: str) -> None:
    shown = printable(text)
    assert len(shown.splitlines()) <= 1
    assert shown.encode().decode() == shown
    assert not any(unicodedata.category(c) == "Cc" and c != "\t" for c in shown)
    assert printable(shown) == shown
