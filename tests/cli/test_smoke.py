"""``gptoss smoke`` as people use it: the chart's script, told what a target offers."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from click.testing import CliRunner, Result

from gptoss.cli import main
from gptoss.live.smoke import script, words_for_target
from gptoss.sources.request import Request
from tests.chart.good_model import good
from tests.chart.odd_server import LISTING, Odd, Reply, odd_server


@pytest.fixture
def odd() -> Iterator[Odd]:
    with odd_server(good) as found:
        yield found


def run(*words: str) -> Result:
    return CliRunner().invoke(main, ["smoke", *words], catch_exceptions=False)


def words_of(target: str, *settings: str) -> dict[str, str]:
    """What the script is told of a target, the address and the model under their own names."""
    words = words_for_target(Request((target,), settings=settings), None, None)
    return {"url": words[0], "model": words[1], **dict(zip(words[2::2], words[3::2], strict=True))}


def test_an_address_is_asked_for_the_model_that_it_lists(odd: Odd) -> None:
    result = run(odd.address)
    assert result.exit_code == 0
    assert result.output.endswith("10 passed, 0 failed\n")
    assert "\x1b" not in result.output


def test_an_address_that_lists_several_models_needs_a_name(odd: Odd) -> None:
    several = {"data": [*LISTING["data"], {"id": "other"}]}
    odd.answer = lambda path, body: several if path == "/v1/models" else good(path, body)
    result = run(odd.address)
    assert result.exit_code == 2
    assert "lists openai/gpt-oss-120b, other; say which to ask for, with --model" in result.output
    assert run(odd.address, "--model", "openai/gpt-oss-120b").exit_code == 0


@pytest.mark.parametrize(
    ("listed", "told"),
    [
        (f'{{"data": {"[" * 100_000}{"]" * 100_000}}}', "/v1/models: HTTP 200"),
        ('{"data": [{"id": 1}, {"id": null}]}', "lists 1, None; say which to ask for"),
    ],
)
def test_a_listing_that_is_none_is_one_message_and_exit_2(odd: Odd, listed: str, told: str) -> None:
    odd.answer = lambda *_: Reply(listed.encode())
    result = run(odd.address)
    assert result.exit_code == 2
    assert told in result.output


def test_answers_that_are_nested_beyond_reading_fail_their_cases(odd: Odd) -> None:
    body = Reply(b"[" * 100_000)
    ready = "Hi"  # what is asked until a server is ready

    def answer(path: str, asked: Any) -> Any:
        is_ready = path == "/v1/models" or (asked and asked["messages"][0]["content"] == ready)
        return good(path, asked) if is_ready else body

    odd.answer = answer
    result = run(odd.address)
    assert result.exit_code == 1
    assert "9 failed" in result.output.splitlines()[-1]


def test_nobody_there_is_one_message_and_exit_2(odd: Odd) -> None:
    with odd_server(good) as gone:
        pass
    result = run(gone.address)
    assert result.exit_code == 2
    assert result.output == f"gptoss: {gone.address}/v1/models: Connection refused\n"
    assert odd.asked == []


def test_a_failed_case_is_exit_1_and_stands_in_the_report(odd: Odd) -> None:
    def answer(path: str, body: Any) -> Any:
        is_asked = path == "/v1/completions"
        return Reply(b'{"message": "boom"}', 500) if is_asked else good(path, body)

    odd.answer = answer
    result = run(odd.address, "--format", "json")
    assert result.exit_code == 1
    report = json.loads(result.stdout)
    assert [c["id"] for c in report["cases"] if c["status"] == "failed"] == ["completions"]
    junit = run(odd.address, "--format", "junit").stdout
    assert '<failure message="HTTP 500: boom">' in junit


def test_a_target_is_asked_where_its_launch_script_serves_it() -> None:
    found = words_of("disagg-gb200")
    assert (found["url"], found["model"]) == ("http://127.0.0.1:8000", "openai/gpt-oss-120b")
    assert (found["--disaggregated"], found["--reasoning"], found["--tools"]) == ("yes",) * 3
    assert found["--structured"] == "no"
    assert words_of("agg-gb200")["--disaggregated"] == "no"


def test_a_target_says_its_release_context_and_structured_output() -> None:
    settings = (
        "runtime.release=1.4.2",
        "workers.worker.engine.max_seq_len=9000",
        "workers.worker.engine.guided_decoding_backend=xgrammar",
    )
    found = words_of("agg-gb200", *settings)
    assert (found["--release"], found["--context"]) == ("1.4.2", "9000")
    assert found["--structured"] == "yes"


def test_trtllm_serve_has_no_release_of_dynamo_and_reads_channels_itself() -> None:
    found = words_of("serve-h100-2")
    assert "--release" not in found
    assert (found["--reasoning"], found["--tools"]) == ("yes", "yes")
    assert (found["--names"], words_of("agg-gb200")["--names"]) == ("no", "yes")


def test_a_target_may_be_served_elsewhere(odd: Odd) -> None:
    result = run("agg-gb200", "--url", odd.address)
    assert result.exit_code == 0
    assert odd.asked


@pytest.mark.parametrize("words", [(), ("agg-gb200", "disagg-gb200"), ("http://127.0.0.1:1x",)])
def test_what_is_no_address_and_no_target_is_refused(words: tuple[str, ...]) -> None:
    assert run(*words, "--model", "m").exit_code == 2


def test_the_script_that_runs_is_the_charts() -> None:
    assert str(script().__file__).endswith("charts/gpt-oss/files/smoke.py")


@pytest.mark.parametrize("form", ["text", "json", "junit"])
def test_nothing_that_a_server_says_is_obeyed(odd: Odd, form: str) -> None:
    name = "a\n::error::x\x1b[2K##[error]y"
    listing = {"data": [{"id": name}]}
    told = {"choices": [{"message": {"content": name}, "finish_reason": name}]}
    odd.answer = lambda path, _: listing if path == "/v1/models" else told
    result = run(odd.address, "--format", form)
    assert result.exit_code == 1
    assert re.search(r"^\s*::[a-z]|##\[|\x1b", result.output, re.MULTILINE) is None
    if form == "json":
        assert json.loads(result.stdout)["model"] == name


@pytest.mark.parametrize("form", ["text", "json", "junit"])
def test_an_answer_too_deep_to_read_is_a_failed_case(odd: Odd, form: str) -> None:
    deep = Reply(b"[" * 100_000)
    odd.answer = lambda path, body: deep if path == "/v1/completions" else good(path, body)
    assert run(odd.address, "--format", form).exit_code == 1


@pytest.mark.parametrize("place", ["h:99999", "[::1", "[:::::]", "user:Hunter2@h", "Hunter2@h", ""])
@pytest.mark.parametrize("named", [(), ("--model", "x")])
def test_what_is_no_address_is_refused_without_its_password(
    place: str, named: tuple[str, ...]
) -> None:
    result = run(f"http://{place}", *named)
    assert result.exit_code == 2
    assert "no address, as in http://127.0.0.1:8000" in result.output
    assert "user:Hunter2" not in result.output
