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
    cluster: Cluster, namespace: str, rules: Sequence[dict[str, Any]], folder: Path
) -> Path:
    """A kubeconfig of a new account of a namespace, with the rights of a ClusterRole's rules.

    The role and its binding are called as the namespace is; they outlive it.
    """
    cluster.kubectl("create", "serviceaccount", "asking", "-n", namespace)
    role = {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": namespace},
        "rules": list(rules),
    }
    cluster.kubectl("apply", "--filename", "-", given=json.dumps(role))
    subject = f"--serviceaccount={namespace}:asking"
    cluster.kubectl(
        "create", "clusterrolebinding", namespace, f"--clusterrole={namespace}", subject
    )
    token = cluster.kubectl("create", "token", "asking", "-n", namespace)
    config = yaml.safe_load(cluster.kubeconfig.read_text("utf-8"))
    config["users"] = [{"name": "asking", "user": {"token": token}}]
    config["contexts"][0]["context"] |= {"user": "asking", "namespace": namespace}
    path = folder / f"{namespace}.kubeconfig"
    path.write_text(yaml.safe_dump(config), "utf-8")
    return path
