"""What a run's plan says of the target, as the chart computes it and as gptoss reads it."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from gptoss.facts import folders
from gptoss.rendering.target import read_target
from gptoss.sources.request import Request
from tests.chart.rendering import objects, one

TARGETS = list(folders.target_files())


def measured(target: str, *settings: str) -> dict[str, Any]:
    found = one("ConfigMap", objects(target, "benchmark.enabled=true", *settings), "scripts")
    told: dict[str, Any] = json.loads(found["data"]["target.json"])
    return told


@pytest.mark.parametrize("name", TARGETS)
def test_chart_and_gptoss_agree_on_what_is_measured(name: str) -> None:
    told, target = measured(name), read_target(Request((name,)))
    deployment = target.deployment
    gpus: Counter[str] = Counter()
    for worker in deployment.workers:
        gpus[worker.role.value] += worker.gpus * worker.replica_count
    assert told["target"] == name
    assert told["gpus"] == gpus
    assert deployment.release
    assert told["release"] == deployment.release.version
    assert told["runtime"] == deployment.runtime.value
    assert told["gpu"] == target.values["hardware"]["gpu"]
    for worker in deployment.workers:
        in_force = worker.engine.number("stream_interval") or 1
        assert told["stream_interval"][worker.role.value] == in_force
        for key in ("max_batch_size", "tensor_parallel_size", "kv_cache_config.dtype"):
            if worker.engine[key].is_set:
                assert told["settings"][f"{worker.name}.{key}"] == worker.engine[key].value
    if deployment.benchmark and deployment.benchmark.input_tokens:
        assert told["isl"] == deployment.benchmark.input_tokens.value


def test_replicas_and_what_is_set_are_told_and_secrets_are_not() -> None:
    told = measured(
        "disagg-gb200",
        "workers.decode.replicas=2",
        "workers.decode.engine.stream_interval=5",
        "workers.decode.env.TLLM_X=on",
        "workers.decode.env.HF_TOKEN=hidden",
        "frontend.routerMode=kv",
    )
    assert told["gpus"] == {"prefill": 1, "decode": 8}
    assert told["stream_interval"]["decode"] == 5
    assert told["settings"]["decode.env.TLLM_X"] == "on"
    assert told["settings"]["frontend.routerMode"] == "kv"
    assert "hidden" not in json.dumps(told)
