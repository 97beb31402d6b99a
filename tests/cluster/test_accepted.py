"""What the chart renders, before the API server itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.chart.rendering import SHIPPED, dumped, objects, pods, text

if TYPE_CHECKING:
    from testcluster.control_plane import Cluster

pytestmark = pytest.mark.cluster

JOBS = ("benchmark.enabled=true", "accuracy.enabled=true", "accuracy.image=r.example.com/evals:1")
# No HTTPRoute: the definition of the Gateway API is not installed.
ACCESS = (
    "ingress.enabled=true",
    "ingress.hosts[0].host=chat.example.com",
    "ingress.tls[0].secretName=chat-tls",
    "service.type=LoadBalancer",
    "networkPolicy.enabled=true",
)


@pytest.mark.parametrize("target", SHIPPED)
def test_the_api_server_knows_every_field_of_every_target(target: str, cluster: Cluster) -> None:
    cluster.accepts(text(target, *JOBS, *ACCESS))
    found = objects(target, *JOBS)
    # A pod is refused without its account; a graph's definition does not look into its pods.
    accounts = [item for item in found if item["kind"] == "ServiceAccount"]
    cluster.kubectl("apply", "-f", "-", given=dumped(accounts))
    cluster.accepts(dumped([*pods(found).values()]))
