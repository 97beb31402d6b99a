"""Accounts of a cluster that have some rights and no others."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from testcluster.control_plane import Cluster


def account(
    cluster: Cluster,
    namespace: str,
    rules: Sequence[dict[str, Any]],
    folder: Path,
    inside: Sequence[dict[str, Any]] = (),
) -> Path:
    """A kubeconfig of a new account of a namespace, with the rights of a ClusterRole's rules.

    The role and its binding are called as the namespace is; they outlive it. What stands under
    ``inside`` is for the namespace alone.
    """
    cluster.kubectl("create", "serviceaccount", "asking", "-n", namespace)
    bound = f"--serviceaccount={namespace}:asking"
    _role(cluster, namespace, rules)
    role = f"--clusterrole={namespace}"
    cluster.kubectl("create", "clusterrolebinding", namespace, role, bound)
    if inside:
        _role(cluster, f"{namespace}-inside", inside)
        role = f"--clusterrole={namespace}-inside"
        cluster.kubectl("create", "rolebinding", "asking", role, bound, "-n", namespace)
    token = cluster.kubectl("create", "token", "asking", "-n", namespace)
    config = yaml.safe_load(cluster.kubeconfig.read_text("utf-8"))
    config["users"] = [{"name": "asking", "user": {"token": token}}]
    config["contexts"][0]["context"] |= {"user": "asking", "namespace": namespace}
    path = folder / f"{namespace}.kubeconfig"
    path.write_text(yaml.safe_dump(config), "utf-8")
    return path


def _role(cluster: Cluster, name: str, rules: Sequence[dict[str, Any]]) -> None:
    role = {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": name},
        "rules": list(rules),
    }
    cluster.kubectl("apply", "--filename", "-", given=json.dumps(role))
