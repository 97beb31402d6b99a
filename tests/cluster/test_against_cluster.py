"""``check --against cluster``: what is to be, beside what a cluster holds."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from gptoss.cli import main
from tests.chart.rendering import CHART
from tests.cluster.accounts import account
from tests.cluster.releases import Release

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

    from testcluster.control_plane import Cluster

pytestmark = pytest.mark.cluster

SPACE = "against"
TARGET = "disagg-b200"
# A class of which claims cannot grow.
INSTALLED = ("benchmark.enabled=true", "modelCache.storageClassName=rigid")
# What the API server is to refuse of the claim, as check does.
REFUSED = (
    {"storageClassName": None},
    {"storageClassName": "shared"},
    {"resources": {"requests": {"storage": "1Gi"}}},
    {"resources": {"requests": {"storage": "300Gi"}}},
)
# The rights of docs/status.md suffice, and one kind less is told and not compared.
RULES = [
    {"apiGroups": ["nvidia.com"], "resources": ["dynamographdeployments"]},
    {"apiGroups": ["apps"], "resources": ["deployments", "statefulsets", "daemonsets"]},
    {"apiGroups": ["batch"], "resources": ["jobs"]},
    {"apiGroups": [""], "resources": ["services", "configmaps", "persistentvolumeclaims"]},
    {"apiGroups": ["storage.k8s.io"], "resources": ["storageclasses"]},
]
CHANGES = [
    (["workers.decode.engine.max_seq_len=9999", "benchmark.runId=second"], set()),
    (["modelCache.storageClassName=shared", "modelCache.size=1Gi"], {"G055"}),
    (["modelCache.storageClassName=null", "modelCache.size=300Gi"], {"G055", "G152"}),
    (["runtime.release=1.5.1"], {"G064"}),
    (["workers.prefill=null", "workers.decode.role=aggregated"], {"G050"}),
]


def check(*words: str) -> Result:
    return CliRunner().invoke(main, ["check", *words, "--against", "cluster"])


def found(*settings: str) -> set[str]:
    """The rules about a change that fire for the target with these settings."""
    flags = [word for each in (*INSTALLED, *settings) for word in ("--set", each)]
    done = check(TARGET, *flags, "--format", "json")
    assert done.exit_code in (0, 1), done.output
    assert "not compared: the account may not list rolebindings" in done.stderr
    rules = {each["rule"] for each in json.loads(done.stdout)["findings"]}
    return rules & {rule for _, named in CHANGES for rule in named}


def test_a_change_is_compared_with_what_the_cluster_holds(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster.kubectl("create", "namespace", SPACE)
    try:
        values = ",".join([f"target={TARGET}", *INSTALLED])
        release = Release(cluster, "helm4", SPACE)
        release.types("install", release.name, str(CHART), "--set", values)
        claim = ("-n", SPACE, "pvc", "gpt-oss-model-cache")
        cluster.kubectl("wait", *claim, "--for=jsonpath={.status.phase}=Bound")
        rules = [{**rule, "verbs": ["get", "list"]} for rule in RULES]
        monkeypatch.setenv("KUBECONFIG", str(account(cluster, SPACE, rules, tmp_path)))
        for settings, expected in CHANGES:
            assert found(*settings) == expected, settings
        for spec in REFUSED:
            patch = ("--type=merge", "--dry-run=server", "--patch", json.dumps({"spec": spec}))
            assert "forbidden" in cluster.run("patch", *claim, *patch).stderr.lower(), spec
        other = check(TARGET, "--name", "other")
        assert other.exit_code == 2
        assert f"nothing of other serves in namespace {SPACE}" in other.stderr
        assert "--name" in other.stderr
    finally:
        cluster.kubectl("delete", "namespace", SPACE, "--wait=false")
        cluster.kubectl("delete", "clusterrole,clusterrolebinding", SPACE)


def test_where_the_cluster_is_goes_with_the_word_cluster_alone() -> None:
    done = CliRunner().invoke(main, ["check", TARGET, "--context", "lab"])
    assert (done.exit_code, done.stderr) == (
        2,
        "gptoss: --context and -n say which cluster, and go with --against cluster\n",
    )
