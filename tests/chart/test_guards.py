"""What the chart refuses, and how it says so."""

import re

import pytest

from gptoss.facts.world import Facts
from gptoss.text import plain_yaml
from tests.chart.rendering import CHART, HELMS, SHIPPED, refusal, run, text

DISAGG = "disagg-gb200"


@pytest.mark.parametrize("helm", HELMS)
def test_without_a_target_the_shipped_ones_are_listed(helm: str) -> None:
    message = refusal(None, helm=helm)
    for target in SHIPPED:
        assert f"--set target={target} " in message


@pytest.mark.parametrize("helm", HELMS)
@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (
            ("workers.decode.gpus=3",),
            "× pipeline_parallel_size 1 needs 4 GPUs, but workers.decode.gpus is 3; set it to 4",
        ),
        (
            ("workers.decode.engine.moe_expert_parallel_size=3",),
            "× moe_tensor_parallel_size 1 is 3, but tensor_parallel_size is 4; they must be equal",
        ),
        (
            ("workers.prefill=null",),
            "workers.decode has role decode, but no worker has role prefill",
        ),
        (
            ("workers.decode=null",),
            "workers.prefill has role prefill, but no worker has role decode",
        ),
        (
            ("workers.decod.engine.max_batch_size=1",),
            "workers.decod has no role; set it to aggregated, prefill or decode, or write the name",
        ),
        (
            ("hardware.gpu=null",),
            f"hardware.gpu is not set; set it to one of {', '.join(sorted(Facts().gpus))}",
        ),
        (
            ("workers.decode.engineConfig=nowhere.yaml",),
            "workers.decode.engineConfig: the chart has no engine_configs/nowhere.yaml",
        ),
        (
            ("runtime.release=1.1.1", "runtime.apiVersion=v1beta1"),
            "runtime.apiVersion: the operator of release 1.1.1 does not serve v1beta1",
        ),
        (
            ("runtime.release=1.0.2", "frontend.routerMode=least-loaded"),
            "frontend.routerMode: release 1.0.2 has no least-loaded; set it to one of round-robin",
        ),
        (
            ("runtime.release=1.0.2", "frontend.enforceDisagg=true"),
            "frontend.enforceDisagg: the frontend of release 1.0.2 has no such flag",
        ),
        (
            ("runtime.release=1.1.1", "model.servedName=gpt"),
            "model.servedName: release 1.1.1 finds a model only by its id",
        ),
        (
            ("benchmark.enabled=true", "workload.inputTokens=null"),
            "benchmark.enabled is true, but workload.inputTokens is not set",
        ),
        (
            ("workers.decode.nodes=3",),
            "workers.decode.nodes: 4 GPUs do not divide over 3 nodes; set it to 1",
        ),
        (
            ("workers.decode.resources.limits.nvidia\\.com/gpu=4",),
            "workers.decode.resources: GPUs follow from the engine config",
        ),
    ],
)
def test_a_mistake_is_refused_with_the_value_to_set(
    settings: tuple[str, ...], said: str, helm: str
) -> None:
    assert said in refusal(DISAGG, *settings, helm=helm)


@pytest.mark.parametrize("helm", HELMS)
def test_a_release_name_that_the_operator_would_refuse_is_refused_with_the_numbers(
    helm: str,
) -> None:
    name, old = "n" * 39, "runtime.release=1.1.1"
    assert "at most 37" in refusal(DISAGG, old, helm=helm, name=name)
    assert f"{name} (39) + frontend (8) is 47 characters" in refusal(
        "agg-gb200", old, helm=helm, name=name
    )


@pytest.mark.parametrize(
    ("options", "most"),
    [
        (
            ("--namespace", "n" * 10),
            "in this namespace use a release name (or fullnameOverride) of at most 52",
        ),
        (("--set-string", "annotations.nvidia\\.com/enable-grove=false"), "of at most 46"),
    ],
)
def test_a_name_that_would_be_a_label_of_more_than_63_characters_is_refused(
    options: tuple[str, str], most: str
) -> None:
    target = ("--set", f"target={DISAGG}")
    done = run("helm4", "template", "n" * 53, str(CHART), *target, *options)
    assert most in done.stderr


@pytest.mark.parametrize("name", ["n" * 53, "1st.release", "a.b", f"9{'x.' * 25}y9"])
def test_every_legal_release_name_gives_names_within_their_limits(name: str) -> None:
    for target in (DISAGG, "serve-h100-2"):
        rendered = text(target, "benchmark.enabled=true", name=name)
        for item in plain_yaml.load_all(rendered):
            found = item["metadata"]["name"]
            most = 253 if item["kind"] in ("ConfigMap", "PersistentVolumeClaim") else 63
            assert re.fullmatch(f"[a-z][-a-z0-9]{{0,{most - 2}}}[a-z0-9]", found), found
            for label in item["metadata"]["labels"].values():
                assert re.fullmatch("[a-zA-Z0-9]([-_.a-zA-Z0-9]{0,61}[a-zA-Z0-9])?", label), label


def test_release_names_that_are_one_without_dots_keep_their_objects_apart() -> None:
    names = [
        next(iter(plain_yaml.load_all(text(DISAGG, name=name))))["metadata"]["name"]
        for name in ("a.b", "a-b")
    ]
    assert len(set(names)) == 2


@pytest.mark.parametrize("helm", HELMS)
@pytest.mark.parametrize(
    ("setting", "key"),
    [
        ("workers.decode.engine.max_batchsize=1", "max_batchsize"),
        ("workers.decode.engine.kv_cache_config.dtyp=fp8", "dtyp"),
        ("workers.decode.replica=2", "replica"),
        ("modelCache.sizes=1Gi", "sizes"),
        ("benchmrk.enabled=true", "benchmrk"),
        ("workers.decode.engine.cache_transceiver_config.backend=ucx", "backend"),
        ("workers.decode.engine.max_batch_size=many", "max_batch_size"),
        ("runtime.release=1.2.7", "release"),
        ("workers.decode.componentType=main", "componentType"),
    ],
)
def test_helm_itself_refuses_a_wrong_key_or_value_and_names_it(
    setting: str, key: str, helm: str
) -> None:
    message = refusal(DISAGG, setting, helm=helm)
    assert "schema" in message
    assert key in message
