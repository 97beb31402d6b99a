"""What a rehearsal tells of what its clients saw."""

from __future__ import annotations

import json
from dataclasses import replace

from gptoss.live.clients import Kind, Outcome
from gptoss.live.completions import Answer
from gptoss.live.questions import questions
from gptoss.live.rehearsal_report import as_json, as_text
from gptoss.live.rehearsed import Rehearsal, Way, way
from gptoss.live.rollover import Stretch

STRETCHES = [
    Stretch("before", 0, 10),
    Stretch("the new decode still loads", 10, 20, as_a_load=True),
    Stretch("after", 20, 30),
]
BY_NAME = {question.name: question for question in questions(100, 10)}
EARTH = Answer("Earth", "The effort is low.", (), "stop")
CALLED = Answer("", "Think.", (("get_weather", '{"city": "Paris"}'),), "tool_calls")
LOST = Answer("_weather json", "Think.", (), "stop")


def answered(at: float, name: str = "chat 1", answer: Answer = EARTH) -> Outcome:
    return Outcome(BY_NAME[name], "a", at - 1, at, None, Kind.OK, 200, "", answer)


def failed(at: float, kind: Kind, status: int | None = None, detail: str = "") -> Outcome:
    return Outcome(BY_NAME["stream 1"], "a", at - 1, at, None, kind, status, detail)


def seen(*outcomes: Outcome) -> Way:
    return way("1.2.1", "1.3.1", STRETCHES, outcomes)


def told(out: Way, back: Way | None = None) -> Rehearsal:
    return Rehearsal("disagg", "operator", (out, back or seen()), ("played: the engine",))


def test_a_request_belongs_to_the_part_of_the_update_in_which_it_ended() -> None:
    found = seen(answered(10.5), failed(12, Kind.REFUSED, 503, "not now"), failed(21, Kind.CUT))
    assert [part.answered for part in found.seen] == [0, 1, 0]
    assert found.seen[1].refused == {"503": 1}
    assert found.seen[2].lost == {"cut off": 1}
    assert found.failed == 2


def test_one_refusal_or_loss_on_either_way_is_not_clean() -> None:
    assert told(seen(answered(5))).is_clean
    for kind in (Kind.CUT, Kind.ERROR, Kind.UNREACHABLE, Kind.SLOW):
        assert not told(seen(failed(12, kind))).is_clean
    assert not told(seen(), seen(failed(12, Kind.REFUSED, 404))).is_clean


def test_a_call_that_only_the_old_release_loses_is_better_and_clean() -> None:
    out = seen(answered(5, "tool 1", LOST), answered(25, "tool 1", CALLED))
    (parsed,) = out.parsed
    assert (parsed.verdict, parsed.before, parsed.after) == ("better", 1, 0)
    assert "no tool call" in parsed.example_before
    assert parsed.example_after == "right"
    assert told(out).is_clean


def test_a_call_that_only_the_new_release_loses_is_worse_and_not_clean() -> None:
    out = seen(answered(5, "tool 1", CALLED), answered(25, "tool 1", LOST))
    assert out.parsed[0].verdict == "worse"
    assert not told(out).is_clean
    assert "parses worse: tool" in as_text(told(out))


def test_right_answers_in_other_words_are_told_and_clean() -> None:
    other = replace(EARTH, reasoning="Hm.")
    out = seen(answered(5), answered(25, answer=other))
    assert out.parsed[0].verdict == "different"
    assert out.parsed[0].example_after == "reasoning 'Hm.'"
    assert told(out).is_clean


def test_a_wrong_answer_during_the_update_is_counted_where_it_came() -> None:
    assert seen(answered(15, "tool 1", LOST)).seen[1].wrong == {"tool": 1}


def test_the_text_fits_100_columns_and_marks_what_lasts_as_long_as_a_load() -> None:
    text = as_text(told(seen(failed(12, Kind.REFUSED, 503, "not now " * 40))))
    assert "the new decode still loads *" in text
    assert "1 refused: 503, not now" in text
    assert "1 on the way there, 0 on the way back (try --order beside)" in text
    assert max(map(len, text.splitlines())) <= 100


def test_the_json_gives_each_part_with_its_counts() -> None:
    report = json.loads(as_json(told(seen(failed(12, Kind.REFUSED, 503, "not now")))))
    assert report["clean"] is False
    (out, _) = report["ways"]
    assert (out["refused"], out["refusedBy"], out["lost"]) == (1, {"503": 1}, 0)
    part = out["stretches"][1]
    assert (part["refused"], part["lastsAsALoad"]) == ({"503": 1}, True)
    assert part["said"] == {"refused 503": "not now"}
