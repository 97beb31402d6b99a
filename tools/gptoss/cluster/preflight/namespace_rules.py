"""What the namespace allows: quotas, limit ranges and the Pod Security Standard."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from gptoss.cluster.pod_sets import pod_sets, requests
from gptoss.cluster.preflight.answer import Answer, Status
from gptoss.cluster.preflight.defaults import with_defaults
from gptoss.cluster.preflight.pod_security import violations
from gptoss.cluster.preflight.room_on_nodes import is_own
from gptoss.text.quantity import amount

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from gptoss.cluster.live_cluster import Cluster, Object
    from gptoss.cluster.pod_sets import PodSet
    from gptoss.cluster.wanted import Wanted

LEVEL = "pod-security.kubernetes.io/enforce"
SCOPES = ("scopes", "scopeSelector")
CLAIMS = "persistentvolumeclaims"
# Kinds by the plural that a quota counts them by.
COUNTED = {
    CLAIMS: "PersistentVolumeClaim",
    "services": "Service",
    "secrets": "Secret",
    "configmaps": "ConfigMap",
    "count/jobs.batch": "Job",
    "count/deployments.apps": "Deployment",
    "count/configmaps": "ConfigMap",
    "count/services": "Service",
    "count/persistentvolumeclaims": "PersistentVolumeClaim",
    "count/dynamographdeployments.nvidia.com": "DynamoGraphDeployment",
}


def quota(cluster: Cluster, wanted: Wanted) -> Iterator[Answer]:
    """Whether quotas leave room, and whether every container says what they ask it to."""
    quotas = cluster.objects("v1", "ResourceQuota")
    if not quotas:
        yield Answer("quota", Status.OK, f"namespace {wanted.namespace} has no quota")
        return
    new = [each for each in wanted.objects if not _is_there(cluster, each)]
    # The pods of a Job that is there are not made again.
    coming = [each for each in wanted.objects if each["kind"] != "Job" or each in new]
    pods = with_defaults(pod_sets(coming), cluster.objects("v1", "LimitRange"))
    live = [pod for pod in cluster.objects("v1", "Pod") if is_own(pod, wanted)]
    for each in quotas:
        name = each["metadata"]["name"]
        if any(each["spec"].get(scope) for scope in SCOPES):
            says = f"quota {name} is for some pods only, and is not reckoned"
            yield Answer("quota", Status.INFO, says, f"kubectl describe quota {name}")
            continue
        found = list(_quota(each, pods, live, new))
        yield from found or [Answer("quota", Status.OK, f"quota {name} leaves room")]


def _quota(
    found: Object, pods: list[PodSet], live: list[Object], new: list[Object]
) -> Iterator[Answer]:
    name, hard = found["metadata"]["name"], found["spec"].get("hard") or {}
    used = (found.get("status") or {}).get("used") or {}
    for resource, limit in hard.items():
        silent = [s for s in pods if s.count and not _all_say(s, resource)]
        if silent:
            says = (
                f"quota {name} asks every container for {_field(resource)}, which "
                f"{', '.join(s.name for s in silent)} leave out: their pods are refused"
            )
            do = "set it in the values, or give the namespace a LimitRange with defaults"
            yield Answer("quota", Status.ERROR, says, do)
            continue
        need = _need(resource, pods, new)
        own = _own(resource, live)
        free = _number(limit) - _number(used.get(resource, 0)) + own
        if need > free:
            says = (
                f"quota {name} leaves {_shown(free)} {resource} of {limit}, "
                f"and the release needs {_shown(need)}"
            )
            do = "raise the quota, free some of it, or install into another namespace"
            yield Answer("quota", Status.ERROR, says, do)


def limit_ranges(cluster: Cluster, wanted: Wanted) -> Iterator[Answer]:
    """Whether containers and claims keep to the limit ranges, with the defaults that these set."""
    ranges = cluster.objects("v1", "LimitRange")
    pods = with_defaults(wanted.pods, ranges)
    told = Counter[str]()
    for each in ranges:
        for item in each["spec"]["limits"]:
            for says in _beyond(each["metadata"]["name"], item, pods, wanted):
                told[says] += 1
    do = "change the values, or the LimitRange"
    yield from (Answer("limits", Status.ERROR, says, do) for says in told)
    if ranges and not told:
        yield Answer("limits", Status.OK, "the namespace's limit ranges take every container")


def _beyond(
    name: str, item: Mapping[str, Any], pods: Iterable[PodSet], wanted: Wanted
) -> Iterator[str]:
    """What of a release lies outside of one item of a limit range."""
    if item["type"] == "PersistentVolumeClaim":
        for claim in wanted.objects:
            if claim["kind"] == "PersistentVolumeClaim":
                size = claim["spec"]["resources"]["requests"]
                yield from _outside(name, item, f"claim {claim['metadata']['name']}", size, size)
    for each in pods:
        containers = each.containers if item["type"] == "Container" else []
        for container in containers:
            resources = container.get("resources") or {}
            asked, limits = resources.get("requests") or {}, resources.get("limits") or {}
            label = f"container {container['name']} of {each.name}"
            yield from _outside(name, item, label, asked, limits)
            for resource, value in asked.items():
                if resource in limits and _number(value) > _number(limits[resource]):
                    yield (
                        f"limit range {name} gives {label} a {resource} limit of "
                        f"{limits[resource]}, less than its request of {value}"
                    )
        if item["type"] == "Pod":
            together = {kind: requests(each.spec, kind) for kind in ("requests", "limits")}
            yield from _outside(name, item, f"a pod of {each.name}", *together.values())


def _outside(
    name: str,
    item: Mapping[str, Any],
    label: str,
    asked: Mapping[str, Any],
    limits: Mapping[str, Any],
) -> Iterator[str]:
    for resource, most in (item.get("max") or {}).items():
        value = limits.get(resource, asked.get(resource))
        if value is not None and _number(value) > _number(most):
            yield f"limit range {name}: {label} has {_shown(value)} {resource}, more than {most}"
    for resource, least in (item.get("min") or {}).items():
        if resource in asked and _number(asked[resource]) < _number(least):
            shown = _shown(asked[resource])
            yield f"limit range {name}: {label} has {shown} {resource}, less than {least}"


def admission(cluster: Cluster, wanted: Wanted) -> Iterator[Answer]:
    """Whether the pods are what the namespace's Pod Security Standard admits."""
    found = cluster.get("v1", "Namespace", wanted.namespace)
    level = ((found or {}).get("metadata", {}).get("labels") or {}).get(LEVEL)
    if level not in ("baseline", "restricted"):
        says = f"namespace {wanted.namespace} enforces {level or 'no Pod Security Standard itself'}"
        yield Answer("admission", Status.OK, says)
        return
    refused = False
    for each in wanted.pods:
        if broken := violations(each.spec, level):
            refused = True
            says = f"{each.name}: {', '.join(broken)}: refused, as {level} is enforced here"
            do = "leave it out, or install into a namespace that allows it"
            yield Answer("admission", Status.ERROR, says, do)
    if not refused:
        yield Answer("admission", Status.OK, f"every pod is admitted where {level} is enforced")


