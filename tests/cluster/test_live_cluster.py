"""A cluster read by gptoss itself, with rights and without."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gptoss.cluster import live_cluster
from gptoss.cluster.connecting import connect
from gptoss.cluster.live_cluster import ALL, DeniedError
from gptoss.text.errors import InputError
from tests.cluster.accounts import account

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from testcluster.control_plane import Cluster

pytestmark = pytest.mark.cluster

SPACE = "live-cluster"


def test_objects_are_read_as_they_are_and_what_is_denied_is_named(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster.kubectl("create", "namespace", SPACE)
    rules = [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list"]}]
    try:
        for number in range(3):
            cluster.kubectl("create", "configmap", f"map-{number}", "-n", SPACE)
        monkeypatch.setenv("KUBECONFIG", str(account(cluster, SPACE, rules, tmp_path)))
        asked = connect()
        assert asked.version() in cluster.kubectl("version")
        assert asked.namespace == SPACE
        assert "DynamoGraphDeployment" in (asked.kinds("nvidia.com/v1beta1") or {})
        assert asked.kinds("example.com/v1") is None
        assert asked.objects("example.com/v1", "Thing") == []

        found = asked.get("v1", "ConfigMap", "map-0")
        assert found
        assert (found["kind"], found["apiVersion"]) == ("ConfigMap", "v1")
        assert asked.get("v1", "ConfigMap", "none") is None
        monkeypatch.setattr(live_cluster, "PAGE", "1")
        maps = asked.objects("v1", "ConfigMap")
        assert {"map-0", "map-1", "map-2"} <= {each["metadata"]["name"] for each in maps}
        assert {(each["kind"], each["apiVersion"]) for each in maps} == {("ConfigMap", "v1")}

        denied: dict[str, Callable[[], object]] = {
            "list nodes": lambda: asked.objects("v1", "Node"),
            "list pods": lambda: asked.objects("v1", "Pod", ALL),
            f"list pods in namespace {SPACE}": lambda: asked.objects("v1", "Pod"),
            f"get secrets in namespace {SPACE}": lambda: asked.get("v1", "Secret", "hub"),
            "get nodes": lambda: asked.get("v1", "Node", "cpu-0"),
        }
        for right, read in denied.items():
            with pytest.raises(DeniedError) as caught:
                read()
            assert caught.value.right == right

        config = tmp_path / "stranger"
        config.write_text(cluster.kubeconfig.read_text("utf-8").replace("token: ", "token: x"))
        monkeypatch.setenv("KUBECONFIG", str(config))
        with pytest.raises(InputError, match="does not know this account"):
            connect()
    finally:
        cluster.kubectl("delete", "namespace", SPACE, "--wait=false")
        cluster.kubectl("delete", "clusterrole,clusterrolebinding", SPACE)
