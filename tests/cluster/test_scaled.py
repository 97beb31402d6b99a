"""Who keeps, on an update, the replicas that an autoscaler has chosen.

The operator takes replicas that are lost for one, and its webhook refuses the update where there
are more; it is not asked about the group here, so that the loss itself can be seen.
"""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from gptoss.text import plain_yaml
from testcluster.control_plane import BIN, DEFINITION
from testcluster.programs import PATIENCE
from tests.chart.rendering import dumped

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from testcluster.control_plane import Cluster

pytestmark = pytest.mark.cluster

# The same resource in a group of its own, each version stored as it is written.
GROUP = "scaled.example.com"
CHOSEN = 3
# Stands in the graph where replicas do when they are set.
LEFT, WITH = {"replicas": "here"}, '"replicas": {{ . }},'


@pytest.fixture(scope="module")
def stored(cluster: Cluster) -> Iterator[Cluster]:
    definition = plain_yaml.load(DEFINITION.read_text(encoding="utf-8"))
    kinds = []
    for version in definition["spec"]["versions"]:
        group = f"{version['name']}.{GROUP}"
        names = definition["spec"]["names"] | {"shortNames": []}
        only = version | {"storage": True, "served": True}
        spec = {"group": group, "scope": "Namespaced", "names": names, "versions": [only]}
        metadata = {"name": f"{names['plural']}.{group}"}
        kinds.append(definition | {"metadata": metadata, "spec": spec})
    given = dumped(kinds)
    cluster.kubectl("apply", "--server-side", "--filename", "-", given=given)
    wait = ("wait", f"--timeout={PATIENCE}s", "--for=condition=Established")
    cluster.kubectl(*wait, "--filename", "-", given=given)
    yield cluster
    cluster.kubectl("delete", "--wait=false", "--filename", "-", given=given)


@pytest.mark.parametrize(
    ("helm", "version", "kept"),
    [
        ("helm3", "v1alpha1", True),
        ("helm4", "v1alpha1", True),
        ("helm3", "v1beta1", False),
        ("helm4", "v1beta1", True),
    ],
)
def test_an_update_keeps_chosen_replicas_but_where_helm_3_replaces_the_list(
    helm: str, version: str, kept: bool, stored: Cluster, tmp_path: Path
) -> None:
    release = Release(stored, helm, version, f"scaled-{helm}-{version}", tmp_path)
    release.run("install", "first", "--create-namespace")
    release.choose(CHOSEN)
    release.run("upgrade", "second")
    assert release.replicas() == (CHOSEN if kept else None)


@pytest.mark.parametrize("version", ["v1alpha1", "v1beta1"])
def test_replicas_that_another_field_manager_owns_outlast_their_leaving_the_chart(
    version: str, stored: Cluster, tmp_path: Path
) -> None:
    release = Release(stored, "helm4", version, f"handed-{version}", tmp_path)
    release.run("install", "first", "--create-namespace", "--set", f"replicas={CHOSEN}")
    release.hand_over(CHOSEN)
    release.run("upgrade", "second")
    assert release.replicas() == CHOSEN


class Release:
    """A release with a graph of one component, whose replicas are left out unless they are set."""

    def __init__(
        self, cluster: Cluster, helm: str, version: str, namespace: str, folder: Path
    ) -> None:
        self._cluster, self._helm, self._namespace = cluster, helm, namespace
        self._kind = f"dynamographdeployments.{version}.{version}.{GROUP}"
        self._chart, self._version = folder, version
        (folder / "templates").mkdir()
        (folder / "Chart.yaml").write_text("{apiVersion: v2, name: scaled, version: 0.1.0}")
        graph = {
            "apiVersion": f"{version}.{GROUP}/{version}",
            "kind": "DynamoGraphDeployment",
            "metadata": {"name": "graph"},
            "spec": _spec(version),
        }
        text = json.dumps(graph)
        text = text.replace(
            '"replicas": "here",', " {{ with .Values.replicas }}" + WITH + "{{ end }}"
        )
        (folder / "templates" / "graph.yaml").write_text(text)

    def run(self, verb: str, note: str, *words: str) -> None:
        """Installs or upgrades it, with a note in the pods so that something changes."""
        where = ["--kubeconfig", str(self._cluster.kubeconfig), "-n", self._namespace]
        command = [str(BIN / self._helm), verb, "scaled", str(self._chart)]
        command += ["--set", f"note={note}", *where, *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

    def choose(self, replicas: int) -> None:
        """Writes replicas into the graph, as the operator does for an adapter."""
        graph = self._graph()
        _component(graph)["replicas"] = replicas
        update = ("replace", "--field-manager=operator", "--filename", "-")
        self._cluster.kubectl(*update, given=json.dumps(graph))

    def hand_over(self, replicas: int) -> None:
        """Lets another field manager own the replicas too."""
        component: dict[str, Any] = {"replicas": replicas}
        if self._version == "v1alpha1":
            spec: dict[str, Any] = {"services": {"decode": component}}
        else:
            spec = {"components": [{"name": "decode", **component}]}
        names = {"name": "graph", "namespace": self._namespace}
        version = f"{self._version}.{GROUP}/{self._version}"
        graph = {"apiVersion": version, "kind": "DynamoGraphDeployment", "metadata": names}
        apply = ("apply", "--server-side", "--field-manager=autoscaler", "--filename", "-")
        self._cluster.kubectl(*apply, given=json.dumps(graph | {"spec": spec}))

    def replicas(self) -> int | None:
        """Replicas of its component as they are stored."""
        found: int | None = _component(self._graph()).get("replicas")
        return found

    def _graph(self) -> dict[str, Any]:
        words = ("get", self._kind, "graph", "--namespace", self._namespace, "-o", "json")
        graph: dict[str, Any] = json.loads(self._cluster.kubectl(*words))
        return graph


def _spec(version: str) -> dict[str, Any]:
    metadata = {"annotations": {"note": "{{ .Values.note }}"}}
    if version == "v1alpha1":
        worker = LEFT | {"scalingAdapter": {"enabled": True}, "extraPodMetadata": metadata}
        return {"services": {"decode": worker | {"componentType": "worker"}}}
    worker = LEFT | {"scalingAdapter": {}, "podTemplate": {"metadata": metadata}}
    return {"components": [worker | {"name": "decode", "type": "decode"}]}


def _component(graph: dict[str, Any]) -> dict[str, Any]:
    spec = graph["spec"]
    found: dict[str, Any]
    found = spec["services"]["decode"] if "services" in spec else spec["components"][0]
    return found
