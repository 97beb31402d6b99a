"""Promises of gptoss.showing.show: it says what the program makes of its words, however written."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from gptoss.checking.checker import run
from gptoss.cli import main
from gptoss.comparing.compare import compare
from gptoss.facts.world import Facts
from gptoss.rules.rule import RULES
from gptoss.showing.show import as_json, as_text
from tests.rules.examples import deployment_of, read

FACTS = Facts()
ENGINE_FILE = "--extra-engine-args"
NO_BATCH_SIZE = "# worker.yaml\nmax_batch_size: null\ncuda_graph_config: {enable_padding: true}\n"


def settings_of(text: str) -> dict[str, tuple[object, str]]:
    """Value and layer of every setting that ``show`` prints about the one worker."""
    (worker,) = json.loads(as_json([deployment_of(read(text))]))["workers"]
    return {s["key"]: (s["value"], s["set_by"]["layer"]) for s in worker["settings"]}


def found_in(text: str) -> set[str]:
    """The rules that find something."""
    return {f.rule.id for f in run(deployment_of(read(text)), FACTS, RULES.values()).findings}


def test_an_abbreviated_flag_sets_what_the_whole_one_does() -> None:
    short, whole = (
        f"{NO_BATCH_SIZE}---\n# worker flags\n{flag} 64\n"
        for flag in ("--max-batch", "--max-batch-size")
    )
    assert settings_of(short)["max_batch_size"] == (64, "flag")
    assert compare(deployment_of(read(short)), deployment_of(read(whole))) == []
    assert found_in(short) == found_in(whole) | {"R009"}
    assert "B003" in found_in(short)


@pytest.mark.parametrize(
    "given",
    [
        "# worker flags\n--extra-engine-arg /opt/gpt-oss/worker.yaml\n",
        "# worker flags\n--extra-engine-args=/opt/gpt-oss/worker.yaml\n",
        "# worker env\nDYN_TRTLLM_EXTRA_ENGINE_ARGS: /opt/gpt-oss/worker.yaml\n",
    ],
)
def test_the_engine_yaml_is_found_however_it_is_named(given: str) -> None:
    usual = "# worker.yaml\nstream_interval: 20\n"
    other = f"{usual}---\n# worker flags removed\n{ENGINE_FILE}\n---\n{given}"
    assert settings_of(other) == settings_of(usual)
    assert found_in(other) - {"R009"} == found_in(usual)


def test_a_variable_that_is_no_flag_s_sets_nothing() -> None:
    text = f"{NO_BATCH_SIZE}---\n# worker env\nDYN_TRTLLM_MAX_BATCH: '64'\n"
    assert settings_of(text)["max_batch_size"] == (2048, "default")


def test_a_connector_that_the_command_line_switches_off_sets_nothing() -> None:
    text = "# worker flags\n--connector none\n---\n# worker env\nDYN_CONNECTOR: kvbm\n"
    assert not [key for key in settings_of(text) if key.startswith("kv_connector_config")]


def test_flags_are_shown_by_their_whole_names_with_every_value() -> None:
    text = "# worker flags\n--output-mod text image --served-model other\n"
    shown = as_text([deployment_of(read(text))])
    assert "  --output-modalities  " in shown
    assert "text image" in shown
    assert "--served-model-name" in shown


def test_ways_in_are_shown_with_names_target_and_patience() -> None:
    ingress = """
# document
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: chat}
spec:
  ingressClassName: nginx
  rules:
    - host: chat.example.com
      http: {paths: [{backend: {service: {name: gpt-oss-frontend, port: {number: 8000}}}}]}
"""
    deployment = deployment_of(read(ingress.lstrip("\n")))
    (line,) = [each for each in as_text([deployment]).splitlines() if each.startswith("Ingress")]
    assert (
        line
        == "Ingress chat: http://chat.example.com to gpt-oss-frontend:8000, gives up after 60 s"
    )
    (way,) = json.loads(as_json([deployment]))["ways_in"]
    assert (way["hosts"], way["tls"]) == (["chat.example.com"], False)


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        ("modelCache.existingClaim=weights", "weights: claim weights"),
        ("modelCache.hostPath=/mnt/nvme", "weights: hostPath /mnt/nvme"),
        ("modelCache.download.source=s3://a/b", "weights: from s3://a/b"),
        (f"prefetch.revisions={{{'a' * 40}}}", "weights: further commits aaaaaaaaaaaa"),
    ],
)
def test_where_weights_lie_and_come_from_is_told(setting: str, told: str) -> None:
    result = CliRunner().invoke(main, ["show", "agg-gb200", "--set", setting])
    assert told in result.stdout.splitlines()
    assert ("outside the restricted" in result.stdout) == ("hostPath" in setting)
    assert "weights:" not in CliRunner().invoke(main, ["show", "agg-gb200"]).stdout


def test_who_changes_the_replicas_and_who_keeps_them_stands_beside_them() -> None:
    scaled = """\
# decode
replicas: null
scalingAdapter: {enabled: true}
---
# document
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: chat}
spec:
  scaleTargetRef:
    apiVersion: nvidia.com/v1alpha1
    kind: DynamoGraphDeploymentScalingAdapter
    name: gpt-oss-decode
  minReplicas: 2
  maxReplicas: 6
  metrics:
    - type: External
      external: {metric: {name: queue}, target: {type: AverageValue, averageValue: "8"}}
---
# document
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: calm}
spec: {maxUnavailable: 1, selector: {matchLabels: {nvidia.com/dynamo-component: decode}}}
"""
    deployment = deployment_of(read(scaled))
    lines = [line.strip() for line in as_text([deployment]).splitlines()]
    start = lines.index("decode (decode): 2 x 4 GPUs, capacity 2,560")
    assert lines[start + 1 : start + 4] == [
        "replicas 2 to 6, by HorizontalPodAutoscaler chat",
        "by queue",
        "at most 1 of its pods may be away, by PodDisruptionBudget calm",
    ]
    decode = next(w for w in json.loads(as_json([deployment]))["workers"] if w["name"] == "decode")
    (autoscaler,) = decode["scaling"]["autoscalers"]
    assert (autoscaler["fewest"], autoscaler["most"], autoscaler["signals"]) == (2, 6, ["queue"])
    assert decode["scaling"]["budgets"] == [
        {"name": "calm", "minAvailable": None, "maxUnavailable": "1"}
    ]


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ((), "begins when the rollout is over and the model answers, is ended after 86,400 s"),
        (
            ("benchmark.waitForRollout=false", "benchmark.activeDeadlineSeconds=null"),
            "begins when the model answers, even where pods of before do",
        ),
        (("benchmark.ttlSecondsAfterFinished=600",), "is deleted 600 s after its end"),
    ],
)
def test_what_a_benchmark_waits_for_and_when_it_goes_is_told(
    settings: tuple[str, ...], told: str
) -> None:
    words = [word for each in ("benchmark.enabled=true", *settings) for word in ("--set", each)]
    said = CliRunner().invoke(main, ["show", "agg-gb200", *words]).stdout
    (line,) = [each for each in said.splitlines() if each.startswith("benchmark: its Job ")]
    assert line.endswith(told)
    done = CliRunner().invoke(main, ["show", "agg-gb200", *words, "--format", "json"])
    (job,) = json.loads(done.stdout)["jobs"]
    assert job["waits_for_rollout"] == ("rollout" in told or "deleted" in told)
