"""Panels and alerts ask for what the running programs tell, and a real Prometheus reads."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from typing import TYPE_CHECKING, Any

import pytest

from gptoss.live.environments import releases
from gptoss.live.simulation import simulate
from gptoss.sources.request import Request
from tests.chart.rendering import objects, one
from tests.live.clients import WHOLE, stream
from tests.live.prometheus import PATIENCE, prometheus, watched
from tests.promql import asked
from tests.rendering.panels import dashboard, expressions

if TYPE_CHECKING:
    from gptoss.live.running import Running
    from tests.live.prometheus import Prometheus

pytestmark = pytest.mark.live

HELLO = {"role": "user", "content": "Hello"}
ALERTS = "monitoring.prometheusRule.enabled=true"
TELLING = "monitoring.engineMetrics=true"


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


def alerts(target: str, *settings: str) -> list[dict[str, Any]]:
    """The groups of alerts that the chart makes for a target."""
    rule = one("PrometheusRule", objects(target, ALERTS, *settings))
    groups: list[dict[str, Any]] = rule["spec"]["groups"]
    return groups


def unanswered(reader: Prometheus, name: str) -> list[tuple[str, str]]:
    """Panels whose expressions yield nothing."""
    return [panel for panel in expressions(dashboard(name)) if not reader.query(panel[1])]


def unknown_to(reader: Prometheus) -> list[str]:
    """What alerts ask for and nothing tells."""
    rules = reader.rules()
    assert rules
    assert [rule["name"] for rule in rules if rule["health"] == "err"] == []
    wanted = {found.selector for rule in rules for found in asked(rule["query"])}
    return sorted(selector for selector in wanted if not reader.query(selector))


@pytest.mark.parametrize("release", releases())
def test_dynamo_tells_what_panels_and_alerts_ask_for(release: str) -> None:
    groups = alerts("disagg-gb200", TELLING, f"runtime.release={release}")
    request = Request(("disagg-gb200",), settings=(TELLING,))
    with watched(request, release, groups) as (running, reader):
        reader.until("up == 1")
        # Several pieces: stream_interval is 20.
        assert stream(running, 100) == WHOLE
        assert refused(running, {"model": "another", "messages": [HELLO]}) == 404
        reader.until('count_over_time(dynamo_frontend_requests_total{status="error"}[1m]) > 3')
        assert unanswered(reader, "dynamo") == []
        (faults,) = unknown_to(reader)
        assert "error_type!~" in faults
        running.fault("decode", "kill")
        assert stream(running, 20) != WHOLE
        reader.until(faults)


def test_trtllm_serve_tells_what_panels_and_alerts_ask_for() -> None:
    told_too = "workers.worker.engine.enable_iter_perf_stats=true"
    groups = alerts("serve-h100-2", told_too)
    with simulate(Request(("serve-h100-2",), settings=(told_too,))) as running:
        running.ready(PATIENCE)
        address = running.url.removeprefix("http://")
        with prometheus({"gpt-oss-server-a": address}, "/prometheus/metrics", groups) as reader:
            reader.until("up == 1")
            assert stream(running, 20) == WHOLE
            assert refused(running, {"model": running.model, "messages": []}) == 400
            reader.until("count_over_time(trtllm_request_error_total[1m]) > 3")
            assert unanswered(reader, "trtllm-serve") == []
            # The stand-in has no faults of its own.
            assert [s for s in unknown_to(reader) if "5.." not in s] == []


def test_a_server_without_return_perf_metrics_tells_nothing() -> None:
    silent = "workers.worker.engine.return_perf_metrics=false"
    with simulate(Request(("serve-h100-2",), settings=(silent,))) as running:
        running.ready(PATIENCE)
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(f"{running.url}/prometheus/metrics", timeout=PATIENCE)  # noqa: S310
