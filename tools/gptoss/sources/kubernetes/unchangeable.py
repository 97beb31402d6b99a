"""Fields of objects that the API server lets nobody change, as they are given.

Source: k8s.io/kubernetes v1.36.3 pkg/apis/{apps,batch,core,rbac,resource,scheduling}/validation and
pkg/registry/apps/deployment/strategy.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gptoss.deployment.objects import Fixed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from gptoss.sources.parts.reading import Scope
    from gptoss.text.yaml_tree import Tree

FIELDS: Mapping[str, tuple[str, ...]] = {
    "Job": ("spec.template", "spec.selector", "spec.completionMode", "spec.podFailurePolicy"),
    "Deployment": ("spec.selector",),
    "DaemonSet": ("spec.selector",),
    "StatefulSet": (
        "spec.selector",
        "spec.serviceName",
        "spec.podManagementPolicy",
        "spec.volumeClaimTemplates",
    ),
    "Service": ("spec.clusterIP",),
    "RoleBinding": ("roleRef",),
    "ClusterRoleBinding": ("roleRef",),
    "ResourceClaim": ("spec",),
    "PriorityClass": ("value",),
    "Secret": ("type",),
    "PersistentVolumeClaim": ("spec.selector",),
}
# What only the API server writes.
WRITTEN_BY_SERVER = ("uid", "resourceVersion", "creationTimestamp")


def fixed_fields(trees: Iterable[Tree], root: Scope) -> Iterator[Fixed]:
    """The fields of objects that stay as they were first written."""
    for tree in trees:
        kind, name = tree.text("kind") or "", tree.text("metadata", "name") or ""
        stored = is_stored(tree)
        for field in _fields(kind, tree):
            found = tree.at(*field.split("."))
            where = found.where if found is not None else tree.place
            value = None if found is None else found.plain()
            yield Fixed(kind, name, field, value, root.entry("fixed", kind, where), stored)


def is_stored(tree: Tree) -> bool:
    """Whether an object comes from the API server."""
    return any(tree.at("metadata", key) is not None for key in WRITTEN_BY_SERVER)


def _fields(kind: str, tree: Tree) -> tuple[str, ...]:
    if kind in ("ConfigMap", "Secret") and _is_true(tree.at("immutable")):
        return (*FIELDS.get(kind, ()), "data")
    if kind == "Service" and tree.text("spec", "type") == "LoadBalancer":
        return (*FIELDS[kind], "spec.loadBalancerClass")
    return FIELDS.get(kind, ())


def _is_true(tree: Tree | None) -> bool:
    value: Any = tree.value if tree is not None else None
    return value is True
