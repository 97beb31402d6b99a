"""gptoss preflight where nothing lacks, where each thing does in turn, and where rights do."""

from __future__ import annotations

import json
import re
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pytest
import yaml
from click.testing import CliRunner

from gptoss.cli import main
from gptoss.cluster.connecting import connect
from gptoss.cluster.live_cluster import Cluster as Asked
from gptoss.cluster.preflight.answer import Status
from gptoss.cluster.preflight.asking import QUESTIONS, ask
from gptoss.cluster.wanted import Wanted, wanted
from gptoss.sources.request import Request
from tests.chart.rendering import CHART, ROOT, SHIPPED
from tests.cluster.accounts import account
from tests.cluster.releases import Release

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from testcluster.control_plane import Cluster

pytestmark = pytest.mark.cluster

SPACE, BLIND = "preflight", "preflight-blind"
TARGET = "disagg-gb200"
NODE = "gb200-5"
ON_NODE = rf"hardware.nodeSelector.kubernetes\.io/hostname={NODE}"
PULL = "imagePullSecrets[0].name=ngc"
S3 = ("modelCache.download.source=s3://a/b", "modelCache.download.client.existingSecret=s3")
ROLES = re.compile(r"<!-- roles -->\n```yaml\n(.*?)```", re.DOTALL)


def documented() -> list[list[dict[str, Any]]]:
    """The rules of the two ClusterRoles on the page: for the cluster, and for the namespace."""
    page = (ROOT / "docs" / "preflight.md").read_text("utf-8")
    (text,) = ROLES.findall(page)
    return [role["rules"] for role in yaml.safe_load_all(text)]


@pytest.fixture(scope="module")
def asked(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    """The cluster as an account sees it that has the rights of the page and no others."""
    cluster.kubectl("create", "namespace", SPACE)
    everywhere, inside = documented()
    config = account(cluster, SPACE, everywhere, tmp_path_factory.mktemp("config"), inside)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KUBECONFIG", str(config))
        yield connect()
    cluster.kubectl("delete", "namespace", SPACE, "--wait=false")
    cluster.kubectl("delete", "clusterrole", SPACE, f"{SPACE}-inside")
    cluster.kubectl("delete", "clusterrolebinding", SPACE)


@cache
def target(name: str, *settings: str) -> Wanted:
    return wanted(Request((name,), settings=settings), SPACE)


def operator(tag: str, replicas: int = 1) -> dict[str, Any]:
    labels = {"app": "operator"}
    image = f"nvcr.io/nvidia/ai-dynamo/kubernetes-operator:{tag}"
    pod = {"containers": [{"name": "manager", "image": image}]}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "dynamo-operator"},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": pod},
        },
    }


def named(kind: str, name: str, api: str = "v1", **own: Any) -> dict[str, Any]:
    return {"apiVersion": api, "kind": kind, "metadata": {"name": name}, **own}


def owned(thing: dict[str, Any], release: str, namespace: str) -> dict[str, Any]:
    notes = {"meta.helm.sh/release-name": release, "meta.helm.sh/release-namespace": namespace}
    return {**thing, "metadata": {**thing["metadata"], "annotations": notes}}


def quota(**hard: str) -> dict[str, Any]:
    hard = {name.replace("_", ".", 1): value for name, value in hard.items()}
    return named("ResourceQuota", "team", spec={"hard": hard})


def gpu_quota(count: int, **others: str) -> dict[str, Any]:
    hard = {"requests.nvidia.com/gpu": str(count), **others}
    return named("ResourceQuota", "team", spec={"hard": hard})


def limits(**item: Any) -> dict[str, Any]:
    return named("LimitRange", "team", spec={"limits": [{"type": "Container", **item}]})


def taker(gpus: int) -> dict[str, Any]:
    """A pod that takes GPUs of a node, whatever the scheduler thinks of it."""
    resources = {"limits": {"nvidia.com/gpu": str(gpus)}}
    container = {"name": "other", "image": "other", "resources": resources}
    spec = {"nodeName": NODE, "containers": [container]}
    return named("Pod", "taker", spec=spec | {"tolerations": [{"operator": "Exists"}]})


