"""The stand-in for the operator, met as charts and people meet it."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import pytest

from testcluster.operator.installing import change_release
from testcluster.operator.releases import DEFAULT
from testcluster.programs import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from testcluster.control_plane import Cluster

pytestmark = pytest.mark.cluster

NAMESPACE = "operator-stand-in"
HERE = ("--namespace", NAMESPACE)
IMAGE = "registry.internal/runtime:1.3.1"
GPUS = {"gpu": "1"}
SELECTOR = "nvidia.com/dynamo-graph-deployment-name"

Graph = dict[str, Any]


def graph(name: str) -> Graph:
    def service(kind: str, more: Graph) -> Graph:
        return {"componentType": kind, "replicas": 1, "extraPodSpec": pod()} | more

    services = {
        "frontend": service("frontend", {}),
        "worker": service("worker", {"resources": {"requests": GPUS, "limits": GPUS}}),
    }
    return {
        "apiVersion": "nvidia.com/v1alpha1",
        "kind": "DynamoGraphDeployment",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": {"backendFramework": "trtllm", "services": services},
    }


def pod() -> Graph:
    tolerations = [{"key": "nvidia.com/gpu", "operator": "Exists"}]
    main = {"image": IMAGE, "command": ["python3", "-m", "dynamo.trtllm"]}
    return {"tolerations": tolerations, "mainContainer": main}


class Graphs:
    """Graphs of one namespace."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster

    def apply(self, given: Graph) -> None:
        self.cluster.kubectl("apply", "--filename", "-", given=json.dumps(given))

    def refusal(self, given: Graph) -> str:
        """Why the webhooks, or the definition, do not let a graph be so."""
        dry = ("apply", "--dry-run=server", "--filename", "-")
        done = self.cluster.run(*dry, given=json.dumps(given))
        assert done.returncode == 1, done.stdout
        return done.stderr

    def wait(self, name: str, *conditions: str) -> None:
        for condition in conditions:
            wait = (f"--for={condition}", f"--timeout={PATIENCE}s", *HERE)
            self.cluster.kubectl("wait", f"dynamographdeployment/{name}", *wait)

    def get(self, kind: str) -> Graph:
        found: Graph = json.loads(self.cluster.kubectl("get", kind, *HERE, "-o", "json"))
        return found

    def told(self, name: str) -> tuple[str, str, str]:
        """State, and reason and message of the condition Ready."""
        status = self.get(f"dynamographdeployment/{name}")["status"]
        (ready,) = status["conditions"]
        return status["state"], ready["reason"], ready["message"]

    def deployments(self, name: str) -> dict[str, Graph]:
        """The Deployments of a graph by their names."""
        found = self.cluster.objects("deployments", *HERE, "--selector", f"{SELECTOR}={name}")
        return {deployment["metadata"]["name"]: deployment for deployment in found}


@pytest.fixture(scope="module")
def graphs(cluster: Cluster) -> Iterator[Graphs]:
    cluster.kubectl("create", "namespace", NAMESPACE)
    yield Graphs(cluster)
    cluster.kubectl("delete", "namespace", NAMESPACE, "--wait=false")


def test_workers_of_before_stay_until_the_new_are_ready_and_all_goes_with_the_graph(
    graphs: Graphs,
) -> None:
    first = graph("rolls")
    graphs.apply(first)
    graphs.wait("rolls", "condition=Ready")
    (old,) = set(graphs.deployments("rolls")) - {"rolls-frontend"}

    graphs.cluster.kubectl("scale", f"deployment/{old}", "--replicas=3", *HERE)
    back = ("--for=jsonpath={.spec.replicas}=1", f"--timeout={PATIENCE}s", *HERE)
    graphs.cluster.kubectl("wait", f"deployment/{old}", *back)

    stuck = copy.deepcopy(first)
    stuck["spec"]["services"]["worker"]["extraPodSpec"]["nodeSelector"] = {"no": "such-node"}
    graphs.apply(stuck)
    graphs.wait("rolls", "jsonpath={.status.rollingUpdate.phase}=InProgress")
    (new,) = set(graphs.deployments("rolls")) - {"rolls-frontend", old}
    state, reason, message = graphs.told("rolls")
    assert (state, reason) == ("pending", "rolling_update_in_progress")
    assert f"{new}: 0 of 1 ready" in message
    assert graphs.deployments("rolls")[old]["spec"]["replicas"] == 1

    graphs.apply(first)
    graphs.wait("rolls", "condition=Ready", "jsonpath={.status.rollingUpdate.phase}=Completed")
    assert set(graphs.deployments("rolls")) == {"rolls-frontend", old}

    graphs.cluster.kubectl("delete", "dynamographdeployment/rolls", *HERE)
    gone = ("--for=delete", f"--timeout={PATIENCE}s", "--selector", f"{SELECTOR}=rolls")
    graphs.cluster.kubectl("wait", "pods,services,deployments,serviceaccounts", *gone, *HERE)


