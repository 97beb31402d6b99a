"""``gptoss status`` through the life of a release, with the rights of its page and no others."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from click.testing import CliRunner

from gptoss.cli import main
from testcluster.programs import PATIENCE
from tests.chart.rendering import CHART, ROOT
from tests.cluster.accounts import account
from tests.cluster.releases import Release

if TYPE_CHECKING:
    from pathlib import Path

    from testcluster.control_plane import Cluster
    from tests.chart.odd_server import Odd

pytestmark = pytest.mark.cluster

SPACE = "standing"
TARGET = "disagg-b200"
PAGE = (ROOT / "docs" / "status.md").read_text("utf-8")
(ROLE,) = re.findall(r"<!-- roles -->\n```yaml\n(.*?)```", PAGE, re.DOTALL)
RULES = yaml.safe_load(ROLE)["rules"]
BENCHMARK = "app.kubernetes.io/component=benchmark"
WAIT = f"--timeout={PATIENCE}s"


@dataclass
class Told:
    """What the command said."""

    code: int
    found: dict[str, Any]
    errors: str

    def part(self, name: str) -> tuple[str, str]:
        (part,) = [each for each in self.found["parts"] if each["part"] == name]
        return part["state"], part["says"]


def status(*words: str) -> Told:
    done = CliRunner().invoke(main, ["status", *words, "--format", "json"])
    (found,) = json.loads(done.stdout) if done.stdout else [{}]
    return Told(done.exit_code, found, done.stderr)


def without(*resources: str) -> list[dict[str, Any]]:
    """The rights of the page but these."""
    return [
        {**rule, "resources": left}
        for rule in RULES
        if (left := [name for name in rule["resources"] if name not in resources])
    ]


def test_status_says_where_a_release_stands_from_its_first_pod_to_its_benchmark(
    cluster: Cluster, server: Odd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = ("-n", SPACE)
    cluster.kubectl("create", "namespace", SPACE)
    try:
        monkeypatch.setenv("KUBECONFIG", str(account(cluster, SPACE, RULES, tmp_path)))
        nothing = status("gpt-oss")
        assert nothing.code == 2
        assert f"gpt-oss does not run in namespace {SPACE}" in nothing.errors

        # One GPU is left to a release that needs five: its decode worker is refused.
        cluster.kubectl("create", "quota", "team", *here, "--hard=requests.nvidia.com/gpu=1")
        values = f"target={TARGET},benchmark.enabled=true"
        release = Release(cluster, "helm4", SPACE)
        release.types("install", release.name, str(CHART), "--set", values)
        graph = "dynamographdeployment/gpt-oss"
        refused = "jsonpath={.status.conditions[?(@.type=='Ready')].message}"
        cluster.kubectl("wait", *here, graph, f"--for={refused}", WAIT)
        decode = ("--selector", "nvidia.com/dynamo-component=decode")
        failure = "--for=condition=ReplicaFailure"
        cluster.kubectl("wait", *here, "deployment", *decode, failure, WAIT)
        told = status("gpt-oss")
        assert told.code == 1
        assert told.found["says"].startswith("does not serve: decode: 0 of 1 ready: pods are refus")
        assert "exceeded quota: team" in told.part("decode")[1]

        cluster.kubectl("delete", "quota", "team", *here)
        deployments = ("deployment", *decode)
        cluster.kubectl("rollout", "restart", *here, *deployments)
        cluster.kubectl("wait", *here, graph, "--for=condition=Ready", WAIT)
        told = status("gpt-oss")
        assert (told.code, told.found["says"]) == (0, "serves")
        assert told.part("model") == ("ok", "lists openai/gpt-oss-120b")
        assert told.part("decode") == ("ok", "1 of 1 ready")
        assert "claim gpt-oss-model-cache holds" in told.part("weights")[1]
        assert told.part("benchmark")[0] == "working"
        assert "it says: simulated" in told.part("benchmark")[1]
        assert status(TARGET).found["name"] == "gpt-oss"
        assert status().found["name"] == "gpt-oss"

        answer, server.answer = server.answer, lambda _path, _body: {"object": "list", "data": []}
        try:
            told = status("gpt-oss")
        finally:
            server.answer = answer
        assert told.code == 1
        assert told.part("model")[0] == "wrong"
        assert "lists no model" in told.found["says"]

        cluster.kubectl("annotate", *here, "pods", "--selector", BENCHMARK, "simulated=done")
        cluster.kubectl(
            "wait", *here, "job", "--selector", BENCHMARK, "--for=condition=Complete", WAIT
        )
        state, text = status("gpt-oss").part("benchmark")
        assert (state, "ended well" in text) == ("ok", True)

        role = json.loads(cluster.kubectl("get", "clusterrole", SPACE, "-o", "json"))
        role["rules"] = without("events", "pods/portforward", "pods/log")
        cluster.kubectl("replace", "--filename", "-", given=json.dumps(role))
        told = status("gpt-oss")
        denied = "not asked: the account may not create pods/portforward"
        assert (told.code, told.part("model")) == (0, ("unknown", denied))
        assert f"not looked at: the account may not list events in namespace {SPACE}" in told.errors
    finally:
        cluster.kubectl("delete", "namespace", SPACE, "--wait=false")
        cluster.kubectl("delete", "clusterrole,clusterrolebinding", SPACE)
