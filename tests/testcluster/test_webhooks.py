"""What the stand-in's webhooks refuse and fill in, and what a release of it installs."""

from __future__ import annotations

from typing import Any

import pytest

from testcluster.operator.conversion import ALPHA, BETA
from testcluster.operator.defaulting import ORIGIN, patch
from testcluster.operator.definition import installed
from testcluster.operator.releases import Release
from testcluster.operator.validation import OPERATOR, Change, refusals, warnings

Graph = dict[str, Any]
OLD, NEW = Release("1.3.1"), Release("1.5.1")


def graph(**worker: Any) -> Graph:
    main = {"name": "main", "image": "runtime:1.3.1"}
    component = {
        "name": "worker",
        "type": "worker",
        "podTemplate": {"spec": {"containers": [main]}},
    }
    spec = {"components": [component | worker]}
    return {"apiVersion": BETA, "metadata": {"name": "graph"}, "spec": spec}


def said(release: Release, new: Graph, old: Graph | None = None, user: str = "admin") -> str:
    return "; ".join(refusals(Change(release, new, old, user)))


@pytest.mark.parametrize(
    ("image", "refused"),
    [
        ("runtime:1.3.1", False),
        ("runtime:v1.3.1-patched", False),
        ("runtime:latest", True),
        ("host:5000/runtime", True),
        ("runtime:1.3.1@sha256:00", True),
    ],
)
def test_from_1_5_an_image_has_a_version_for_a_tag_or_an_override(
    image: str, *, refused: bool
) -> None:
    custom = graph()
    custom["spec"]["components"][0]["podTemplate"]["spec"]["containers"][0]["image"] = image
    assert ("set runtimeVersionOverride" in said(NEW, custom)) == refused
    assert not said(OLD, custom)
    custom["spec"]["components"][0]["runtimeVersionOverride"] = "1.3.1"
    assert not said(NEW, custom)


def test_only_the_operator_changes_replicas_that_an_adapter_owns() -> None:
    old, new = graph(scalingAdapter={}, replicas=3), graph(scalingAdapter={}, replicas=1)
    assert "cannot be modified directly" in said(OLD, new, old)
    assert "cannot be modified directly" in said(OLD, graph(scalingAdapter={}), old)
    assert not said(OLD, new, old, user=OPERATOR)
    assert not said(OLD, graph(replicas=1), graph(replicas=3))


def test_a_name_is_too_long_for_grove_unless_grove_is_off() -> None:
    long = graph(name="w" * 40, multinode={"nodeCount": 2})
    assert "exceeds 45-character limit" in said(OLD, long)
    long["metadata"]["annotations"] = {"nvidia.com/enable-grove": "false"}
    assert not said(OLD, long)


def test_annotations_and_the_order_of_a_restart_are_looked_at() -> None:
    wrong = graph()
    wrong["metadata"]["annotations"] = {
        ORIGIN: "newest", "nvidia.com/dynamo-kube-discovery-mode": "node"
    }  # fmt: skip
    wrong["spec"]["restart"] = {"id": "1", "strategy": {"order": ["other"]}}
    found = said(OLD, wrong)
    for part in (ORIGIN, "must be one of pod, container", "order must have every service"):
        assert part in found


def test_replicas_and_the_first_release_are_filled_in() -> None:
    alpha = {"metadata": {}, "spec": {"services": {"a": {}, "b": {"replicas": 2}}}}
    steps = patch(alpha, OLD, is_new=True)
    assert [(step["path"], step["value"]) for step in steps] == [
        ("/spec/services/a/replicas", 1),
        ("/metadata/annotations", {}),
        ("/metadata/annotations/nvidia.com~1dynamo-operator-origin-version", "1.3.1"),
    ]
    paths = [step["path"] for step in patch(graph(), OLD, is_new=False)]
    assert paths == ["/spec/components/0/replicas"]


def test_what_is_written_in_vain_is_warned_of() -> None:
    service = {"dynamoNamespace": "old", "autoscaling": {"enabled": True}}
    given = {"apiVersion": ALPHA, "spec": {"services": {"worker": service}}}
    assert len(warnings(given)) == 2


@pytest.mark.parametrize(("release", "stored"), [(OLD, "v1alpha1"), (NEW, "v1beta1")])
def test_a_release_stores_its_version_and_brings_its_rules(release: Release, stored: str) -> None:
    definition, _, *hooks = installed(release, "https://127.0.0.1:9", b"authority")
    versions = definition["spec"]["versions"]
    assert [version["name"] for version in versions if version["storage"]] == [stored]
    assert ("(from 1.5)" in str(definition)) == release.is_strict
    assert all(f"/{release.version}/" in str(hook["webhooks"]) for hook in hooks)
