"""Every metric of the shipped dashboards is one that the running programs tell."""

from __future__ import annotations

import json
import re
import socket
import urllib.error
import urllib.request
from typing import TYPE_CHECKING

import pytest

from gptoss.live.simulation import simulate
from gptoss.sources.request import Request
from tests.live.clients import WHOLE, stream
from tests.rendering.panels import Asked, asked

if TYPE_CHECKING:
    from gptoss.live.running import Running

pytestmark = pytest.mark.live

PATIENCE = 120
SAMPLE = re.compile(r"^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? \S+", re.MULTILINE)
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
HELLO = {"role": "user", "content": "Hello"}
# A worker takes no higher port than 32,767.
PORTS = range(20_000, 30_000)


def samples(url: str) -> list[tuple[str, dict[str, str]]]:
    """Names and labels of what a program tells Prometheus."""
    with urllib.request.urlopen(url, timeout=PATIENCE) as response:  # noqa: S310
        text = response.read().decode()
    return [(name, dict(LABEL.findall(labels or ""))) for name, labels in SAMPLE.findall(text)]


def not_told(name: str, told: list[tuple[str, dict[str, str]]]) -> list[Asked]:
    """What a dashboard asks for and nothing tells."""
    return [
        wanted
        for wanted in asked(name)
        if not any(
            wanted.name == found
            and wanted.labels.items() <= labels.items()
            and set(wanted.by) <= set(labels)
            for found, labels in told
        )
    ]


def refused(running: Running, body: dict[str, object]) -> int:
    """The status of a request that is refused."""
    request = urllib.request.Request(  # noqa: S310
        f"{running.url}/v1/chat/completions",
        data=json.dumps(body).encode(),
        headers={"Content-Type": "application/json"},
    )
    with pytest.raises(urllib.error.HTTPError) as error:
        urllib.request.urlopen(request, timeout=PATIENCE)  # noqa: S310
    return error.value.code


def free_port() -> int:
    for port in PORTS:
        with socket.socket() as listener:
            if listener.connect_ex(("127.0.0.1", port)):
                return port
    raise AssertionError("no port is free")


def test_frontend_and_worker_tell_what_the_dashboard_of_dynamo_shows() -> None:
    port = free_port()
    system = {"DYN_SYSTEM_PORT": str(port), "DYN_SYSTEM_HOST": "127.0.0.1"}
    # Only then does a worker tell its KV cache.
    request = Request(("agg-gb200",), settings=("frontend.routerMode=kv",))
    with simulate(request, more=system) as running:
        running.ready(PATIENCE)
        assert stream(running, 20) == WHOLE
        assert refused(running, {"model": "another", "messages": [HELLO]}) == 404
        asked = {"model": running.model, "messages": [HELLO]}
        assert refused(running, asked | {"nvext": {"ignore_eos": True}}) == 400
        told = samples(f"{running.url}/metrics") + samples(f"http://127.0.0.1:{port}/metrics")
    assert not_told("dynamo", told) == []


def test_the_stand_in_tells_what_the_dashboard_of_trtllm_serve_shows() -> None:
    told_too = "workers.worker.engine.enable_iter_perf_stats=true"
    with simulate(Request(("serve-h100-2",), settings=(told_too,))) as running:
        running.ready(PATIENCE)
        assert stream(running, 20) == WHOLE
        assert refused(running, {"model": running.model, "messages": []}) == 400
        told = samples(f"{running.url}/prometheus/metrics")
    assert not_told("trtllm-serve", told) == []


def test_a_server_without_return_perf_metrics_tells_nothing() -> None:
    silent = "workers.worker.engine.return_perf_metrics=false"
    with simulate(Request(("serve-h100-2",), settings=(silent,))) as running:
        running.ready(PATIENCE)
        with pytest.raises(urllib.error.HTTPError, match="404"):
            samples(f"{running.url}/prometheus/metrics")
