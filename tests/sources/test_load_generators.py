"""Benchmarks of other load generators are read in aiperf's words; a sweep has its steps."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import pytest

from gptoss.sources.parts.load_generators import WITHOUT_EQUAL, Measurement, measurement
from gptoss.sources.parts.sweeps import Run, runs
from gptoss.text.command import Command
from gptoss.text.errors import InputError
from gptoss.text.places import Located, Place
from gptoss.text.shell.evaluation import read_script
from gptoss.text.yaml_tree import parse_documents

if TYPE_CHECKING:
    from tests.oracles.client import Oracle

HERE = Place("bench.sh")

GENAI_PERF = """
genai-perf profile --model openai/gpt-oss-120b --tokenizer /model --endpoint-type chat
  --endpoint /v1/chat/completions --streaming --url localhost:8000
  --synthetic-input-tokens-mean 32000 --output-tokens-mean 256 --extra-inputs max_tokens:256
  --extra-inputs '{"nvext":{"ignore_eos":true}}' --concurrency 256 --request-count 6144
  --warmup-request-count 1000 --num-dataset-entries 8000 --random-seed 100
  --artifact-dir /tmp/benchmark-results
  -- -v --max-threads 500 -H 'Authorization: Bearer NOT USED' -H 'Accept: text/event-stream'
"""
SERVING = """
python -m tensorrt_llm.serve.scripts.benchmark_serving --model openai/gpt-oss-120b
  --backend openai --dataset-name random --random-input-len 1024 --random-output-len 2048
  --random-prefix-len 0 --random-ids --num-prompts 160 --max-concurrency 32 --ignore-eos
  --tokenize-on-client --percentile-metrics ttft,tpot,itl,e2el
"""
SWEEP = """
list="32 64 128"
rounds=5
for c in ${list}; do
  prompts=$((c * rounds))
  python -m tensorrt_llm.serve.scripts.benchmark_serving --model m --random-input-len 8 \
    --num-prompts ${prompts} --max-concurrency ${c}
