"""Versions: the API server's, the operator's, and those of the kinds that are served."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from gptoss.cluster.live_cluster import ALL
from gptoss.cluster.preflight.answer import Answer, Status
from gptoss.facts import folders
from gptoss.facts.versions import version_number
from gptoss.text import plain_yaml

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.cluster.live_cluster import Cluster, Object
    from gptoss.cluster.wanted import Wanted

NUMBER = re.compile(r"\d+(?:\.\d+)+")
# Who brings the kinds of a group.
PROVIDERS = {
    "nvidia.com": "the Dynamo operator (Helm chart dynamo-platform)",
    "resource.nvidia.com": "NVIDIA's DRA driver for GPUs",
    "monitoring.coreos.com": "the Prometheus operator",
    "gateway.networking.k8s.io": "the Gateway API",
    "keda.sh": "KEDA",
    "resource.k8s.io": "Kubernetes 1.34 or newer",
}
# The last part of the image's name; its releases are those of the runtime images.
OPERATOR = "kubernetes-operator"


def version(cluster: Cluster, wanted: Wanted) -> Iterator[Answer]:
    """Whether the API server is new enough for the chart."""
    found = cluster.version()
    if not wanted.release:
        yield Answer("api server", Status.OK, f"Kubernetes {found}")
        return
    chart = plain_yaml.load((folders.chart() / "Chart.yaml").read_text(encoding="utf-8"))
    needed = NUMBER.findall(chart["kubeVersion"])[0]
    if version_number(NUMBER.findall(found)[0]) < version_number(needed):
        says = f"Kubernetes {found} is older than {needed}: Helm refuses the chart"
        yield Answer("api server", Status.ERROR, says, f"upgrade the cluster to {needed} or newer")
    else:
        says = f"Kubernetes {found}; the chart needs {needed} or newer"
        yield Answer("api server", Status.OK, says)


def kinds(cluster: Cluster, wanted: Wanted) -> Iterator[Answer]:
    """Whether every kind of object is served, in its version."""
    missing = False
    needed = dict.fromkeys((each["apiVersion"], each["kind"]) for each in wanted.objects)
    for api_version, kind in needed:
        if kind in (cluster.kinds(api_version) or {}):
            continue
        missing = True
        group = api_version.rpartition("/")[0]
        others = _versions(cluster, group, kind)
        who = PROVIDERS.get(group, f"what defines {group or 'it'}")
        says = f"{kind} is not served as {api_version}: the API server refuses it"
        do = f"install {who}, or leave {kind} out"
        if others:
            says = f"{kind} is served as {' and '.join(others)}, not as {api_version}"
            do = f"upgrade {who}, or ask for {others[-1]}"
            if group == "nvidia.com" and wanted.release:
                do += f" (runtime.apiVersion: {others[-1].rpartition('/')[2]})"
        yield Answer("definitions", Status.ERROR, says, do)
    if not missing:
        yield Answer("definitions", Status.OK, f"all {len(needed)} kinds of objects are served")


def _versions(cluster: Cluster, group: str, kind: str) -> list[str]:
    """The versions in which a kind is served, the oldest first."""
    found = cluster.ask(f"/apis/{group}") if group else None
    served = [each["groupVersion"] for each in (found or {}).get("versions", [])]
    return sorted(each for each in served if kind in (cluster.kinds(each) or {}))


def operator(cluster: Cluster, wanted: Wanted) -> Iterator[Answer]:
    """Whether an operator makes pods of the graph, and one that is new enough for its release."""
    if wanted.graph is None:
        return
    found = list(_operators(cluster))
    if not found:
        says = (
            f"no Deployment runs an image {OPERATOR}: it may be that nothing makes pods of graphs"
        )
        do = f"install {PROVIDERS['nvidia.com']}"
        yield Answer("operator", Status.WARNING, says, do)
    for thing, tag in found:
        meta = thing["metadata"]
        name = f"{tag or 'of an unknown version'} ({meta['namespace']}/{meta['name']})"
        release = wanted.deployment.release
        if not (thing.get("status") or {}).get("readyReplicas"):
            do = f"kubectl describe deployment {meta['name']} -n {meta['namespace']}"
            yield Answer("operator", Status.ERROR, f"the operator {name} does not run", do)
        elif release and tag and version_number(tag) < release.number:
            says = f"the operator {name} is older than the runtime {release.version}"
            do = f"upgrade it to {release.version} or newer, or choose an older runtime.release"
            yield Answer("operator", Status.WARNING, says, do)
        else:
            yield Answer("operator", Status.OK, f"the operator {name} runs")


def _operators(cluster: Cluster) -> Iterator[tuple[Object, str]]:
    """Deployments of the operator, each with its version; '' where its tag is none."""
    for thing in cluster.objects("apps/v1", "Deployment", ALL):
        containers: list[dict[str, Any]] = thing["spec"]["template"]["spec"]["containers"]
        for container in containers:
            name, _, tag = container["image"].partition("@")[0].rpartition("/")[2].partition(":")
            if name == OPERATOR:
                yield thing, tag if NUMBER.match(tag) else ""
