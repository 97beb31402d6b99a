"""PodMonitor, dashboard and alerts of a release."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.chart.rendering import HELMS, ROOT, components, objects, one, refusal, text
from tests.promql import asked
from tests.rendering.panels import dashboard

DYNAMO, SERVE = "disagg-gb200", "serve-h100-2"
MONITOR = "monitoring.podMonitor.enabled"
BOARD, ALERTS = "monitoring.dashboard.enabled=true", "monitoring.prometheusRule.enabled=true"
TELLING = "monitoring.engineMetrics=true"
LABEL = "nvidia.com/enable-metrics"


def alerts(target: str, *settings: str) -> dict[str, dict[str, Any]]:
    """Alerts by name; of several of one name the last."""
    groups = one("PrometheusRule", objects(target, ALERTS, *settings))["spec"]["groups"]
    return {rule["alert"]: rule for group in groups for rule in group["rules"]}


def board(target: str, *settings: str) -> dict[str, Any]:
    """The dashboard that Grafana gets."""
    (content,) = one("ConfigMap", objects(target, BOARD, *settings), "-dashboard")["data"].values()
    found: dict[str, Any] = json.loads(content)
    return found


@pytest.mark.parametrize("helm", HELMS)
def test_nothing_of_it_is_there_unless_it_is_asked_for(helm: str) -> None:
    kinds = {o["kind"] for o in objects(DYNAMO, helm=helm)}
    assert not kinds & {"PodMonitor", "PrometheusRule"}
    assert "grafana_dashboard" not in text(DYNAMO, helm=helm)


@pytest.mark.parametrize(
    ("value", "made", "marked"),
    [("null", 0, None), ("true", 1, "false"), ("false", 0, "false")],
)
def test_one_party_at_most_has_prometheus_read_a_graph(
    value: str, made: int, marked: str | None
) -> None:
    found = objects(DYNAMO, f"{MONITOR}={value}")
    assert len([o for o in found if o["kind"] == "PodMonitor"]) == made
    graph = one("DynamoGraphDeployment", found)
    assert graph["metadata"].get("annotations", {}).get(LABEL) == marked


def test_the_pod_monitor_of_a_graph_takes_frontend_and_every_worker() -> None:
    found = objects(DYNAMO, f"{MONITOR}=true", "monitoring.podMonitor.interval=15s")
    spec = one("PodMonitor", found)["spec"]
    ends = [(end["port"], end["path"], end["interval"]) for end in spec["podMetricsEndpoints"]]
    assert ends == [("http", "/metrics", "15s"), ("system", "/metrics", "15s")]
    # The operator's own label: Grove overwrites what the chart calls its pods.
    graph = one("DynamoGraphDeployment", found)["metadata"]["name"]
    assert spec["selector"]["matchLabels"] == {"nvidia.com/dynamo-graph-deployment-name": graph}
    # Autoscalers ask for a graph by this label of its frontends.
    (told,) = spec["podMetricsEndpoints"][0]["relabelings"]
    assert told["targetLabel"] == "dynamo_namespace"


def test_a_user_s_own_annotation_wins() -> None:
    own = r"annotations.nvidia\.com/enable-metrics"
    found = objects(DYNAMO, f"{MONITOR}=true", f"{own}=yes")
    assert one("DynamoGraphDeployment", found)["metadata"]["annotations"][LABEL] == "yes"


@pytest.mark.parametrize(
    ("release", "routes", "tells"),
    [
        ("1.2.1", "--publish-events-and-metrics", "--publish-events-and-metrics"),
        ("1.3.1", "--publish-kv-events", "--publish-kv-events"),
        ("1.6.1", "--publish-kv-events", "--publish-metrics"),
    ],
)
def test_workers_tell_their_kv_cache_by_the_flag_of_the_release(
    release: str, routes: str, tells: str
) -> None:
    def flags(*settings: str) -> list[str]:
        found = components(objects(DYNAMO, f"runtime.release={release}", *settings))
        args: list[str] = found["decode"]["spec"]["containers"][0]["args"]
        return [word for word in args if word.startswith("--publish")]

    assert flags(TELLING) == [tells]
    assert flags(TELLING, "frontend.routerMode=kv") == list(dict.fromkeys([routes, tells]))


@pytest.mark.parametrize(
    ("target", "gpus", "pods"),
    [(DYNAMO, "5", "gpt-oss-(0-)?(frontend|decode|prefill)-.+"), (SERVE, "2", "gpt-oss-server-.+")],
)
def test_the_dashboard_is_about_this_release_and_knows_its_gpus(
    target: str, gpus: str, pods: str
) -> None:
    shown = board(target)
    variables = {variable["name"]: variable for variable in shown["templating"]["list"]}
    chosen = {
        name: variable.get("current", {}).get("value") for name, variable in variables.items()
    }
    assert chosen == {"source": None, "namespace": "default", "pods": pods, "gpus": gpus}
    assert variables["pods"]["query"] == pods
    runtime = "trtllm-serve" if target == SERVE else "dynamo"
    assert shown["panels"] == dashboard(runtime)["panels"]
    assert shown["uid"] != board(target, "fullnameOverride=another")["uid"]
    assert len(shown["uid"]) <= 40


def test_grafana_finds_the_dashboard_by_labels_and_annotations() -> None:
    folder = "monitoring.dashboard.annotations.grafana_folder=Models"
    metadata = one("ConfigMap", objects(DYNAMO, BOARD, folder), "-dashboard")["metadata"]
    assert metadata["labels"]["grafana_dashboard"] == "1"
    assert metadata["annotations"] == {"grafana_folder": "Models"}


@pytest.mark.parametrize("target", [DYNAMO, SERVE])
def test_alerts_look_at_this_release_alone_and_say_what_to_do(target: str) -> None:
    for name, rule in alerts(target).items():
        for part in asked(rule["expr"]):
            assert 'namespace="default"' in part.selector, name
            assert 'pod=~"gpt-oss-' in part.selector, name
        assert set(rule["annotations"]) == {"summary", "description", "runbook"}
        assert rule["labels"]["severity"] in {"critical", "warning"}


def test_every_component_is_missed() -> None:
    groups = one("PrometheusRule", objects(DYNAMO, ALERTS))["spec"]["groups"]
    missed = [r["labels"]["component"] for r in groups[0]["rules"] if r["alert"] == "GptOssDown"]
    assert missed == ["frontend", "decode", "prefill"]


def test_an_alert_is_there_where_it_can_fire() -> None:
    always = set(alerts("agg-gb200"))
    assert set(alerts(DYNAMO)) - always == {"GptOssPrefillUnused"}
    assert set(alerts("agg-gb200", TELLING)) - always == {"GptOssCacheFull"}
    assert set(alerts("agg-gb200", "workers.worker.replicas=2")) - always == {
        "GptOssReplicasMissing"
    }
    new = ("runtime.release=1.6.1", "frontend.routerMode=kv")
    assert "GptOssCacheFull" not in alerts("agg-gb200", *new)
    assert "GptOssCacheFull" in alerts("agg-gb200", "frontend.routerMode=kv")


def test_thresholds_and_labels_are_the_user_s_and_null_switches_an_alert_off() -> None:
    thresholds = "monitoring.prometheusRule.thresholds"
    labels = "monitoring.prometheusRule.additionalRuleLabels"
    found = alerts(
        DYNAMO,
        f"{thresholds}.firstTokenMilliseconds=2500",
        f"{thresholds}.tokenMilliseconds=null",
        f"{labels}.team=inference",
        f"{labels}.severity=page",
    )
    assert found["GptOssFirstTokenSlow"]["expr"].endswith("> 2.5")
    assert "GptOssTokensSlow" not in found
    assert {rule["labels"]["team"] for rule in found.values()} == {"inference"}
    assert {rule["labels"]["severity"] for rule in found.values()} == {"page"}


@pytest.mark.parametrize("switch", [f"{MONITOR}=true", BOARD, ALERTS])
def test_a_server_that_tells_nothing_is_not_watched(switch: str) -> None:
    silent = "workers.worker.engine.return_perf_metrics=false"
    said = "set workers.worker.engine.return_perf_metrics to true"
    assert said in refusal(SERVE, switch, silent)


def test_a_server_tells_its_load_by_its_engine() -> None:
    assert "workers.worker.engine.enable_iter_perf_stats to true" in refusal(SERVE, TELLING)


def test_the_page_tells_every_alert_with_its_severity_and_time() -> None:
    page = (ROOT / "docs" / "monitoring.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \|.*\| (\d+) min \|$", page, re.MULTILINE)
    made = alerts(DYNAMO, TELLING, "workers.decode.replicas=2")
    assert {(n, r["labels"]["severity"], r["for"]) for n, r in made.items()} == {
        (name, severity, f"{minutes}m") for name, severity, minutes in rows
    }
