"""Rules about fields of the resource, held against kubeconform on the same manifests."""

import copy
import json
import subprocess
from typing import Any

import pytest

from gptoss.checking.checker import run
from gptoss.facts.world import Facts
from gptoss.sources.kubernetes.build import build
from gptoss.text.errors import InputError
from gptoss.text.yaml_tree import parse_documents
from tests.chart.rendering import ROOT, dumped, objects, one

FACTS = Facts()
REMOVE = object()
ALPHA, BETA = "runtime.release=1.2.1", "runtime.release=1.6.1"
SERVICE = ("spec", "services", "decode")
COMPONENT = ("spec", "components", 1)
EDITS: list[tuple[str, tuple[str | int, ...], Any]] = [
    (ALPHA, ("spec", "backendFramework"), "tensorrt"),
    (ALPHA, ("spec", "backendFramework"), "vllm"),
    (ALPHA, ("spec", "backendFrameworks"), "trtllm"),
    (ALPHA, (*SERVICE, "replicas"), -1),
    (ALPHA, (*SERVICE, "replicas"), 3),
    (ALPHA, (*SERVICE, "replica"), 3),
    (ALPHA, (*SERVICE, "componenttype"), "worker"),
    (ALPHA, (*SERVICE, "serviceName"), "mine"),
    (ALPHA, (*SERVICE, "multinode"), {"nodeCount": 1}),
    (ALPHA, (*SERVICE, "multinode"), {"nodeCount": 2}),
    (ALPHA, (*SERVICE, "extraPodSpec", "tolerations"), "all"),
    (ALPHA, (*SERVICE, "extraPodSpec", "toleration"), []),
    (ALPHA, (*SERVICE, "extraPodSpec", "priorityClassName"), "high"),
    (ALPHA, (*SERVICE, "extraPodSpec", "mainContainer", "imagePullPolicy"), "IfNotPresent"),
    (ALPHA, (*SERVICE, "extraPodSpec", "mainContainer", "imagePull"), "Always"),
    (ALPHA, (*SERVICE, "extraPodSpec", "terminationGracePeriodSeconds"), "long"),
    (ALPHA, (*SERVICE, "resources", "limits"), None),
    (ALPHA, (*SERVICE, "sharedMemory"), None),
    (ALPHA, (*SERVICE, "replicas"), None),
    (ALPHA, ("spec", "backendFramework"), None),
    (ALPHA, (*SERVICE, "multinode"), {"nodeCount": None}),
    (ALPHA, ("spec", "restart"), {"id": ""}),
    (ALPHA, ("spec", "restart"), {"strategy": {"type": "Parallel"}}),
    (ALPHA, ("spec", "restart"), {"id": "1", "strategy": {"order": [None]}}),
    (BETA, (*COMPONENT, "type"), "main"),
    (BETA, (*COMPONENT, "type"), "decode"),
    (BETA, (*COMPONENT, "componentType"), "worker"),
    (BETA, (*COMPONENT, "minAvailable"), 0),
    (BETA, (*COMPONENT, "minAvailable"), 1),
    (BETA, (*COMPONENT, "runtimeVersionOverride"), "latest"),
    (BETA, (*COMPONENT, "podTemplate", "spec", "hostIpc"), True),
    (BETA, (*COMPONENT, "podTemplate", "spec", "containers", 0, "name"), REMOVE),
    (BETA, (*COMPONENT, "podTemplate", "metadata", "labels"), ["a"]),
    (BETA, (*COMPONENT, "sharedMemorySize"), None),
    (BETA, (*COMPONENT, "replicas"), None),
]
JOB = {
    "template": {
        "spec": {"restartPolicy": "Never", "containers": [{"name": "a", "image": "b:1"}]},
    }
}
CLAIM = {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Gi"}}}
DEPLOYMENT = {**JOB, "selector": {"matchLabels": {"app": "a"}}}
# Objects of Kubernetes itself: kind and what it has beside kind and metadata.
OBJECTS: list[tuple[str, dict[str, Any]]] = [
    ("batch/v1 Job", {"spec": JOB}),
    ("batch/v1 Job", {"spec": {**JOB, "backoffLimit": 0, "ttlSecondsAfterFinished": 60}}),
    ("batch/v1 Job", {"spec": {**JOB, "backoffLimit": None}}),
    ("batch/v1 Job", {"spec": {**JOB, "backoffLimit": "many"}}),
    ("batch/v1 Job", {"spec": {**JOB, "backofLimit": 0}}),
    ("batch/v1 Job", {"spec": {"backoffLimit": 0}}),
    ("batch/v1 Job", {"specs": JOB}),
    ("v1 PersistentVolumeClaim", {"spec": CLAIM}),
    ("v1 PersistentVolumeClaim", {"spec": {**CLAIM, "accessModes": "ReadWriteMany"}}),
    ("v1 PersistentVolumeClaim", {"spec": {**CLAIM, "storageClass": "fast"}}),
    ("v1 PersistentVolumeClaim", {"spec": {**CLAIM, "storageClassName": None}}),
    ("v1 ConfigMap", {"data": {"a.yaml": "x: 1"}}),
    ("v1 ConfigMap", {"data": {"a.yaml": 1}}),
    ("v1 ConfigMap", {"date": {"a.yaml": "x: 1"}}),
    ("v1 ConfigMap", {"data": None, "immutable": True}),
    ("v1 ConfigMap", {"immutable": "yes"}),
    ("v1 Service", {"spec": {"ports": [{"port": 8000, "targetPort": "http"}]}}),
    ("v1 Service", {"spec": {"ports": [{"targetPort": "http"}]}}),
    ("v1 Service", {"spec": {"ports": [{"port": "http"}]}}),
    ("v1 Service", {"spec": {"port": 8000}}),
    ("apps/v1 Deployment", {"spec": DEPLOYMENT}),
    ("apps/v1 Deployment", {"spec": {**DEPLOYMENT, "replicas": "two"}}),
    ("apps/v1 Deployment", {"spec": {**DEPLOYMENT, "strategy": {"type": "Recreate"}}}),
    ("apps/v1 Deployment", {"spec": JOB}),
    ("networking.k8s.io/v1 NetworkPolicy", {"spec": {"podSelector": {}, "ingres": []}}),
]


def manifests(release: str, number: int, path: tuple[str | int, ...], value: Any) -> list[Any]:
    """A rendered target with one field of its graph changed, under a name of its own."""
    found = copy.deepcopy(objects("disagg-gb200", release))
    graph = one("DynamoGraphDeployment", found)
    graph["metadata"]["name"] = f"edit-{number}"
    target: Any = graph
    for step in path[:-1]:
        target = target[step]
    if value is REMOVE:
        del target[path[-1]]
    else:
        target[path[-1]] = value
    return found


def an_object(number: int) -> dict[str, Any]:
    """An object of Kubernetes itself, under a name of its own."""
    kind, fields = OBJECTS[number]
    version, _, name = kind.partition(" ")
    metadata = {"name": f"object-{number}"}
    return {"apiVersion": version, "kind": name, "metadata": metadata, **copy.deepcopy(fields)}


@pytest.fixture(scope="module")
def refused() -> set[str]:
    """Names of the objects that kubeconform refuses, all asked in one run."""
    graphs = [
        one("DynamoGraphDeployment", manifests(release, number, path, value))
        for number, (release, path, value) in enumerate(EDITS)
    ]
    graphs += [an_object(number) for number in range(len(OBJECTS))]
    done = subprocess.run(
        [ROOT / "tools" / "setup" / "kubeconform.sh", "-output", "json", "-verbose"],
        input=dumped(graphs),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    resources = json.loads(done.stdout)["resources"]
    assert len(resources) == len(EDITS) + len(OBJECTS), done.stdout + done.stderr
    return {resource["name"] for resource in resources if resource["status"] != "statusValid"}


@pytest.mark.parametrize("number", range(len(EDITS)), ids=lambda n: ".".join(map(str, EDITS[n][1])))
def test_what_kubeconform_refuses_is_found_and_what_it_takes_is_not(
    number: int, refused: set[str]
) -> None:
    release, path, value = EDITS[number]
    text = dumped(manifests(release, number, path, value))
    assert is_flagged(text) == (f"edit-{number}" in refused)


@pytest.mark.parametrize("number", range(len(OBJECTS)), ids=lambda n: f"{n} {OBJECTS[n][0]}")
def test_objects_of_kubernetes_are_judged_as_kubeconform_does(
    number: int, refused: set[str]
) -> None:
    found = [*objects("disagg-gb200", ALPHA), an_object(number)]
    assert is_flagged(dumped(found)) == (f"object-{number}" in refused)


def is_flagged(text: str) -> bool:
    """Whether check speaks of a field or cannot read the text at all."""
    try:
        deployment = build(parse_documents(text, "edited.yaml"), "edited.yaml", FACTS)
    except InputError:
        return True
    found = {finding.rule.id for finding in run(deployment, FACTS).findings}
    return bool(found & {"G001", "G060", "G061"})
