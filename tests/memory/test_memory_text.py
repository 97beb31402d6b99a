"""What ``gptoss plan`` says of memory, as text and as data."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from gptoss.deployment.model import Role
from gptoss.memory.cached_requests import request_of
from gptoss.memory.memory_bars import memory_bars
from gptoss.memory.memory_data import memory_data
from gptoss.memory.memory_text import compared_memory, memory_lines
from gptoss.sources.engine_alone import build_engine
from gptoss.text.yaml_tree import parse_documents
from tests.memory.shapes import FACTS
from tests.rules.examples import deployment_of, read

if TYPE_CHECKING:
    from gptoss.deployment.model import Deployment

ENGINE = "tensor_parallel_size: 4\nmax_batch_size: 256\nmax_seq_len: 9216\n"
WINDOWS = "kv_cache_config: {max_attention_window: [128, 9216], use_kv_cache_manager_v2: true}\n"


def engine(text: str = ENGINE, gpu: str | None = "b200") -> Deployment:
    (tree,) = parse_documents(text, "engine.yaml")
    return build_engine(tree, "engine.yaml", FACTS, gpu=gpu, gpus=4 if gpu else None)


def told(text: str = ENGINE, gpu: str | None = "b200") -> str:
    lines = memory_lines(engine(text, gpu), 8192, 1024)
    assert all(len(line) <= 100 for line in lines)
    return "\n".join(lines)


def test_every_amount_says_whether_it_is_exact_and_where_it_is_from() -> None:
    text = told()
    amounts = re.findall(r"^  .+ GiB  (exact|estimated) .*\[(\d+)\]$", text, re.MULTILINE)
    sources = re.findall(r"^\[(\d+)\] \S", text, re.MULTILINE)
    assert len(amounts) == 11
    assert {number for _, number in amounts} == set(sources)


def test_a_bar_shows_what_the_lines_below_it_take() -> None:
    _, drawn, *lines = told(f"{ENGINE}max_num_tokens: 20000\n").splitlines()
    assert re.fullmatch(r"  █+▒{40,}▓+░+=+·+", drawn)
    letters = {line[2] for line in lines if re.match(r"  \S .+ GiB", line)}
    assert letters == set(drawn.strip())


def test_a_source_is_told_once_for_all_workers() -> None:
    text = told()
    assert text.count("checkpoint of openai/gpt-oss-120b\n") == 1


def test_it_says_how_far_the_estimates_hold_on_the_gpu() -> None:
    assert "agree with a log of the recipe on GB200" in told()
    assert "On Hopper the KV cache may be half of this" in told(gpu="h200")


def test_each_attention_data_parallel_rank_has_room_of_its_own() -> None:
    text = told(f"{ENGINE}moe_expert_parallel_size: 4\nenable_attention_dp: true\n")
    held = re.search(r"1,024 tokens: ([\d,]+) a rank, ([\d,]+) a replica\.", text)
    assert held
    rank, replica = (int(number.replace(",", "")) for number in held.groups())
    assert replica == 4 * rank


def test_a_prefill_worker_comes_first_and_holds_prompts_only() -> None:
    split = deployment_of(read("# prefill.yaml\nmax_batch_size: 8\n"))
    tokens = {}
    for worker in split.workers:
        request = request_of(worker, split, 8192, 1024)
        assert request is not None
        tokens[worker.role] = request.tokens
    assert tokens == {Role.PREFILL: 8192, Role.DECODE: 9216}
    turned = replace(split, workers=split.workers[::-1])
    assert [bar.name.split(":")[0] for bar in memory_bars(turned)] == ["prefill", "decode"]


def test_it_says_what_fits_and_what_windows_would_change() -> None:
    text = told()
    assert re.search(r"Requests of 8,192 \+ 1,024 tokens: (\d+)\.", text)
    assert "With max_attention_window [128, 9216]" in text
    unwrapped = " ".join(text.split())
    assert "on the first one, which runs here and gives each window the same memory" in unwrapped


def test_windows_that_count_are_held_against_the_room_without_them() -> None:
    text = told(ENGINE + WINDOWS)
    held = re.search(r"tokens: ([\d,]+)\.\n  Without max_attention_window .*: ([\d,]+)\.", text)
    assert held
    with_windows, without = (int(number.replace(",", "")) for number in held.groups())
    assert 1.9 < with_windows / without < 2


def test_the_longest_sequence_is_never_longer_than_the_model_takes() -> None:
    assert "The longest sequence that fits has 131,072 tokens; max_seq_len is 9,216." in told()


def test_an_engine_that_does_not_fit_says_what_to_do() -> None:
    # 79.6 GiB hold neither the weights of one GPU nor the activations of so many tokens.
    text = told("max_num_tokens: 131072\n", gpu="h100")
    assert "It does not fit by estimate: lower free_gpu_memory_fraction" in text


def test_a_draft_model_is_said_not_to_be_counted() -> None:
    draft = "speculative_config: {decoding_type: Eagle3, max_draft_len: 3}\n"
    assert "What speculative_config adds is not counted." in told(ENGINE + draft)
    (data,) = memory_data(engine(ENGINE + draft))
    assert data["not_counted"] == ["speculative_config"]


def test_several_deployments_stand_in_one_table() -> None:
    head, columns, *rows = compared_memory([engine(), engine(gpu="h100")], 8192, 1024)
    assert head == "Memory of a GPU, GiB"
    assert columns.split()[:3] == ["weights", "working", "KV"]
    assert [row.split()[0] for row in rows] == ["1", "2"]
    assert all(len(row) <= 100 for row in rows)


def test_without_a_gpu_one_line_says_what_is_missing() -> None:
    (line,) = memory_lines(engine(gpu=None), 8192, 1024)
    assert line.endswith("nothing says on which GPUs it runs; give --gpu with an engine file")


def test_the_data_are_the_whole_gpu() -> None:
    (data,) = memory_data(engine(), 8192, 1024)
    taken = sum(line["gib"] for line in data["lines"]) + data["left_gib"]
    assert taken == pytest.approx(data["gib"], abs=0.02)
    assert data["longest_sequence"] == 131_072
    assert data["requests_per_rank"] == data["without_windows"]
    assert data["with_windows_on_second_manager"] > 1.9 * data["without_windows"]
    assert not memory_data(engine(gpu=None))


def test_memory_is_told_before_anything_heavy_is_loaded() -> None:
    code = "import sys, gptoss.planning.telling.plan_report; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"gptoss.rules", "gptoss.live.simulation", "pydantic", "jinja2", "jsonschema", "PIL"}
    assert not set(run.stdout.split()) & heavy