def _all_say(pods: PodSet, resource: str) -> bool:
    """Whether every container has a request or limit that a quota asks for."""
    kind, name = _field(resource).split(".", 1) if "." in _field(resource) else ("", "")
    if kind not in ("requests", "limits") or name not in ("cpu", "memory"):
        return True
    return all(name in ((c.get("resources") or {}).get(kind) or {}) for c in pods.containers)


def _field(resource: str) -> str:
    return f"requests.{resource}" if resource in ("cpu", "memory") else resource


def _is_there(cluster: Cluster, thing: Object) -> bool:
    return cluster.get(thing["apiVersion"], thing["kind"], thing["metadata"]["name"]) is not None


def _need(resource: str, pods: Iterable[PodSet], new: Iterable[Object]) -> Fraction:
    """What a release takes of a quota, with the objects that are not there yet."""
    if resource in COUNTED:
        kind = COUNTED[resource]
        return Fraction(sum(each["kind"] == kind for each in new))
    if resource == "requests.storage":
        claims = (o for o in new if o["kind"] == "PersistentVolumeClaim")
        return sum(
            (_number(c["spec"]["resources"]["requests"]["storage"]) for c in claims), Fraction()
        )
    return sum((_of_pod(resource, each.spec) * each.count for each in pods), Fraction())


def _own(resource: str, live: Iterable[Object]) -> Fraction:
    """What the pods of the release that run already take of it."""
    running = (p for p in live if (p.get("status") or {}).get("phase") in ("Pending", "Running"))
    return sum((_of_pod(resource, pod["spec"]) for pod in running), Fraction())


def _of_pod(resource: str, spec: dict[str, Any]) -> Fraction:
    if resource in ("pods", "count/pods"):
        return Fraction(1)
    kind, _, name = _field(resource).partition(".")
    if kind not in ("requests", "limits"):
        return Fraction()
    return requests(spec, kind).get(name, Fraction())


def _number(value: Any) -> Fraction:
    return value if isinstance(value, Fraction) else amount(str(value)) or Fraction()


def _shown(value: Any) -> str:
    if not isinstance(value, Fraction):
        return str(value)
    return f"{float(value / 1024**3):g}Gi" if value >= 1024**3 else f"{float(value):g}"
