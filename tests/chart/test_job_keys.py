"""When Jobs that measure become others, what they wait for, and where their results go."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.chart.rendering import components, objects, one, pods, refusal, text

TARGET = "disagg-gb200"
JOBS = (
    "benchmark.enabled=true",
    "benchmark.artifacts.existingClaim=results",
    "accuracy.enabled=true",
    "accuracy.image=registry.internal/evals:0.0.9",
    "accuracy.artifacts.existingClaim=results",
)
KINDS = ("accuracy", "benchmark")
STAMP = "gpt-oss/rollout"
QUANTISED = "quantization.override=W4A16_MXFP4"
BATCH = "workers.decode.engine.max_batch_size=1024"
# Nothing of it changes an answer or how fast it comes.
UNMEASURED = (
    "frontend.podLabels.team=serving",
    "workers.decode.podAnnotations.owner=serving",
    "workers.decode.resources.limits.memory=900Gi",
    "workers.decode.terminationGracePeriodSeconds=900",
    "workload.outputTokensStddev=0",
    "description=another",
)


def names(*settings: str, target: str = TARGET) -> dict[str, str]:
    found = objects(target, *JOBS, *settings)
    return {kind: one("Job", found, kind)["metadata"]["name"] for kind in KINDS}


def expected(*settings: str, target: str = TARGET) -> dict[str, Any]:
    """What the waiting container is told to expect."""
    data = one("ConfigMap", objects(target, *JOBS, *settings), "scripts")["data"]
    told: dict[str, Any] = json.loads(data["rollout.json"])
    return told


def stamps(*settings: str, target: str = TARGET) -> dict[str, str]:
    """What pods of each component say they are."""
    found = components(objects(target, *JOBS, *settings))
    return {name: each["metadata"]["annotations"][STAMP] for name, each in found.items()}


def spec(kind: str, *settings: str) -> dict[str, Any]:
    job = one("Job", objects(TARGET, *JOBS, *settings), kind)
    told: dict[str, Any] = job["spec"]["template"]["spec"]
    return told


@pytest.mark.parametrize("change", [QUANTISED, BATCH, "runtime.release=1.2.1"])
def test_another_engine_quantisation_or_release_is_measured_again(change: str) -> None:
    before, after = names(), names(change)
    assert {kind for kind in KINDS if before[kind] == after[kind]} == set()


def test_what_is_no_matter_to_answers_is_not_measured_again() -> None:
    assert names(*UNMEASURED) == names()
    assert stamps(*UNMEASURED)["decode"] != stamps()["decode"], "these settings change no pod"


def test_a_run_id_measures_again_the_job_that_it_is_for() -> None:
    before, after = names(), names("benchmark.runId=second")
    assert after["accuracy"] == before["accuracy"]
    assert after["benchmark"] != before["benchmark"]


@pytest.mark.parametrize("kind", KINDS)
def test_each_job_has_a_folder_of_its_own_unless_one_is_named(kind: str) -> None:
    def folder(*settings: str) -> str:
        (main,) = spec(kind, *settings)["containers"]
        (mount,) = [m for m in main["volumeMounts"] if m["name"] == "artifacts"]
        return str(mount["subPath"])

    assert folder() == names()[kind]
    assert folder(QUANTISED) == names(QUANTISED)[kind] != folder()
    assert folder("benchmark.artifacts.subPath=runs", "accuracy.artifacts.subPath=runs") == "runs"


@pytest.mark.parametrize(
    ("target", "settings"),
    [(TARGET, ()), (TARGET, ("runtime.apiVersion=v1beta1",)), ("serve-h100-2", ())],
)
def test_a_job_expects_the_pods_that_this_very_release_makes(
    target: str, settings: tuple[str, ...]
) -> None:
    told = expected(*settings, target=target)
    serving = components(objects(target, *JOBS, *settings))
    found = stamps(*settings, target=target)
    of = {"worker": "server"} if target != TARGET else {}
    assert {of.get(name, name): stamp for name, stamp in found.items()} == {
        name: f"gpt-oss/{name}/{each['checksum']}" for name, each in told["components"].items()
    }
    counts = {of.get(name, name): each["replicas"] for name, each in serving.items()}
    assert {name: each["pods"] for name, each in told["components"].items()} == counts
    label, _, value = told["selector"].partition("=")
    labels = [each["metadata"]["labels"][label] for each in serving.values()]
    assert set(labels) == {value}


def test_pods_are_others_only_where_what_they_run_is() -> None:
    before, after = stamps(), stamps(BATCH)
    assert [name for name in before if before[name] != after[name]] == ["decode"]
    scaled = "frontend.autoscaling"
    settings = (
        f"{scaled}.enabled=true",
        f"{scaled}.maxReplicas=4",
        f"{scaled}.targetQueuedRequests=9",
    )
    address = "autoscaling.prometheus.serverAddress=http://prometheus:9090"
    more = expected("workers.decode.replicas=3", address, *settings)["components"]
    assert more["decode"] == {**expected()["components"]["decode"], "pods": 3}
    assert more["frontend"]["pods"] is None, "an autoscaler decides"


@pytest.mark.parametrize("kind", KINDS)
def test_only_the_container_that_waits_may_list_pods_and_nothing_else(kind: str) -> None:
    found, pod = objects(TARGET, *JOBS), spec(kind)
    role, binding = one("Role", found), one("RoleBinding", found)
    assert role["rules"] == [{"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]}]
    assert binding["roleRef"]["name"] == role["metadata"]["name"]
    (subject,) = binding["subjects"]
    account = one("ServiceAccount", found)["metadata"]["name"]
    assert subject["name"] == account == pod["serviceAccountName"]
    assert pod["automountServiceAccountToken"] is False
    with_token = [
        c["name"]
        for c in [*pod["initContainers"], *pod["containers"]]
        if "api-access" in [m["name"] for m in c["volumeMounts"]]
    ]
    assert with_token == ["wait-for-rollout"]
    assert [c["name"] for c in pod["initContainers"]] == ["wait-for-rollout", "wait-for-model"]


def test_a_job_that_does_not_wait_needs_no_rights() -> None:
    off = ("benchmark.waitForRollout=false", "accuracy.waitForRollout=false")
    found = objects(TARGET, *JOBS, *off)
    assert {o["kind"] for o in found} & {"Role", "RoleBinding", "ServiceAccount"} == set()
    for kind in KINDS:
        pod = spec(kind, *off)
        assert [c["name"] for c in pod["initContainers"]] == ["wait-for-model"]
        assert "serviceAccountName" not in pod
        assert "api-access" not in [v["name"] for v in pod["volumes"]]


def test_an_account_of_the_user_s_own_is_used_and_rights_are_its_owner_s() -> None:
    mine = ("serviceAccount.name=mine", "rbac.create=false")
    found = objects(TARGET, *JOBS, *mine)
    assert {o["kind"] for o in found} & {"Role", "RoleBinding", "ServiceAccount"} == set()
    own = [pod["spec"] for name, pod in pods(found).items() if name not in components(found)]
    assert {each["serviceAccountName"] for each in own} == {"mine"}
    graph = [each["spec"] for each in components(found).values()]
    assert not [each for each in graph if "serviceAccountName" in each], "discovery has its own"
    said = refusal(TARGET, *JOBS, "rbac.create=false")
    assert "rbac.create is false, but benchmark.waitForRollout has to list pods; set" in said


def test_an_account_that_is_made_has_what_its_owner_writes() -> None:
    role = "serviceAccount.annotations.eks\\.amazonaws\\.com/role-arn=arn:aws:iam::1:role/x"
    found = objects("serve-h100-2", "serviceAccount.create=true", role)
    account = one("ServiceAccount", found)
    assert account["metadata"]["annotations"] == {
        "eks.amazonaws.com/role-arn": "arn:aws:iam::1:role/x"
    }
    names = {pod["spec"]["serviceAccountName"] for pod in pods(found).values()}
    assert names == {account["metadata"]["name"]} == {"gpt-oss"}


def test_pods_that_ask_the_model_take_limits_places_labels_and_ends() -> None:
    settings = ["initContainers.resources.limits.memory=1Gi"]
    for part in (*KINDS, "tests"):
        settings += [
            f"{part}.resources.limits.memory=32Gi",
            f"{part}.podLabels.team=serving",
            f"{part}.nodeSelector.pool=cpu",
            f"{part}.tolerations[0].key=pool",
        ]
    settings += ["benchmark.ttlSecondsAfterFinished=0", "accuracy.activeDeadlineSeconds=600"]
    found = objects(TARGET, *JOBS, *settings)
    own = {
        name: pod
        for name, pod in pods(found).items()
        if any(part in name for part in (*KINDS, "test"))
    }
    assert len(own) == 3
    for pod in own.values():
        assert pod["metadata"]["labels"]["team"] == "serving"
        assert pod["spec"]["nodeSelector"] == {"pool": "cpu"}
        assert pod["spec"]["tolerations"] == [{"key": "pool"}]
        for container in [*pod["spec"].get("initContainers", []), *pod["spec"]["containers"]]:
            assert container["resources"]["limits"]["memory"] in ("1Gi", "32Gi")
            assert container["securityContext"]["allowPrivilegeEscalation"] is False
    test = text(TARGET, *JOBS, *settings).partition('name: "gpt-oss-test-smoke"')[2]
    assert test.count("app.kubernetes.io/component:") == 1, "a key stands there twice"
    benchmark, accuracy = (one("Job", found, kind)["spec"] for kind in ("benchmark", "accuracy"))
    assert benchmark["ttlSecondsAfterFinished"] == 0
    assert benchmark["activeDeadlineSeconds"] == 86400
    assert accuracy["activeDeadlineSeconds"] == 600
    assert "ttlSecondsAfterFinished" not in accuracy


def test_a_quota_on_limits_admits_every_container_where_those_that_work_have_some() -> None:
    parts = ("frontend", "workers.prefill", "workers.decode", "modelCache.download", *KINDS)
    settings = [
        f"{part}.resources.limits.{name}=64{unit}"
        for part in parts
        for name, unit in (("cpu", ""), ("memory", "Gi"))
    ]
    for pod in pods(objects(TARGET, *JOBS, *settings)).values():
        for container in [*pod["spec"].get("initContainers", []), *pod["spec"]["containers"]]:
            assert {"cpu", "memory"} <= container["resources"]["limits"].keys(), container["name"]
            assert container["securityContext"]["capabilities"]["drop"] == ["ALL"]