def claim(size: str, **own: Any) -> dict[str, Any]:
    asks = {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": size}}}
    return named("PersistentVolumeClaim", "gpt-oss-model-cache", spec={**asks, **own})


def storage_class(name: str, provisioner: str) -> dict[str, Any]:
    return named("StorageClass", name, "storage.k8s.io/v1", provisioner=provisioner)


@dataclass(frozen=True)
class Lack:
    """A cluster that lacks one thing.

    Attributes:
        about: The question that finds it.
        status: How its answer weighs.
        words: What the answer says and what it tells to do.
        settings: What is laid over the target.
        made: Objects that are in the way.
        done, undone: Commands of kubectl that make it lack the thing, and that give it back.
    """

    about: str
    status: Status
    words: tuple[str, ...]
    settings: tuple[str, ...] = ()
    made: tuple[dict[str, Any], ...] = ()
    done: tuple[str, ...] = ()
    undone: tuple[str, ...] = ()
    target: str = field(default=TARGET)


E, W = Status.ERROR, Status.WARNING
DEFAULT = "storageclass.kubernetes.io/is-default-class"
RESTRICT = "pod-security.kubernetes.io/enforce"
LACKS = {
    "definition": Lack(
        "definitions",
        E,
        ("PodMonitor is not served", "install the Prometheus operator"),
        ("monitoring.podMonitor.enabled=true",),
    ),
    "operator": Lack("operator", W, ("no Deployment runs", "dynamo-platform")),
    "operator down": Lack("operator", E, ("does not run",), made=(operator("1.3.1", 0),)),
    "operator old": Lack(
        "operator",
        W,
        ("older than the runtime",),
        made=(operator("1.2.1"),),
        done=("rollout", "status", "deployment/dynamo-operator", f"--namespace={SPACE}"),
    ),
    "secret": Lack("references", E, ("Secret s3 is not there", "kubectl create secret"), S3),
    "pull secret": Lack("references", W, ("Secret ngc", "docker-registry ngc"), (PULL,)),
    "key": Lack(
        "references",
        Status.ERROR,
        ("has no key HF_TOKEN, but token",),
        made=(named("Secret", "hf-token-secret", stringData={"token": "secret"}),),
    ),
    "claim": Lack(
        "references",
        E,
        ("PersistentVolumeClaim weights is not there",),
        ("modelCache.existingClaim=weights",),
    ),
    "storage class": Lack(
        "storage",
        E,
        ("class none, which is not there", "shared"),
        ("modelCache.storageClassName=none",),
    ),
    "default class": Lack(
        "storage",
        E,
        ("the cluster has no default one", "modelCache.storageClassName"),
        done=("annotate", "storageclass", "shared", f"{DEFAULT}=false", "--overwrite"),
        undone=("annotate", "storageclass", "shared", f"{DEFAULT}=true", "--overwrite"),
    ),
    "shared file system": Lack(
        "storage",
        W,
        ("one node attaches", "ReadWriteOnce"),
        ("modelCache.storageClassName=ebs",),
        (storage_class("ebs", "ebs.csi.aws.com"),),
    ),
    "free volume": Lack(
        "storage",
        E,
        ("none that is free fits", "make a PersistentVolume"),
        ("modelCache.storageClassName=manual",),
        (storage_class("manual", "kubernetes.io/no-provisioner"),),
    ),
    "room to grow": Lack(
        "storage", E, ("cannot grow it to 150Gi",), (), (claim("10Gi", storageClassName="rigid"),)
    ),
    "labels": Lack("nodes", E, ("finds no node", "other labels"), ("hardware.nodeSelector.a=b",)),
    "toleration": Lack(
        "nodes",
        E,
        ("taint team=other:NoSchedule", "hardware.tolerations"),
        (ON_NODE,),
        done=("taint", "node", NODE, "team=other:NoSchedule"),
        undone=("taint", "node", NODE, "team-"),
    ),
    "ready node": Lack(
        "nodes",
        E,
        ("1 not ready or cordoned", "uncordon"),
        (ON_NODE,),
        done=("cordon", NODE),
        undone=("uncordon", NODE),
    ),
    "free GPUs": Lack(
        "nodes",
        E,
        ("1 too little nvidia.com/gpu left", "has left is 2 nvidia.com/gpu"),
        (ON_NODE,),
        (taker(2),),
        target="agg-gb200",
    ),
    "quota of GPUs": Lack(
        "quota",
        E,
        ("leaves 4 requests.nvidia.com/gpu of 4, and the release needs 5",),
        (),
        (gpu_quota(4),),
    ),
    "limits under a quota": Lack(
        "quota",
        E,
        ("asks every container for limits.cpu", "LimitRange"),
        (),
        (quota(limits_cpu="900"),),
    ),
    "limit above the request": Lack(
        "limits", E, ("less than its request of 96",), (), (limits(default={"cpu": "2"}),)
    ),
    "limit range": Lack(
        "limits", E, ("less than its request of 512Gi",), (), (limits(max={"memory": "64Gi"}),)
    ),
    "admission": Lack(
        "admission",
        E,
        ("hostPath volume", "restricted is enforced"),
        ("modelCache.hostPath=/mnt/nvme",),
        done=("label", "namespace", SPACE, f"{RESTRICT}=restricted"),
        undone=("label", "namespace", SPACE, f"{RESTRICT}-"),
    ),
    "name": Lack(
        "names",
        E,
        ("ConfigMap gpt-oss-scripts is there", "another name"),
        (),
        (named("ConfigMap", "gpt-oss-scripts"),),
    ),
    "name of a release": Lack(
        "names",
        E,
        ("belongs to the Helm release chat in a:",),
        made=(owned(named("ConfigMap", "gpt-oss-scripts"), "chat", "a"),),
    ),
    "name of a Service": Lack(
        "names",
        E,
        ("Service gpt-oss-frontend, which the operator makes",),
        (),
        (named("Service", "gpt-oss-frontend", spec={"ports": [{"port": 80}]}),),
    ),
}


@contextmanager
def lacking(cluster: Cluster, lack: Lack) -> Iterator[None]:
    here = ("--namespace", SPACE, "--filename", "-")
    things = json.dumps({"apiVersion": "v1", "kind": "List", "items": list(lack.made)})
    try:
        if lack.made:
            cluster.kubectl("create", *here, given=things)
        if lack.done:
            cluster.kubectl(*lack.done)
        yield
    finally:
        if lack.made:
            cluster.kubectl("delete", "--now", "--wait=false", *here, given=things)
        if lack.undone:
            cluster.kubectl(*lack.undone)


@pytest.mark.parametrize("name", LACKS)
def test_what_a_cluster_lacks_is_named_with_what_to_do(
    name: str, cluster: Cluster, asked: Asked
) -> None:
    lack = LACKS[name]
    with lacking(cluster, lack):
        answers = list(QUESTIONS[lack.about](asked, target(lack.target, *lack.settings)))
    found = [a for a in answers if all(word in f"{a.says}; {a.do}" for word in lack.words)]
    assert found, answers
    assert {answer.status for answer in found} == {lack.status}


def test_a_cluster_that_has_everything_takes_every_target(cluster: Cluster, asked: Asked) -> None:
    here = ("--namespace", SPACE)
    cluster.kubectl("create", *here, "--filename", "-", given=json.dumps(operator("1.6.1")))
    try:
        cluster.kubectl("rollout", "status", "deployment/dynamo-operator", *here, "--timeout=60s")
        for name in SHIPPED:
            answers = ask(asked, target(name))
            wrong = [a for a in answers if a.status not in (Status.OK, Status.INFO)]
            assert not wrong, (name, wrong)
            assert {a.about for a in answers} >= {"nodes", "storage", "names", "installed"}
    finally:
        cluster.kubectl("delete", "deployment", "dynamo-operator", *here, "--wait=false")


def test_what_an_upgrade_changes_and_what_of_it_is_refused_is_said(
    cluster: Cluster, asked: Asked
) -> None:
    changed = "workers.decode.engine.max_batch_size=1024"
    with installed(cluster):
        names = {a.status for a in QUESTIONS["names"](asked, target(TARGET))}
        assert names == {Status.OK}
        (same,) = QUESTIONS["installed"](asked, target(TARGET))
        assert (same.status, "with the same settings" in same.says) == (Status.OK, True)
        (told,) = QUESTIONS["installed"](asked, target(TARGET, changed))
        assert told.status is Status.INFO
        assert "changes decode max_batch_size" in told.says
        answers = list(QUESTIONS["installed"](asked, target("agg-gb200")))
        refused = [a.says for a in answers if a.status is Status.ERROR]
        assert any("the operator refuses the change [G050]" in says for says in refused)


def test_a_field_that_the_installed_definition_does_not_know_is_named(asked: Asked) -> None:
    graph = {**(target(TARGET).graph or {})}
    graph["spec"] = {**graph["spec"], "colour": "red"}
    services = graph["spec"]["services"]
    graph["spec"]["services"] = {**services, "decode": {**services["decode"], "size": 1}}
    (answer,) = QUESTIONS["fields"](asked, replace(target(TARGET), objects=(graph,)))
    assert answer.status is Status.ERROR
    assert "does not know spec.services.decode.size and 1 more" in answer.says


def test_an_older_api_server_than_the_chart_needs_is_named() -> None:
    class Old(Asked):
        def version(self) -> str:
            return "v1.28.15-gke.100"

    (answer,) = QUESTIONS["api server"](Old("", SPACE, None), target(TARGET))
    assert answer.status is Status.ERROR
    assert "v1.28.15-gke.100 is older than 1.29" in answer.says


def test_a_quota_is_not_asked_twice_for_what_is_installed(cluster: Cluster, asked: Asked) -> None:
    with installed(cluster):
        here = ("--namespace", SPACE)
        names = [f"app.kubernetes.io/component={part}" for part in ("decode", "prefill")]
        for name in names:
            cluster.kubectl("wait", "pods", "-l", name, *here, "--for=create", "--timeout=60s")
        lack = Lack("quota", Status.OK, (), made=(gpu_quota(5, persistentvolumeclaims="1"),))
        with lacking(cluster, lack):
            used = "jsonpath={.status.used.persistentvolumeclaims}=1"
            cluster.kubectl("wait", "resourcequota/team", *here, f"--for={used}", "--timeout=60s")
            (answer,) = QUESTIONS["quota"](asked, target(TARGET))
            assert answer.status is Status.OK


@contextmanager
def installed(cluster: Cluster) -> Iterator[None]:
    """The target as a release of Helm; nothing of it is left for other tests."""
    release = Release(cluster, "helm4", SPACE)
    release.types("install", release.name, str(CHART), "--set", f"target={TARGET}")
    try:
        yield
    finally:
        release.types("uninstall", release.name, "--wait")
        cluster.kubectl("delete", "pvc", "gpt-oss-model-cache", "--namespace", SPACE)


def test_without_rights_every_answer_says_which_is_missing(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster.kubectl("create", "namespace", BLIND)
    command = ["preflight", TARGET, "--set", S3[0], "--set", S3[1]]
    try:
        monkeypatch.setenv("KUBECONFIG", str(account(cluster, BLIND, [], tmp_path)))
        said = CliRunner().invoke(main, [*command, "--format", "json"])
        assert said.exit_code == 0, said.output
        answers = json.loads(said.output)["answers"]
        unknown = {a["about"] for a in answers if a["status"] == "unknown"}
        told = "\n".join(f"{a['says']} {a['do']}" for a in answers)
        seen = {"api server", "definitions", "fields"}
        assert unknown | seen >= set(QUESTIONS) - {"references"} | {"secret"}
        for right in (
            "list nodes",
            "list deployments",
            "get namespaces",
            "list storageclasses",
            f"list resourcequotas in namespace {BLIND}",
            f"get secrets in namespace {BLIND}",
        ):
            assert right in told
        assert CliRunner().invoke(main, [*command, "--fail-on", "warning"]).exit_code == 1
    finally:
        cluster.kubectl("delete", "namespace", BLIND, "--wait=false")
        cluster.kubectl("delete", "clusterrole,clusterrolebinding", BLIND)


@pytest.mark.usefixtures("asked")
def test_the_command_reports_in_text_and_junit_and_fails_on_errors() -> None:
    words = ["preflight", TARGET, "--namespace", SPACE, "--set", "hardware.nodeSelector.a=b"]
    said = CliRunner().invoke(main, words)
    assert said.exit_code == 1, said.output
    assert said.output.startswith(f"{TARGET} on test, namespace {SPACE}\n")
    assert max(map(len, said.output.splitlines())) <= 100
    assert "2 errors" in said.output
    said = CliRunner().invoke(main, [*words, "--format", "junit"])
    suites = ElementTree.fromstring(said.output)  # noqa: S314 (its own)
    assert said.exit_code == 1
    cases = suites.findall("testsuite/testcase")
    assert suites.get("tests") == str(len(cases))
    failed = [case for case in cases if case.find("failure") is not None]
    assert suites.get("failures") == str(len(failed))
    assert sum("finds no node" in str(case.get("name")) for case in failed) == 2

    said = CliRunner().invoke(main, [*words[:-1], "hardware.nodeSelector.a=2"])
    assert said.exit_code == 2
    assert "gptoss check" in said.output
