from pathlib import Path

import pytest

from gptoss.text.errors import InputError
from sweep.cases import Absent, shown
from sweep.judgements import Judgements, value_of

KEYS = {
    "size": {0: "cannot, nothing fits", "else": "harmless, it fits"},
    "*.grace": {"absent": "harmless, there is a default"},
    "pod.*": {"else": {"is": "otherwise", "because": "it waits", "silent": "nobody knows"}},
}


def judgements(keys: dict[str, dict[object, object]] = KEYS) -> Judgements:  # type: ignore[assignment]
    return Judgements(Path("some.yaml"), {"keys": keys})


def outcome(key: str, value: str, refusal: str = "") -> str | None:
    verdict = judgements().verdict(key, value, refusal)
    return verdict.outcome if verdict else None


def test_a_value_is_judged_by_what_stands_under_it_else_by_what_stands_under_else() -> None:
    assert outcome("size", "0") == "cannot"
    assert outcome("size", "7") == "harmless"


def test_what_the_schema_refuses_needs_no_judgement_but_may_have_one() -> None:
    assert outcome("size", "many", refusal="a number is wanted") == "refused"
    assert outcome("size", "0", refusal="more than 0 is wanted") == "cannot"
    assert outcome("unknown", "many", refusal="a number is wanted") == "refused"


def test_patterns_count_in_their_order_and_each_for_the_values_that_it_names() -> None:
    assert outcome("pod.grace", "absent") == "harmless"
    assert outcome("pod.grace", "1") == "otherwise"


def test_a_key_that_nobody_judged_has_no_verdict() -> None:
    assert judgements().verdict("unknown", "1", "") is None


def test_a_verdict_without_a_reason_or_with_an_unknown_outcome_is_refused() -> None:
    for wrong in ("harmless", "fine, it works", {"is": "cannot"}, {"is": "cannot", "why": "so"}):
        with pytest.raises(InputError, match=r"some\.yaml: size: 0"):
            judgements().read("size", 0, wrong)


def test_values_are_shown_as_they_are_written_under_a_key() -> None:
    for value in (0, True, None, "other", "null", "5", [1], {"a": "b"}, Absent):
        assert value_of_shown(value) == value


def value_of_shown(value: object) -> object:
    text = shown(value)
    plain = text[0] in '[{"' or value is Absent or isinstance(value, str)
    return value_of(text) if plain else value
