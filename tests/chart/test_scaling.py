"""What changes the number of pods, what keeps some of them, and where they run."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from gptoss.facts.world import Facts
from gptoss.sources.chart.build import build_chart
from gptoss.sources.chart.helm import ChartSource, find_helm, render
from gptoss.text import plain_yaml
from tests.chart.rendering import (
    CHART,
    ROOT,
    components,
    objects,
    one,
    pods,
    refusal,
)

if TYPE_CHECKING:
    from gptoss.deployment.model import Deployment

EVERYTHING, SERVE_EVERYTHING = "everything", "everything-serve"
GRAPH, SERVER = "disagg-gb200", "serve-h100-2"
ADAPTER = "DynamoGraphDeploymentScalingAdapter"
PROMETHEUS = "autoscaling.prometheus.serverAddress=http://prometheus:9090"
HPA = "autoscaling.kind=hpa"
ON = "workers.worker.autoscaling.enabled=true"
MOST = "workers.worker.autoscaling.maxReplicas=4"
QUEUE = "workers.worker.autoscaling.targetQueuedRequests=20"
TARGETS = (
    "targetQueuedRequests",
    "targetInflightRequests",
    "targetTimeToFirstToken",
    "targetInterTokenLatency",
)
ALL_TARGETS = (ON, MOST, HPA, *(f"workers.worker.autoscaling.{target}=1000" for target in TARGETS))
SERIES = re.compile('__name__=~"(.*)"')


def scaled(target: str, *settings: str) -> dict[str, Any]:
    """Specs of the autoscalers by name."""
    kinds = ("ScaledObject", "HorizontalPodAutoscaler")
    found = [o for o in objects(target, *settings) if o["kind"] in kinds]
    return {o["metadata"]["name"]: o["spec"] for o in found}


def read(target: str, *settings: str) -> Deployment:
    source = ChartSource("test", (CHART / "ci" / f"{target}-values.yaml",), settings)
    return build_chart(render(source, find_helm()), Facts())


def test_nothing_is_scaled_or_kept_unless_it_is_asked_for() -> None:
    for target in (GRAPH, SERVER):
        kinds = {o["kind"] for o in objects(target)}
        assert not kinds & {"ScaledObject", "HorizontalPodAutoscaler", "PodDisruptionBudget"}
        assert all(component["replicas"] for component in components(objects(target)).values())


def test_who_is_scaled_has_no_replicas_but_an_adapter_that_keda_writes_into() -> None:
    services = one("DynamoGraphDeployment", objects(EVERYTHING))["spec"]["services"]
    by = {name: ("replicas" in s, s.get("scalingAdapter")) for name, s in services.items()}
    on = {"enabled": True}
    assert by == {"frontend": (False, on), "prefill": (False, on), "decode": (True, None)}
    found = scaled(EVERYTHING)
    assert set(found) == {"gpt-oss-frontend", "gpt-oss-prefill"}
    for name, spec in found.items():
        kind = {"apiVersion": "nvidia.com/v1alpha1", "kind": ADAPTER, "name": name}
        assert spec["scaleTargetRef"] == kind
    prefill = found["gpt-oss-prefill"]
    assert (prefill["minReplicaCount"], prefill["maxReplicaCount"]) == (2, 4)
    assert found["gpt-oss-frontend"]["minReplicaCount"] == 2, "replicas where nothing else is said"


def test_keda_asks_for_the_release_s_own_metrics_and_takes_none_for_unknown() -> None:
    triggers = scaled(EVERYTHING)["gpt-oss-prefill"]["triggers"]
    assert [trigger["type"] for trigger in triggers] == ["prometheus", "prometheus", "cron"]
    queue, first = (trigger["metadata"] for trigger in triggers[:2])
    series = '{dynamo_namespace="default-gpt-oss"}'
    nobody = f"0 * sum(up{series} == 1)"
    assert queue["query"] == f"sum(dynamo_frontend_queued_requests{series}) or {nobody}"
    bucket = f"dynamo_frontend_time_to_first_token_seconds_bucket{series}[2m]"
    quantile = f"histogram_quantile(0.95, sum by (le) (rate({bucket})))"
    assert first["query"] == f"{quantile} >= 0 or {nobody}"
    assert (queue["threshold"], first["threshold"]) == ("16", "2"), "a latency is in seconds"
    assert {queue["ignoreNullValues"], first["ignoreNullValues"]} == {"false"}
    assert [trigger["metricType"] for trigger in triggers[:2]] == ["AverageValue", "Value"]


def test_what_a_component_says_of_its_pace_is_laid_over_what_all_share() -> None:
    config = scaled(EVERYTHING)["gpt-oss-prefill"]["advanced"]["horizontalPodAutoscalerConfig"]
    up, down = (config["behavior"][way] for way in ("scaleUp", "scaleDown"))
    assert up["stabilizationWindowSeconds"] == 120
    assert up["policies"] == [{"type": "Pods", "value": 1, "periodSeconds": 60}]
    assert down["stabilizationWindowSeconds"] == 1800


def test_the_server_is_scaled_as_a_deployment_by_metrics_of_its_pods() -> None:
    deployment = one("Deployment", objects(SERVE_EVERYTHING))
    assert "replicas" not in deployment["spec"]
    (spec,) = scaled(SERVE_EVERYTHING).values()
    assert spec["scaleTargetRef"]["kind"] == "Deployment"
    assert spec["scaleTargetRef"]["name"] == deployment["metadata"]["name"]
    assert (spec["minReplicas"], spec["maxReplicas"]) == (2, 4)
    *pods_metrics, cpu = spec["metrics"]
    assert cpu["type"] == "Resource"
    metrics = {m["pods"]["metric"]["name"]: m["pods"]["target"] for m in pods_metrics}
    assert metrics == {
        "trtllm_num_requests_waiting": {"type": "AverageValue", "averageValue": "20"},
        "trtllm_time_to_first_token_seconds_p95": {"type": "AverageValue", "averageValue": "0.5"},
    }


def test_the_page_has_a_rule_of_the_adapter_for_every_metric_of_an_hpa() -> None:
    page = (ROOT / "docs" / "scaling.md").read_text(encoding="utf-8")
    block = next(b for b in page.split("```yaml\n") if b.startswith("rules:"))
    rules = plain_yaml.load(block.partition("```")[0])["rules"]
    for target, kind, source in (("agg-gb200", "external", "external"), (SERVER, "custom", "pods")):
        queries = [SERIES.findall(rule["seriesQuery"])[0] for rule in rules[kind]]
        (spec,) = scaled(target, *ALL_TARGETS).values()
        names = [metric[source]["metric"]["name"] for metric in spec["metrics"]]
        assert len(names) == len(TARGETS)
        for name in names:
            series = name.replace("_p95", "_bucket")
            assert any(re.fullmatch(query, series) for query in queries), name


def test_replicas_of_somebody_else_s_are_left_out_and_nothing_else_is_made() -> None:
    mine = ("autoscaling.kind=none", ON)
    assert scaled(SERVER, *mine) == {}
    server = one("Deployment", objects(SERVER, *mine))["spec"]
    assert "replicas" not in server
    assert server["strategy"]["type"] == "RollingUpdate"
    both = [f"{part}.autoscaling.enabled=true" for part in ("frontend", "workers.decode")]
    assert scaled(GRAPH, mine[0], *both) == {}
    services = one("DynamoGraphDeployment", objects(GRAPH, mine[0], *both))["spec"]["services"]
    assert {name: "replicas" in each for name, each in services.items()} == {
        "frontend": False,
        "decode": False,
        "prefill": True,
    }
    assert services["decode"]["scalingAdapter"] == {"enabled": True}
    said = refusal(SERVER, *mine, QUEUE)
    assert "workers.worker.autoscaling.targetQueuedRequests: autoscaling.kind is none" in said


def test_an_adapter_is_switched_on_by_its_presence_in_v1beta1() -> None:
    graph = one("DynamoGraphDeployment", objects(EVERYTHING, "runtime.release=1.5.1"))
    adapters = {c["name"]: c.get("scalingAdapter") for c in graph["spec"]["components"]}
    assert adapters == {"frontend": {}, "prefill": {}, "decode": None}


def test_answers_go_on_elsewhere_where_there_may_be_several_workers() -> None:
    frontend = components(objects("agg-gb200", *ALL_TARGETS))["frontend"]["spec"]["containers"][0]
    assert frontend["args"][-2:] == ["--migration-limit", "3"]
    alone = components(objects("agg-gb200"))["frontend"]["spec"]["containers"][0]
    assert "--migration-limit" not in alone["args"]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ((ON, QUEUE, PROMETHEUS), "workers.worker.autoscaling.maxReplicas is not set; set it to"),
        (
            (ON, QUEUE, PROMETHEUS, MOST, "workers.worker.replicas=5"),
            "maxReplicas is 4, below the fewest replicas, 5; set it to 5 or more",
        ),
        ((ON, QUEUE, PROMETHEUS, MOST, "workers.worker.replicas=0"), "set it to 1 or more"),
        ((ON, MOST, QUEUE), "autoscaling.prometheus.serverAddress is not set; set it to"),
        ((ON, MOST), "workers.worker.autoscaling has nothing to go by; set targetQueuedRequests"),
        (
            (ON, MOST, HPA, "workers.worker.autoscaling.triggers[0].type=cron"),
            "autoscaling.kind is hpa, which reads metrics; write them there, or set",
        ),
        (
            ("workers.worker.pdb.minAvailable=1", "workers.worker.pdb.maxUnavailable=1"),
            "workers.worker.pdb has minAvailable and maxUnavailable, of which a budget takes one",
        ),
        (
            ("updateStrategy.type=Recreate", "updateStrategy.rollingUpdate.maxSurge=1"),
            "updateStrategy.rollingUpdate: the type is Recreate, which has none; leave it out",
        ),
        (
            (
                "updateStrategy.rollingUpdate.maxSurge=0",
                "updateStrategy.rollingUpdate.maxUnavailable=0",
            ),
            "updateStrategy.rollingUpdate: with maxSurge and maxUnavailable 0 nothing can be",
        ),
        (("workers.worker.autoscaling.minReplicas=0",), "minReplicas"),
    ],
)
def test_what_cannot_work_is_refused_with_the_value_to_set(
    settings: tuple[str, ...], said: str
) -> None:
    assert said in refusal(SERVER, *settings)


def test_a_budget_keeps_the_component_s_pods_by_labels_that_grove_leaves_alone() -> None:
    found = objects(EVERYTHING)
    frontend, prefill = (
        one("PodDisruptionBudget", found, part) for part in ("frontend", "prefill")
    )
    decode = one("PodDisruptionBudget", found, "decode")["spec"]
    assert frontend["spec"]["minAvailable"] == 1
    assert prefill["spec"]["minAvailable"] == "50%"
    assert (decode["maxUnavailable"], decode["unhealthyPodEvictionPolicy"]) == (1, "AlwaysAllow")
    assert decode["selector"]["matchLabels"] == {
        "nvidia.com/dynamo-graph-deployment-name": "gpt-oss",
        "nvidia.com/dynamo-component": "decode",
    }
    served = objects(SERVE_EVERYTHING)
    wanted = one("PodDisruptionBudget", served)["spec"]["selector"]["matchLabels"]
    assert wanted.items() <= pods(served)["worker"]["metadata"]["labels"].items()


def test_every_kind_of_pod_can_be_spread_and_say_who_schedules_it() -> None:
    found = pods(objects(EVERYTHING))
    frontend = found["frontend"]["spec"]["topologySpreadConstraints"][0]
    assert frontend["labelSelector"]["matchLabels"]["nvidia.com/dynamo-component"] == "frontend"
    prefill = found["prefill"]["spec"]
    assert (prefill["runtimeClassName"], prefill["schedulerName"]) == ("nvidia", "kai-scheduler")
    for name, pod in found.items():
        for constraint in pod["spec"].get("topologySpreadConstraints", ()):
            labels = constraint["labelSelector"]["matchLabels"]
            ours = {k: v for k, v in labels.items() if not k.startswith("nvidia.com/")}
            assert ours.items() <= pod["metadata"]["labels"].items(), name


def test_an_update_strategy_reaches_the_server_and_the_operator() -> None:
    strategy = one("Deployment", objects(SERVE_EVERYTHING))["spec"]["strategy"]
    assert strategy["rollingUpdate"] == {"maxSurge": 1, "maxUnavailable": 0}
    before = "nvidia.com/deployment-"
    assert one("DynamoGraphDeployment", objects(EVERYTHING))["spec"]["annotations"] == {
        f"{before}strategy": "RollingUpdate",
        f"{before}rolling-update-max-surge": "0",
        f"{before}rolling-update-max-unavailable": "1",
    }


def test_the_checker_reads_the_fewest_replicas_and_where_they_are_set() -> None:
    deployment = read(EVERYTHING)
    by = {each.name: each for each in deployment.components}
    assert {name: each.replica_count for name, each in by.items()} == {
        "frontend": 2,
        "prefill": 2,
        "decode": 1,
    }
    scaling = {each.component: each for each in deployment.scaling.autoscalers}
    most = scaling["prefill"].most
    assert most is not None
    assert most.place.file.endswith("everything-values.yaml")
    line = (CHART / "ci" / "everything-values.yaml").read_text().splitlines()[most.place.line - 1]
    assert line.strip() == "maxReplicas: 4"
    assert deployment.gpus == 2 * 2 + 2
