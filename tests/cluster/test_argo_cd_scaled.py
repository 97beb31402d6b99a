"""What an autoscaler chose, under an Argo CD that keeps everything as in Git."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.cluster.served import GRAPH, Served, batched

if TYPE_CHECKING:
    from tests.cluster.argo_cd import ArgoCd

pytestmark = pytest.mark.cluster


@pytest.mark.parametrize("version", ["v1alpha1", "v1beta1"])
def test_what_an_autoscaler_chose_stays_through_a_refresh_and_a_commit(
    version: str, argo: ArgoCd
) -> None:
    served = Served(argo, f"scaled-{version}", "disagg-gb200")

    def scaled(values: dict[str, Any]) -> None:
        values["runtime"].update(release="1.5.1", apiVersion=version)
        values["autoscaling"] = {"kind": "hpa"}
        bounds = {"enabled": True, "minReplicas": 1, "maxReplicas": 3}
        target = {"targetQueuedRequests": 20}
        values["workers"]["decode"]["autoscaling"] = bounds | target

    served.change(scaled)
    argo.application(served.name, served.file, "ServerSideApply=true")
    served.runs()
    choose(served, 2)
    argo.refresh(served.name, how="hard")
    served.runs()
    assert chosen(served.object(GRAPH)) == 2

    def batched_too(values: dict[str, Any]) -> None:
        scaled(values)
        batched(values, 512)

    served.change(batched_too)
    served.runs()
    assert chosen(served.object(GRAPH)) == 2
    served.remove()


def chosen(graph: dict[str, Any]) -> int:
    """Replicas of the decode workers."""
    spec = graph["spec"]
    parts = spec.get("services") or {part["name"]: part for part in spec["components"]}
    return int(parts["decode"].get("replicas", 1))


def choose(served: Served, replicas: int) -> None:
    """Scales the decode workers as an autoscaler does, until the graph says so."""
    kubectl, adapter = served.argo.cluster.kubectl, "dgdsa/gpt-oss-decode"
    kubectl("scale", adapter, *served.here, f"--replicas={replicas}")
    there = f"--for=jsonpath={{.spec.services.decode.replicas}}={replicas}"
    old = "dynamographdeployments.v1alpha1.nvidia.com/gpt-oss"
    kubectl("wait", old, *served.here, "--timeout=60s", there)
