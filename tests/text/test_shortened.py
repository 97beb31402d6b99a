"""Messages are as long as a person reads."""

from hypothesis import given
from hypothesis import strategies as st

from gptoss.text.errors import InputError
from gptoss.text.shortened import LONGEST, shortened


@given(st.text(max_size=3 * LONGEST))
def test_a_text_keeps_its_beginning_and_whole_words(text: str) -> None:
    found = shortened(text)
    assert len(found) <= LONGEST + 2
    if found != text:
        kept = found.removesuffix(" …")
        assert text.startswith(f"{kept} ") or not kept


def test_a_word_that_would_be_cut_is_left_out() -> None:
    secret = "https://user:" + "p" * 3000 + "@host"
    assert shortened(f"the value {secret} is odd") == "the value …"


def test_errors_are_no_longer_than_that() -> None:
    assert len(str(InputError("x " * 100_000))) <= LONGEST + 2
