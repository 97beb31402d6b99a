"""What ``gptoss show`` says of a worker's KV cache."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from gptoss.cli import main

if TYPE_CHECKING:
    from pathlib import Path


def show(*arguments: str) -> str:
    result = CliRunner().invoke(main, ["show", *arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_show_has_a_line_on_the_room_for_the_kv_cache_of_each_worker() -> None:
    lines = [line for line in show("disagg-gb200").splitlines() if "KV cache: room for" in line]
    assert len(lines) == 2
    assert all("(estimate)" in line for line in lines)
    assert re.search(r"requests of 9,216 tokens", lines[0])
    assert re.search(r"requests of 8,192 tokens", lines[1])


@pytest.mark.parametrize("target", ["agg-gb200", "serve-h100-2"])
def test_a_replica_holds_as_many_requests_as_its_blocks_of_tokens_make(target: str) -> None:
    (worker,) = json.loads(show(target, "--format", "json"))["workers"]
    room = worker["kv_cache_estimate"]
    whole_blocks = -(-room["request_tokens"] // 32) * 32
    assert 0 <= room["tokens"] // whole_blocks - room["requests"] < worker["gpus"]


def test_where_the_gpu_is_not_known_there_is_no_line(tmp_path: Path) -> None:
    engine = tmp_path / "engine.yaml"
    engine.write_text("max_batch_size: 8\n")
    assert "KV cache: room" not in show(str(engine))
