"""Rules about fields of the resource, held against kubeconform on the same manifests."""

import copy
import json
import subprocess
from typing import Any

import pytest
import yaml

from gptoss.checker import run
from gptoss.errors import InputError
from gptoss.facts import Facts
from gptoss.sources.manifests import build
from gptoss.yaml_tree import parse_documents
from tests.chart.rendering import ROOT, objects, one

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
    (BETA, (*COMPONENT, "type"), "main"),
    (BETA, (*COMPONENT, "type"), "decode"),
    (BETA, (*COMPONENT, "componentType"), "worker"),
    (BETA, (*COMPONENT, "minAvailable"), 0),
    (BETA, (*COMPONENT, "minAvailable"), 1),
    (BETA, (*COMPONENT, "runtimeVersionOverride"), "latest"),
    (BETA, (*COMPONENT, "podTemplate", "spec", "hostIpc"), True),
    (BETA, (*COMPONENT, "podTemplate", "spec", "containers", 0, "name"), REMOVE),
    (BETA, (*COMPONENT, "podTemplate", "metadata", "labels"), ["a"]),
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


@pytest.fixture(scope="module")
def refused() -> set[str]:
    """Names of the graphs that kubeconform refuses, all asked in one run."""
    graphs = [
        one("DynamoGraphDeployment", manifests(release, number, path, value))
        for number, (release, path, value) in enumerate(EDITS)
    ]
    done = subprocess.run(
        [ROOT / "tools" / "setup" / "kubeconform.sh", "-output", "json", "-verbose"],
        input=yaml.safe_dump_all(graphs),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    resources = json.loads(done.stdout)["resources"]
    assert len(resources) == len(EDITS), done.stdout + done.stderr
    return {resource["name"] for resource in resources if resource["status"] != "statusValid"}


@pytest.mark.parametrize("number", range(len(EDITS)), ids=lambda n: ".".join(map(str, EDITS[n][1])))
def test_what_kubeconform_refuses_is_found_and_what_it_takes_is_not(
    number: int, refused: set[str]
) -> None:
    release, path, value = EDITS[number]
    text = yaml.safe_dump_all(manifests(release, number, path, value))
    try:
        deployment = build(parse_documents(text, "edited.yaml"), "edited.yaml", FACTS)
        found = {finding.rule.id for finding in run(deployment, FACTS).findings}
        flagged = bool(found & {"G001", "G060", "G061"})
    except InputError:
        flagged = True
    assert flagged == (f"edit-{number}" in refused)
