"""Claims by dynamic resource allocation, before the API server and the scheduler themselves."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from testcluster.machines import node_names
from tests.chart.rendering import ROOT, dumped, objects, one

if TYPE_CHECKING:
    from testcluster.control_plane import Cluster

pytestmark = pytest.mark.cluster

SPACE = "claims"
PATIENCE = 60
GPU, DOMAIN = "gpu.nvidia.com", "compute-domain.nvidia.com"
CHANNEL = "compute-domain-default-channel.nvidia.com"
# One GPU a server, so that two would fit on a node if each did not claim its one channel.
SETTINGS = (
    "hardware.dra.enabled=true",
    "hardware.computeDomain.enabled=true",
    "workers.worker.engine.tensor_parallel_size=1",
    "workers.worker.engine.moe_expert_parallel_size=1",
    "workers.worker.replicas=2",
)
TARGET = "serve-latency-gb200"


def apply(cluster: Cluster, *found: dict[str, Any]) -> None:
    flags = ("--server-side", "--validate=strict", "--namespace", SPACE)
    cluster.kubectl("apply", *flags, "--filename", "-", given=dumped(list(found)))


def domain_definition() -> dict[str, Any]:
    """The definition of ComputeDomain, whose spec cannot change."""
    schema = json.loads((ROOT / "schema/crds/json/computedomain_v1beta1.json").read_text("utf-8"))
    rule = {"rule": "self == oldSelf", "message": "spec is immutable"}
    spec = {**_opened(schema["properties"]["spec"]), "x-kubernetes-validations": [rule]}
    names = {"kind": "ComputeDomain", "plural": "computedomains", "singular": "computedomain"}
    version = {
        "name": "v1beta1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}},
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "computedomains.resource.nvidia.com"},
        "spec": {
            "group": "resource.nvidia.com",
            "names": names,
            "scope": "Namespaced",
            "versions": [version],
        },
    }


def _opened(schema: Any) -> Any:
    """A schema as definitions take it: they close maps by themselves."""
    if not isinstance(schema, dict):
        return schema
    found = {key: _opened(value) for key, value in schema.items() if key != "additionalProperties"}
    return {"type": "string", **found} if set(found) == {"enum"} else found


def device_class(name: str, driver: str) -> dict[str, Any]:
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceClass",
        "metadata": {"name": name},
        "spec": {"selectors": [{"cel": {"expression": f"device.driver == '{driver}'"}}]},
    }


def devices(node: str, driver: str, count: int) -> dict[str, Any]:
    """What NVIDIA's driver says a node has."""
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"name": f"{node}-{driver}"},
        "spec": {
            "driver": driver,
            "nodeName": node,
            "pool": {"name": f"{node}-{driver}", "generation": 1, "resourceSliceCount": 1},
            "devices": [{"name": f"device-{number}"} for number in range(count)],
        },
    }


def channel_template(domain: dict[str, Any]) -> dict[str, Any]:
    """The template that the driver's controller makes for a ComputeDomain."""
    request = {"name": "channel", "exactly": {"deviceClassName": CHANNEL}}
    name = domain["spec"]["channel"]["resourceClaimTemplate"]["name"]
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": name},
        "spec": {"spec": {"devices": {"requests": [request]}}},
    }


def placed(cluster: Cluster, server: str, count: int) -> list[dict[str, Any]]:
    """The pods of a server, once all of them have a node."""
    wait = ("wait", f"--timeout={PATIENCE}s", "--namespace", SPACE)
    cluster.kubectl(*wait, f"--for=jsonpath={{.status.replicas}}={count}", f"deployment/{server}")
    selector = ("--selector", "app.kubernetes.io/component=server")
    cluster.kubectl(*wait, "--for=condition=PodScheduled", "pod", *selector)
    return cluster.objects("pods", "--namespace", SPACE, *selector)


@pytest.fixture(scope="module")
def installed(cluster: Cluster) -> list[dict[str, Any]]:
    """What the chart renders, on a cluster whose nodes have GPUs and channels to claim."""
    cluster.kubectl("create", "namespace", SPACE)
    definition = domain_definition()
    apply(cluster, definition)
    name = f"crd/{definition['metadata']['name']}"
    cluster.kubectl("wait", f"--timeout={PATIENCE}s", "--for=condition=Established", name)
    nodes = node_names("gb200")
    slices = [devices(n, *has) for n in nodes for has in ((GPU, 4), (DOMAIN, 1))]
    apply(cluster, device_class(GPU, GPU), device_class(CHANNEL, DOMAIN), *slices)
    found = objects(TARGET, *SETTINGS)
    ours = [{**o, "metadata": {**o["metadata"], "namespace": SPACE}} for o in found]
    ours = [o for o in ours if "helm.sh/hook" not in o["metadata"].get("annotations", {})]
    apply(cluster, *ours, channel_template(one("ComputeDomain", found)))
    return ours


def test_each_pod_gets_the_gpus_it_claims_and_the_channel_of_a_node_of_its_own(
    cluster: Cluster, installed: list[dict[str, Any]]
) -> None:
    server = one("Deployment", installed)
    pods = placed(cluster, server["metadata"]["name"], server["spec"]["replicas"])
    assert len(pods) == 2
    assert len({pod["spec"]["nodeName"] for pod in pods}) == 2
    claims = cluster.objects("resourceclaims", "--namespace", SPACE)
    given = [
        result["driver"]
        for claim in claims
        for result in claim["status"]["allocation"]["devices"]["results"]
    ]
    assert sorted(given) == sorted([GPU, DOMAIN] * 2)


def test_the_api_server_refuses_another_content_under_a_template_s_or_domain_s_name(
    cluster: Cluster, installed: list[dict[str, Any]]
) -> None:
    template = json.loads(json.dumps(one("ResourceClaimTemplate", installed)))
    template["spec"]["spec"]["devices"]["requests"][0]["exactly"]["count"] = 2
    domain = json.loads(json.dumps(one("ComputeDomain", installed)))
    domain["spec"]["numNodes"] = 4
    for changed in (template, domain):
        flags = ("apply", "--server-side", "--namespace", SPACE, "--filename", "-")
        done = cluster.run(*flags, given=yaml.safe_dump(changed))
        assert done.returncode != 0
        assert "immutable" in done.stderr
