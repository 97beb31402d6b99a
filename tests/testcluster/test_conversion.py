"""The stand-in's conversion between the versions of a graph."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from testcluster.operator.conversion import ALPHA, BETA, KEPT, convert
from testcluster.operator.worker_hash import worker_hash
from tests.chart.rendering import objects, one

Graph = dict[str, Any]

# What v1beta1 says elsewhere or not at all.
ALPHA_ONLY: Graph = {
    "apiVersion": ALPHA,
    "kind": "DynamoGraphDeployment",
    "metadata": {"name": "graph"},
    "spec": {
        "pvcs": [{"name": "cache"}],
        "envs": [{"name": "A", "value": "1"}],
        "topologyConstraint": {"topologyProfile": "rack"},
        "services": {
            "decode": {
                "componentType": "worker",
                "subComponentType": "decode",
                "dynamoNamespace": "old",
                "replicas": 2,
                "envs": [{"name": "B", "value": "2"}],
                "envFromSecret": "token",
                "resources": {"limits": {"gpu": "4", "custom": {"rdma/ib": "1"}}},
                "volumeMounts": [{"name": "cache", "mountPoint": "/cache"}],
                "livenessProbe": {"httpGet": {"path": "/live", "port": 9090}},
                "ingress": {"enabled": True, "host": "example.com"},
                "annotations": {"a": "b"},
                "scalingAdapter": {"enabled": False},
                "sharedMemory": {"disabled": True},
                "extraPodSpec": {"mainContainer": {"env": [{"name": "C", "value": "3"}]}},
            }
        },
    },
}


def beta(*names: str) -> Graph:
    components = [
        {
            "name": name,
            "type": "worker",
            "compilationCache": {"pvcName": "cache"},
            "experimental": {"failover": {}},
            "podTemplate": {
                "spec": {
                    "containers": [
                        {"name": "proxy"},
                        {"name": "main", "resources": {"limits": {"cpu": 4}}},
                    ]
                }
            },
        }
        for name in names
    ]
    metadata = {"name": "graph"}
    return {"apiVersion": BETA, "metadata": metadata, "spec": {"components": components}}


def there_and_back(graph: Graph) -> Graph:
    other = ALPHA if graph["apiVersion"] == BETA else BETA
    return convert(convert(copy.deepcopy(graph), other), graph["apiVersion"])


@pytest.mark.parametrize("target", ["disagg-gb200", "everything"])
def test_the_charts_two_ways_to_write_a_graph_are_one_graph(target: str) -> None:
    kind = "DynamoGraphDeployment"
    old = one(kind, objects(target, "runtime.apiVersion=v1alpha1"))
    new = one(kind, objects(target, "runtime.apiVersion=v1beta1"))
    converted = convert(copy.deepcopy(old), BETA)
    given = sorted(new["spec"]["components"], key=lambda component: component["name"])
    assert converted["spec"] == new["spec"] | {"components": given}
    assert worker_hash(converted) == worker_hash(new)
    assert there_and_back(old) == old


def test_what_only_one_version_can_say_survives_the_way_through_the_other() -> None:
    assert there_and_back(ALPHA_ONLY) == ALPHA_ONLY
    graph = beta("b", "a")
    assert there_and_back(graph) == graph


def test_what_both_versions_say_is_converted_in_their_words() -> None:
    (decode,) = convert(ALPHA_ONLY, BETA)["spec"]["components"]
    (main,) = decode["podTemplate"]["spec"]["containers"]
    assert decode["type"] == "decode"
    assert decode["sharedMemorySize"] == "0"
    assert "scalingAdapter" not in decode
    assert main["resources"] == {"limits": {"nvidia.com/gpu": "4", "rdma/ib": "1"}}
    assert [variable["name"] for variable in main["env"]] == ["C", "B"]
    assert main["envFrom"] == [{"secretRef": {"name": "token"}}]
    assert main["volumeMounts"] == [{"name": "cache", "mountPath": "/cache"}]
    assert main["livenessProbe"] == {"httpGet": {"path": "/live", "port": 9090}}
    assert convert(ALPHA_ONLY, BETA)["spec"]["env"] == ALPHA_ONLY["spec"]["envs"]


def test_a_change_in_the_other_version_wins_over_what_was_kept() -> None:
    graph = convert(copy.deepcopy(ALPHA_ONLY), BETA)
    graph["spec"]["components"][0]["replicas"] = 3
    decode = convert(graph, ALPHA)["spec"]["services"]["decode"]
    assert decode["replicas"] == 3
    assert decode["ingress"] == {"enabled": True, "host": "example.com"}


def test_a_graph_that_both_versions_can_say_gets_no_annotation() -> None:
    graph = one("DynamoGraphDeployment", objects("disagg-gb200", "runtime.apiVersion=v1alpha1"))
    assert KEPT not in convert(graph, BETA)["metadata"].get("annotations", {})


def test_parts_of_a_graph_that_a_field_manager_owns_stay_parts() -> None:
    part = {"apiVersion": ALPHA, "spec": {"services": {"decode": {"replicas": 3}}}}
    converted = convert(part, BETA)
    assert converted["spec"] == {"components": [{"name": "decode", "replicas": 3}]}
    assert convert(converted, ALPHA)["spec"] == part["spec"]


def test_replicas_of_components_stand_in_the_status_of_both_versions() -> None:
    state = {"componentNames": ["old", "new"], "replicas": 1}
    status = {"state": "pending", "components": {"decode": state}}
    status |= {"rollingUpdate": {"updatedComponents": ["decode"]}}
    converted = convert({"apiVersion": BETA, "status": status}, ALPHA)["status"]
    assert converted["services"]["decode"]["componentName"] == "new"
    assert converted["rollingUpdate"] == {"updatedServices": ["decode"]}
    assert convert({"apiVersion": ALPHA, "status": converted}, BETA)["status"] == status