done
"""


def command(text: str) -> Command:
    words = shlex.split(text)
    return Command(tuple(Located(word, HERE.moved(lines=n)) for n, word in enumerate(words)))


def measured(text: str) -> Measurement:
    found = measurement(command(text))
    assert found
    return found


def line(found: Measurement) -> str:
    return found.command.line


def test_genai_perf_keeps_its_flags_and_those_behind_the_dashes_that_aiperf_has() -> None:
    found = measured(GENAI_PERF)
    assert found.tool.value == "genai-perf"
    assert [word.value for word in found.command.words[:2]] == ["aiperf", "profile"]
    for flags in (
        "--concurrency 256",
        "--request-count 6144",
        "--num-dataset-entries 8000",
        "--streaming --url localhost:8000",
        "--extra-inputs max_tokens:256",
        "--header Authorization: Bearer NOT USED --header Accept: text/event-stream",
        "--verbose",
    ):
        assert flags in line(found)
    assert [flag.value for flag in found.lost] == ["--max-threads"]


def test_benchmark_serving_becomes_the_same_lengths_and_concurrency() -> None:
    found = measured(SERVING)
    assert found.tool.value == "benchmark_serving"
    for flags in (
        "--model openai/gpt-oss-120b",
        "--tokenizer openai/gpt-oss-120b",
        "--endpoint-type completions",
        "--endpoint /v1/completions",
        "--url http://127.0.0.1:8000",
        "--streaming",
        "--synthetic-input-tokens-mean 1024",
        "--output-tokens-mean 2048",
        "--request-count 160",
        "--concurrency 32",
        "--extra-inputs ignore_eos:true",
        "--extra-inputs temperature:0",
    ):
        assert flags in line(found)
    assert "--prompt-prefix-length" not in line(found)
    assert [flag.value for flag in found.lost] == ["--random-ids", "--tokenize-on-client"]
    assert {flag.value for flag in found.lost} == set(WITHOUT_EQUAL)


def test_a_random_prefix_that_all_prompts_share_is_a_pool_of_one() -> None:
    found = measured(SERVING.replace("--random-prefix-len 0", "--random-prefix-len 64"))
    assert "--prompt-prefix-pool-size 1 --prompt-prefix-length 64" in line(found)
    assert [flag.value for flag in found.lost] == ["--random-ids", "--tokenize-on-client"]


def test_benchmark_serving_over_chat_at_another_address() -> None:
    found = measured(
        "python3 bench/benchmark_serving.py --model /model --served-model-name gpt-oss "
        "--backend openai-chat --host server --port 9000 --temperature 1.0 --non-streaming "
        "--goodput ttft:200 --request-rate inf"
    )
    for flags in (
        "--model gpt-oss",
        "--tokenizer /model",
        "--endpoint-type chat --endpoint /v1/chat/completions",
        "--url http://server:9000",
        "--extra-inputs temperature:1.0",
        "--goodput time_to_first_token:200",
    ):
        assert flags in line(found)
    assert "--streaming" not in line(found)
    assert line(found).count("temperature") == 1
    assert "--request-rate" not in line(found)
    assert "temperature:0" not in line(found)
    assert found.lost == ()


@pytest.mark.parametrize(
    "text", [GENAI_PERF, SERVING, SERVING.replace("prefix-len 0", "prefix-len 64")]
)
def test_aiperf_s_own_configuration_takes_what_becomes_of_another_tool_s_words(
    text: str, aiperf_oracle: Oracle
) -> None:
    words = [word.value for word in measured(text).command.words]
    verdict = aiperf_oracle.ask("aiperf", words[2:])
    assert verdict.ok, verdict.error


def test_every_word_stands_where_the_flag_stood_that_it_comes_from() -> None:
    given = command(SERVING)
    places = {word.value: word.place for word in given.words}
    made = {word.value: word.place for word in measured(SERVING).command.words}
    assert made["--concurrency"] == places["--max-concurrency"]
    assert made["ignore_eos:true"] == places["--ignore-eos"]


@pytest.mark.parametrize(
    "text", ["pip install genai-perf", "aiperf plot", "python3 serve.py", "benchmark_serving"]
)
def test_what_only_names_a_load_generator_measures_nothing(text: str) -> None:
    assert measurement(command(text)) is None


def traffic(found: tuple[Run, ...]) -> list[tuple[str | None, str | None]]:
    return [
        (run.arguments["--concurrency"].text, run.arguments["--request-count"].text)
        for run in found
    ]


def test_a_script_s_loop_is_a_sweep() -> None:
    (tree,) = parse_documents(f"|\n{SWEEP}".replace("\n", "\n  "), "bench.yaml")
    commands = [step.command for step in read_script(tree, {}).steps]
    assert traffic(runs(commands, {})) == [("32", "160"), ("64", "320"), ("128", "640")]


def test_the_chart_s_script_makes_steps_of_a_sweep() -> None:
    line = "python3 benchmark.py --sweep 8,16 --rounds 5 aiperf profile --artifact-dir /a"
    found = runs([command(line)], {})
    assert traffic(found) == [("8", "40"), ("16", "80")]
    assert None not in [run.arguments["--artifact-dir"].text for run in found]


@pytest.mark.parametrize("listed", ["--concurrency 1,4,16", "--concurrency=1,4,16"])
def test_aiperf_s_own_list_of_concurrencies_is_a_sweep(listed: str) -> None:
    found = runs([command(f"aiperf profile {listed} --request-count 100")], {})
    assert traffic(found) == [("1", "100"), ("4", "100"), ("16", "100")]


@pytest.mark.parametrize("sweep", ["8,x --rounds 5", "8 --rounds five", "8 --rounds"])
def test_a_sweep_that_is_no_list_of_numbers_is_refused(sweep: str) -> None:
    with pytest.raises(InputError, match="takes numbers, as in --sweep 32,64,128"):
        runs([command(f"benchmark.py --sweep {sweep} aiperf profile --artifact-dir /a")], {})
