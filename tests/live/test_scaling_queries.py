"""What KEDA asks Prometheus: one number from a program that runs, none where nobody is read."""

from __future__ import annotations

import pytest

from gptoss.live.simulation import simulate
from gptoss.sources.request import Request
from tests.chart.rendering import objects, one
from tests.live.clients import WHOLE, stream
from tests.live.prometheus import PATIENCE, Prometheus, prometheus

pytestmark = pytest.mark.live

SCALED = (
    "autoscaling.prometheus.serverAddress=http://prometheus:9090",
    "workers.worker.autoscaling.enabled=true",
    "workers.worker.autoscaling.maxReplicas=4",
    "workers.worker.autoscaling.targetQueuedRequests=20",
    "workers.worker.autoscaling.targetInflightRequests=200",
    "workers.worker.autoscaling.targetTimeToFirstToken=2000",
    "workers.worker.autoscaling.targetInterTokenLatency=50",
)
TOLD = "workers.worker.engine.enable_iter_perf_stats=true"


@pytest.mark.parametrize(
    ("target", "pod", "path", "settings"),
    [
        ("agg-gb200", "gpt-oss-frontend-a", "/metrics", ()),
        ("serve-h100-2", "gpt-oss-server-a", "/prometheus/metrics", (TOLD,)),
    ],
)
def test_every_query_yields_one_number_and_none_where_nobody_is_read(
    target: str, pod: str, path: str, settings: tuple[str, ...]
) -> None:
    triggers = one("ScaledObject", objects(target, *SCALED, *settings))["spec"]["triggers"]
    queries = [trigger["metadata"]["query"] for trigger in triggers]
    with simulate(Request((target,), settings=settings)) as running:
        running.ready(PATIENCE)
        read = {pod: running.url.removeprefix("http://")}
        labels = {"dynamo_namespace": "default-gpt-oss"}
        with prometheus(read, path, labels=labels) as reader:
            reader.until("up == 1")
            assert [numbers(reader, query) for query in queries] == [1] * len(queries)
            assert stream(running, 20) == WHOLE
            (first,) = (query for query in queries if "time_to_first_token" in query)
            reader.until(f"({first}) > 0")
            assert numbers(reader, first) == 1
            elsewhere = [query.replace("default", "elsewhere") for query in queries]
            assert [numbers(reader, query) for query in elsewhere] == [0] * len(queries)


def numbers(reader: Prometheus, query: str) -> int:
    """How many numbers a query yields; KEDA takes one, and calls none unknown."""
    found = [float(each["value"][1]) for each in reader.query(query)]
    assert all(number >= 0 for number in found)
    return len(found)
