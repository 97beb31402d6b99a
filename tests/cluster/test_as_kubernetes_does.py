"""What gptoss reckons of pods, beside what the scheduler and admission do with the same pods."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest

from gptoss.cluster.pod_sets import requests
from gptoss.cluster.preflight.pod_security import violations
from gptoss.cluster.scheduling import keeps_out, lacks, nodes, selects

if TYPE_CHECKING:
    from testcluster.control_plane import Cluster

pytestmark = pytest.mark.cluster

REFUSED = re.compile(r'pods "([\w-]+)" is forbidden: violates PodSecurity')
PRODUCT = "nvidia.com/gpu.product"
SAFE = {
    "allowPrivilegeEscalation": False,
    "runAsNonRoot": True,
    "capabilities": {"drop": ["ALL"]},
    "seccompProfile": {"type": "RuntimeDefault"},
}


def container(**own: Any) -> dict[str, Any]:
    return {"name": own.pop("name", "main"), "image": "any", **own}


def secured(**own: Any) -> dict[str, Any]:
    return {"containers": [container(securityContext={**SAFE, **own})]}


SECURED: dict[str, dict[str, Any]] = {
    "safe": secured(),
    "no-drop": secured(capabilities={}),
    "adds-bind": secured(capabilities={"drop": ["ALL"], "add": ["NET_BIND_SERVICE"]}),
    "adds-chown": secured(capabilities={"drop": ["ALL"], "add": ["CHOWN"]}),
    "adds-lock": secured(capabilities={"drop": ["ALL"], "add": ["IPC_LOCK"]}),
    "escalates": secured(allowPrivilegeEscalation=True),
    "root": secured(runAsUser=0),
    "maybe-root": secured(runAsNonRoot=None),
    "no-seccomp": secured(seccompProfile=None),
    "unconfined": secured(seccompProfile={"type": "Unconfined"}),
    "pod-level": {
        "securityContext": {"runAsNonRoot": True, "seccompProfile": SAFE["seccompProfile"]},
        "containers": [
            container(
                securityContext={k: SAFE[k] for k in ("allowPrivilegeEscalation", "capabilities")}
            )
        ],
    },
    "unsafe-init": secured() | {"initContainers": [container(name="before")]},
    "host-network": secured() | {"hostNetwork": True},
    "host-path": secured() | {"volumes": [{"name": "disk", "hostPath": {"path": "/mnt"}}]},
    "nfs": secured() | {"volumes": [{"name": "files", "nfs": {"server": "a", "path": "/"}}]},
    "host-port": {
        "containers": [
            container(securityContext=SAFE, ports=[{"containerPort": 80, "hostPort": 80}])
        ]
    },
}


def pod(name: str, spec: dict[str, Any]) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}


def listed(pods: list[dict[str, Any]]) -> str:
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": pods})


@pytest.mark.parametrize("level", ["baseline", "restricted"])
def test_a_pod_is_called_refused_where_admission_refuses_it(level: str, cluster: Cluster) -> None:
    space = f"secure-{level}"
    cluster.kubectl("create", "namespace", space)
    try:
        cluster.kubectl("label", "namespace", space, f"pod-security.kubernetes.io/enforce={level}")
        cluster.kubectl("wait", "--for=create", "serviceaccount/default", "-n", space)
        pods = [pod(name, spec) for name, spec in SECURED.items()]
        flags = ("--dry-run=server", "-n", space, "--filename", "-")
        done = cluster.run("create", *flags, given=listed(pods))
        refused = set(
            re.findall(r'pods "([\w-]+)" is forbidden: violates PodSecurity', done.stderr)
        )
        assert {n for n, spec in SECURED.items() if violations(spec, level)} == refused
    finally:
        cluster.kubectl("delete", "namespace", space, "--wait=false")


def affinity(key: str, operator: str, *values: str) -> dict[str, Any]:
    term = {"matchExpressions": [{"key": key, "operator": operator, "values": list(values)}]}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
    return {"affinity": {"nodeAffinity": required}}


def asking(**amounts: str) -> list[dict[str, Any]]:
    names = {"gpu": "nvidia.com/gpu"}
    found = {names.get(name, name): value for name, value in amounts.items()}
    return [container(resources={"limits": found})]


ANY = {"tolerations": [{"operator": "Exists"}]}
GPU_TAINT = {"tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists"}]}
B200 = {"nodeSelector": {PRODUCT: "NVIDIA-B200"}}
PLACED: dict[str, dict[str, Any]] = {
    "anywhere": {},
    "no-such-label": {"nodeSelector": {"a": "b"}},
    "tainted": B200,
    "tolerating": {**B200, **GPU_TAINT},
    "other-effect": {
        **B200,
        "tolerations": [{**GPU_TAINT["tolerations"][0], "effect": "NoExecute"}],
    },
    "other-value": {**B200, "tolerations": [{"key": "nvidia.com/gpu", "value": "other"}]},
    "same-value": {**B200, "tolerations": [{"key": "nvidia.com/gpu", "value": "present"}]},
    "in": {**ANY, **affinity(PRODUCT, "In", "NVIDIA-B200", "other")},
    "not-in": {**ANY, **affinity(PRODUCT, "NotIn", "NVIDIA-B200")},
    "in-none": {**ANY, **affinity(PRODUCT, "In", "other")},
    "exists": {**ANY, **affinity("a", "Exists")},
    "greater": {**ANY, **affinity("nvidia.com/gpu.count", "Gt", "7")},
    "too-great": {**ANY, **affinity("nvidia.com/gpu.count", "Gt", "8")},
    "eight": {**ANY, "containers": asking(gpu="8")},
    "nine": {**ANY, "containers": asking(gpu="9")},
    "large-first": {
        **ANY,
        "initContainers": [container(name="a", resources={"requests": {"cpu": "10000"}})],
    },
    "small-first": {
        "initContainers": [container(name="a", resources={"requests": {"cpu": "60"}})],
        "containers": [container(resources={"requests": {"cpu": "10"}})],
    },
    "overfull": {
        "containers": [
            container(name=name, resources={"requests": {"memory": "200Gi"}}) for name in ("a", "b")
        ],
        "nodeSelector": {"node.kubernetes.io/instance-type": "cpu"},
    },
}


def test_a_pod_is_called_pending_where_the_scheduler_leaves_it_so(cluster: Cluster) -> None:
    space = "placed"
    cluster.kubectl("create", "namespace", space)
    try:
        cluster.kubectl("wait", "--for=create", "serviceaccount/default", "-n", space)
        before = cluster.objects("pods", "-A")
        specs = {name: {"containers": [container()], **own} for name, own in PLACED.items()}
        there = nodes(cluster.objects("nodes"), before)
        ours = {
            name
            for name, spec in specs.items()
            if any(
                selects(node, spec)
                and not keeps_out(node, spec)
                and not lacks(node, {**requests(spec), "pods": Fraction(1)})
                for node in there
                if node.is_ready
            )
        }
        pods = [pod(name, spec) for name, spec in specs.items()]
        here = ("-n", space)
        cluster.kubectl("create", *here, "--filename", "-", given=listed(pods))
        told = "{.status.conditions[?(@.type=='PodScheduled')].status}"
        cluster.kubectl("wait", "pods", "--all", *here, f"--for=jsonpath={told}", "--timeout=60s")
        found = cluster.objects("pods", *here)
        theirs = {each["metadata"]["name"] for each in found if each["spec"].get("nodeName")}
        assert ours == theirs
        assert 0 < len(theirs) < len(specs)
    finally:
        cluster.kubectl("delete", "namespace", space, "--wait=false")