def test_what_is_in_the_way_of_pods_stands_in_the_condition(graphs: Graphs) -> None:
    quota = ("resourcequota", "one-gpu", "--hard=requests.nvidia.com/gpu=0")
    graphs.cluster.kubectl("create", *quota, *HERE)
    graphs.apply(graph("poor"))
    graphs.wait("poor", "condition=Ready=False", "jsonpath={.status.observedGeneration}=1")
    graphs.cluster.kubectl(
        "wait", "deployment", "--selector", f"{SELECTOR}=poor,nvidia.com/dynamo-component=worker",
        "--for=condition=ReplicaFailure", f"--timeout={PATIENCE}s", *HERE,
    )  # fmt: skip
    graphs.wait("poor", "jsonpath={.status.conditions[0].reason}=some_resources_are_not_ready")
    graphs.cluster.kubectl("delete", "resourcequota", "one-gpu", *HERE)
    assert "exceeded quota: one-gpu" in graphs.told("poor")[2]

    wrong = graph("poor")
    mounts = [{"name": "nobody-made-it", "mountPath": "/there"}]
    wrong["spec"]["services"]["worker"]["extraPodSpec"]["mainContainer"]["volumeMounts"] = mounts
    graphs.apply(wrong)
    graphs.wait("poor", "jsonpath={.status.state}=failed")
    _, reason, message = graphs.told("poor")
    assert reason == "failed_to_reconcile_the_resources"
    assert "nobody-made-it" in message
    assert graphs.get("dynamographdeployment/poor")["status"]["observedGeneration"] == 1


def test_an_adapter_owns_the_replicas_of_its_component(graphs: Graphs) -> None:
    scaled = graph("scaled")
    scaled["spec"]["services"]["worker"]["scalingAdapter"] = {"enabled": True}
    graphs.apply(scaled)
    adapter = "dynamographdeploymentscalingadapter/scaled-worker"
    graphs.wait("scaled", "condition=Ready")
    graphs.cluster.kubectl("scale", adapter, "--replicas=2", *HERE)
    graphs.wait("scaled", "jsonpath={.status.components.worker.readyReplicas}=2")
    assert graphs.get(adapter)["spec"]["dgdRef"] == {"name": "scaled", "componentName": "worker"}
    assert "cannot be modified directly" in graphs.refusal(scaled)


def test_a_component_on_several_nodes_has_a_leader_and_others(graphs: Graphs) -> None:
    wide = graph("wide")
    wide["spec"]["services"]["worker"]["multinode"] = {"nodeCount": 3}
    graphs.apply(wide)
    graphs.wait("wide", "condition=Ready")
    made = graphs.deployments("wide")
    pods = {name: each["spec"]["replicas"] for name, each in made.items()}
    assert pods == {"wide-frontend": 1, "wide-worker-ldr": 1, "wide-worker-wkr": 2}
    (main,) = made["wide-worker-ldr"]["spec"]["template"]["spec"]["containers"]
    assert "mpirun -n 3 " in main["args"][0]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"services": {"other": {"componentType": "worker"}}}, "service topology is immutable"),
        ({"services": {"worker": {"multinode": {"nodeCount": 2}}}}, "cannot change node topology"),
        ({"backendFramework": "vllm"}, "spec.backendFramework is immutable"),
        ({"restart": {"id": "1", "strategy": {"order": ["worker"]}}}, "order must have every"),
        (
            {"services": {"worker": {"colour": "red"}}},
            'unknown field "spec.services.worker.colour"',
        ),
    ],
)
def test_what_the_operator_refuses_is_refused(graphs: Graphs, change: Graph, said: str) -> None:
    graphs.apply(graph("kept"))
    changed = graph("kept")
    services = changed["spec"]["services"]
    for name, more in change.get("services", {}).items():
        services[name] = services.get(name, {}) | more
    changed["spec"] |= {**change, "services": services}
    assert said in graphs.refusal(changed)


def test_a_later_release_stores_the_new_version_and_refuses_more(graphs: Graphs) -> None:
    before = graph("stored")
    graphs.apply(before)
    try:
        change_release(graphs.cluster, "1.5.1")
        custom = copy.deepcopy(before)
        custom["spec"]["services"]["worker"]["extraPodSpec"]["mainContainer"]["image"] = "a:latest"
        assert "set runtimeVersionOverride" in graphs.refusal(custom)
        custom["spec"]["services"]["worker"]["runtimeVersionOverride"] = "1.5.1"
        graphs.apply(custom)
        graphs.wait("stored", "jsonpath={.status.observedGeneration}=2")
        found = graphs.get("dynamographdeployments.v1alpha1.nvidia.com/stored")
        assert found["spec"]["services"]["worker"]["runtimeVersionOverride"] == "1.5.1"
    finally:
        change_release(graphs.cluster, DEFAULT)
    graphs.apply(before)
