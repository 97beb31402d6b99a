"""Each case of the smoke script sees what is wrong, and a right server passes them all."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.chart.good_model import good, sse
from tests.chart.odd_server import MODEL, Odd, Reply, odd_server
from tests.chart.test_scripts import script

OFFERED = ["--level", "full", "--structured", "yes", "--disaggregated", "yes"]
CHAT, RESPONSES = "/v1/chat/completions", "/v1/responses"


@pytest.fixture
def odd() -> Iterator[Odd]:
    with odd_server(good) as found:
        yield found


def smoke(odd: Odd, *words: str) -> int:
    code: int = script("smoke").main([odd.address, MODEL, *words])
    return code


def told(odd: Odd, capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    """The report as JSON."""
    smoke(odd, "--format", "json", *words)
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def spoil(odd: Odd, reply: Any) -> None:
    """Lets a server that is ready answer chat completions so."""

    def answer(path: str, body: Any) -> Any:
        is_asked = path == CHAT and isinstance(body, dict) and body["max_tokens"] != 1
        return reply if is_asked else good(path, body)

    odd.answer = answer


def case(odd: Odd, name: str, known: str = "") -> Any:
    """The result of one case."""
    module = script("smoke")
    server = module.Server(odd.address, MODEL, module.time.monotonic() + 20)
    (found,) = [found for found in module.CASES if found.id == name]
    return module.run_case(found, server, known)


def test_a_right_server_passes_every_case(odd: Odd, capsys: pytest.CaptureFixture[str]) -> None:
    report = told(odd, capsys, *OFFERED)
    wrong = {c["id"]: (c["status"], c["seen"]) for c in report["cases"] if c["status"] != "passed"}
    assert wrong == {}
    assert report["counts"] == {"passed": len(report["cases"]), "failed": 0}


def test_quick_asks_less_than_full_and_of_each_api(
    odd: Odd, capsys: pytest.CaptureFixture[str]
) -> None:
    quick = {case["id"] for case in told(odd, capsys)["cases"]}
    full = {case["id"] for case in told(odd, capsys, "--level", "full")["cases"]}
    assert quick < full
    assert {"models", "chat", "stream", "completions", "responses", "tools-auto"} <= quick


def content(text: str | None, reason: str = "stop", **more: Any) -> Any:
    message = {"content": text, "reasoning_content": "a"} | more
    return {"choices": [{"message": message, "finish_reason": reason}], "usage": {}}


def call(arguments: str, name: str = "get_weather", reason: str = "tool_calls") -> Any:
    calls = [{"id": "1", "function": {"name": name, "arguments": arguments}}]
    return content(None, reason, tool_calls=calls)


HALF = sse([{"choices": [{"delta": {"content": "Ear"}, "finish_reason": None}]}])
ENDED = sse([{"choices": [{"delta": {"content": "Earth"}, "finish_reason": "stop"}]}])
LOST = '_weather <|constrain|>json<|message|>{"city":"Paris"}'
EVENTS = "text/event-stream"


@pytest.mark.parametrize(
    ("name", "path", "reply", "seen"),
    [
        ("chat", CHAT, content("<|channel|>analysis<|message|>hm"), "raw harmony markup"),
        ("chat", CHAT, content("analysisOne word.assistantfinalEarth"), "raw harmony markup"),
        ("chat", CHAT, content(LOST), "raw harmony markup"),
        ("chat", CHAT, content("Mars"), "another answer: 'Mars'"),
        ("chat", CHAT, content(None, "length"), "no content, only reasoning; finish_reason 'leng"),
        ("chat", CHAT, content("", reasoning_content=""), "no text: ''"),
        ("chat", CHAT, content("Earth", "length"), "finish_reason 'length'"),
        ("chat", CHAT, {"choices": []}, "an answer of another shape: IndexError"),
        ("chat", CHAT, [], "HTTP 200: []"),
        ("chat", CHAT, Reply(b'{"error": {"message": "boom"}}', 500), "HTTP 500: boom"),
        ("chat", CHAT, Reply(b"<html>log in</html>", kind="text/html"), "HTTP 200 with HTML"),
        ("chat", CHAT, Reply(b'{"choi', short=9), "the answer is cut off"),
        ("usage", CHAT, content("Earth") | {"usage": None}, "usage None"),
        (
            "usage",
            CHAT,
            {"usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 4}},
            "'total_tokens': 4",
        ),
        ("stream", CHAT, Reply(HALF, kind=EVENTS), "cut off after 1 events, without [DONE]"),
        ("stream", CHAT, Reply(ENDED, kind=EVENTS), "without [DONE]"),
        ("stream", CHAT, Reply(HALF, kind=EVENTS, short=9), "the answer is cut off"),
        ("stream", CHAT, Reply(HALF + b"data: [DONE]\n\n", kind=EVENTS), "finish_reason []"),
        ("stream", CHAT, Reply(HALF + b"event: error\n: gone\n\n", kind=EVENTS), "an error in"),
        ("stream", CHAT, Reply(sse([{"error": "gone"}]), kind=EVENTS), "an error in the stream"),
        ("stream", CHAT, Reply(b"data: {\n\n", kind=EVENTS), "an answer of another shape"),
        ("stream", CHAT, content("Earth"), "application/json instead of an event stream"),
        ("reasoning-medium", CHAT, content("42", reasoning_content=None), "no reasoning beside"),
        ("reasoning-low", CHAT, content("42", reasoning_content="<|end|>"), "in the reasoning"),
        (
            "tools-auto",
            CHAT,
            content(LOST),
            "0 of 1 right; else no call; finish_reason 'stop'",
        ),
        ("tools-auto", CHAT, content(None), "no call; finish_reason 'stop', content None"),
        ("tools-auto", CHAT, call('{"city": "Par'), "arguments that are no JSON"),
        ("tools-auto", CHAT, call('{"town": "Paris"}'), "arguments that do not fit"),
        ("tools-auto", CHAT, call('{"city": 5}'), "arguments that do not fit"),
        ("tools-auto", CHAT, call("{}", "functions.x"), "'functions.x', which is no tool"),
        ("tools-auto", CHAT, call('{"city": "x"}', reason="stop"), "with finish_reason 'stop'"),
        ("tools-none", CHAT, call('{"city": "x"}'), "calls [{'id': '1'"),
        ("structured", CHAT, content("Earth has one."), "no JSON"),
        ("structured", CHAT, content('{"planet": "Earth"}'), "another shape"),
        ("top-p", CHAT, content("Earth"), "HTTP 200"),
        ("length", CHAT, content("Earth") | {"usage": {"completion_tokens": 9}}, "9 tokens"),
        ("unknown-model", CHAT, content("Earth"), "HTTP 200"),
        ("bad-json", CHAT, Reply(b"", 500), "HTTP 500 with an empty body"),
        ("long-prompt", CHAT, content("Earth"), "HTTP 200"),
        ("concurrent", CHAT, Reply(b"", 503), "50 of 50 lost: HTTP 503"),
        ("disaggregated", CHAT, {"nvext": {"worker_id": {"x": 1}}}, "no prefill worker"),
        ("no-prefill", CHAT, content("Earth"), "200"),
        ("responses", RESPONSES, {"status": "incomplete", "output": []}, "status 'incomplete'"),
        ("responses", RESPONSES, {"status": "completed", "output": []}, "no text"),
        ("responses-tools", RESPONSES, {"status": "completed", "output": []}, "no function_call"),
    ],
)
def test_a_wrong_answer_fails_its_case_with_what_was_seen(
    odd: Odd, name: str, path: str, reply: Any, seen: str
) -> None:
    odd.answer = lambda asked, body: reply if asked == path else good(asked, body)
    result = case(odd, name)
    assert (result.status, seen in result.seen) == ("failed", True), result.seen


def test_a_preamble_that_trtllm_serve_keeps_beside_a_call_is_right(odd: Odd) -> None:
    reply = call('{"city": "Paris"}')
    reply["choices"][0]["message"]["content"] = "<|channel|>commentary<|message|>I look.<|end|>"
    odd.answer = lambda *_: reply
    assert case(odd, "tools-auto").status == "passed"


def test_a_call_that_is_lost_now_and_then_is_a_rate(odd: Odd, capsys: Any) -> None:
    lost = iter([True, False, False])

    def answer(path: str, body: Any) -> Any:
        is_lost = isinstance(body, dict) and "tools" in body and path == CHAT and next(lost)
        return content(LOST) if is_lost else good(path, body)

    odd.answer = answer
    assert smoke(odd) == 0
    assert "2 of 3 right; else no call" in capsys.readouterr().out


def effort(odd: Odd, thoughts: Callable[[str], tuple[str, int, int]]) -> Any:
    def answer(_: str, body: Any) -> Any:
        words, prompt, tokens = thoughts(body["reasoning_effort"])
        usage = {"prompt_tokens": prompt, "completion_tokens": tokens}
        return content("42", reasoning_content=words) | {"usage": usage}

    odd.answer = answer
    return case(odd, "effort")


def test_effort_that_changes_nothing_does_not_reach_the_prompt(odd: Odd) -> None:
    result = effort(odd, lambda _: ("hm", 70, 30))
    assert (result.status, result.seen) == (
        "failed",
        "the same answer 6 times: 30 tokens at low, 30 at high effort",
    )


def test_effort_is_unknown_where_lengths_vary_and_do_not_tell(odd: Odd) -> None:
    lengths = iter([30, 40, 50, 31, 41, 51])
    result = effort(odd, lambda _: ("hm", 70, next(lengths)))
    assert (result.status, "too close to tell" in result.seen) == ("unknown", True)


@pytest.mark.parametrize(
    "thoughts",
    [
        lambda effort: ("hm", 70 + len(effort), 30),
        lambda effort: (effort, 70, 30),
        lambda effort: ("hm", 70, {"low": 30, "high": 300}[effort]),
    ],
)
def test_effort_that_changes_prompt_words_or_length_reaches_the_prompt(
    odd: Odd, thoughts: Callable[[str], tuple[str, int, int]]
) -> None:
    assert effort(odd, thoughts).status == "passed"


def test_effort_in_the_template_is_unknown_to_a_server_that_refuses_the_field(odd: Odd) -> None:
    odd.answer = lambda *_: Reply(b'{"message": "extra fields not permitted"}', 400)
    result = case(odd, "effort-template")
    assert (result.status, result.seen) == (
        "unknown",
        "this server does not take chat_template_args",
    )


def test_disaggregation_is_told_by_metrics_else_unknown(odd: Odd) -> None:
    odd.answer = lambda path, body: content("x") if path == CHAT else good(path, body)
    assert case(odd, "disaggregated").status == "passed"
    odd.answer = lambda *_: content("x")
    assert case(odd, "disaggregated").status == "unknown"


@pytest.mark.parametrize("fault", ["hang", "drip_head", "drip_body"])
def test_a_server_that_stops_answering_amid_the_cases_does_not_move_the_end(
    odd: Odd, fault: str, capsys: Any
) -> None:
    spoil(odd, getattr(odd, fault))
    assert smoke(odd, "--timeout", "1") == 1
    said = capsys.readouterr().out
    assert "no whole answer in time" in said
    assert "no time is left" in said


def test_what_is_known_in_a_release_does_not_fail_it(odd: Odd) -> None:
    odd.answer = lambda *_: content(LOST)
    result = case(odd, "tools-auto", "known in 1.2.1, right from 1.3.1: calls are lost")
    assert result.status == "known"


def test_a_server_that_answers_to_any_name_need_not_refuse_an_unknown_one(
    odd: Odd, capsys: pytest.CaptureFixture[str]
) -> None:
    report = told(odd, capsys, "--level", "full", "--names", "no")
    skipped = {case["id"] for case in report["cases"] if case["status"] == "skipped"}
    assert {"unknown-model", "responses-model"} <= skipped
    assert report["counts"]["failed"] == 0


def test_nobody_there_is_one_message_and_exit_2(capsys: pytest.CaptureFixture[str]) -> None:
    with odd_server(good) as gone:
        pass
    assert smoke(gone, "--wait", "1") == 2
    out, error = capsys.readouterr()
    assert "is not ready after 1 s: /v1/models: Connection refused" in error
    assert "passed" not in out


def test_a_killed_prefill_worker_must_make_requests_refused(odd: Odd, capsys: Any) -> None:
    odd.answer = lambda *_: Reply(b'{"message": "Prefill failed: no instances"}', 503)
    assert smoke(odd, "--prefill-killed") == 0
    assert "HTTP 503: Prefill failed: no instances" in capsys.readouterr().out
    odd.answer = good
    assert smoke(odd, "--prefill-killed") == 1
    with odd_server(good) as gone:
        pass
    assert smoke(gone, "--prefill-killed") == 2


def test_lines_fit_100_columns_and_carry_no_escapes(odd: Odd, capsys: Any) -> None:
    odd.answer = lambda path, body: (
        content("\x1b[31mMars" * 40)
        if path == CHAT and body["max_tokens"] > 1
        else good(path, body)
    )
    assert smoke(odd) == 1
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert max(len(line) for line in out.splitlines()) <= 100


def test_junit_counts_failures_and_what_was_skipped(odd: Odd, capsys: Any) -> None:
    spoil(odd, content("\x00Mars"))
    assert smoke(odd, "--format", "junit", "--level", "full") == 1
    suite = ElementTree.fromstring(capsys.readouterr().out)  # noqa: S314 (our own)
    failed = [case.get("name") for case in suite if case.find("failure") is not None]
    skipped = [case.get("name") for case in suite if case.find("skipped") is not None]
    assert "chat" in failed
    assert "structured" in skipped
    assert suite.attrib | {"name": ""} == {
        "name": "",
        "tests": str(len(suite)),
        "failures": str(len(failed)),
        "skipped": str(len(skipped)),
    }


def known(folder: Path, release: str) -> dict[str, str]:
    """What a copy of the script in a folder knows of a release."""
    module = script("smoke")
    module.__file__ = str(folder / "smoke.py")
    found: dict[str, str] = module.known_in(release)
    return found


def test_the_script_runs_without_facts_beside_it(tmp_path: Path) -> None:
    assert known(tmp_path, "1.2.1") == {}


def test_a_case_that_a_release_is_known_to_break_says_so_and_where_it_is_right(
    tmp_path: Path,
) -> None:
    fact = {"id": "effort-at-top", "what": "effort is ignored", "broken": ["1.2.1"]}
    other = {"id": "tool-message-without-call", "right": None}
    facts = {"known": [fact | {"right": "1.3.0"}, fact | other]}
    (tmp_path / "facts.json").write_text(json.dumps(facts), encoding="utf-8")
    told = known(tmp_path, "1.2.1")
    assert set(told) == {"effort", "effort-responses", "no-call"}
    assert told["effort"] == "known in 1.2.1: effort is ignored (right from 1.3.0)"
    assert told["no-call"] == "known in 1.2.1: effort is ignored (not right yet)"
    assert known(tmp_path, "1.3.1") == {}
