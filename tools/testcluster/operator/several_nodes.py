"""Pods of a component that needs several nodes: a leader that starts mpirun, and those it reaches.

Source: ai-dynamo/dynamo deploy/operator/internal/dynamo/backend_trtllm.go @015d780; the commands
here say what runs, and would not run.
"""

from __future__ import annotations

import copy
from typing import Any

from testcluster.operator.component_conversion import GPU, MAIN

# Made by the operator in the namespace of the graph.
SECRET = "mpi-run-ssh-secret"  # noqa: S105 (its name)
SSH_PORT = 2222
LEADER, WORKER = "ldr", "wkr"

Part = dict[str, Any]


def nodes(component: Part) -> int:
    """Nodes of one replica of a component."""
    count: int = (component.get("multinode") or {}).get("nodeCount", 1)
    return count


def secret(namespace: str) -> Part:
    """The key pair with which the leader reaches the others."""
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": SECRET, "namespace": namespace},
        "stringData": {"private.key": "none", "private.key.pub": "none"},
    }


def of_a_role(template: Part, role: str, count: int) -> Part:
    """A pod template as the leader or as the others of a replica have it."""
    found = copy.deepcopy(template)
    spec = found["spec"]
    (main,) = [container for container in spec["containers"] if container["name"] == MAIN]
    spec["volumes"] = [*spec["volumes"], {"name": SECRET, "secret": {"secretName": SECRET}}]
    keys = {"name": SECRET, "mountPath": "/ssh-pk", "readOnly": True}
    main["volumeMounts"] = [*main["volumeMounts"], keys]
    main["env"] = [*main["env"], {"name": "OMPI_MCA_orte_keep_fqdn_hostnames", "value": "1"}]
    if role == LEADER:
        words = " ".join([*main.get("command", []), *main.get("args", [])])
        launch = f"mpirun -n {count * _gpus(main)} bash -c 'trtllm-llmapi-launch {words}'"
    else:
        launch = f"/usr/sbin/sshd -D -p {SSH_PORT}"
        main["readinessProbe"] = {
            "tcpSocket": {"port": SSH_PORT},
            "initialDelaySeconds": 20,
            "periodSeconds": 20,
            "timeoutSeconds": 5,
            "failureThreshold": 10,
        }
        for probe in ("livenessProbe", "startupProbe"):
            main.pop(probe, None)
    main |= {"command": ["/bin/sh", "-c"], "args": [launch]}
    return found


def _gpus(main: Part) -> int:
    resources = main.get("resources") or {}
    found = (resources.get(kind, {}).get(GPU) for kind in ("requests", "limits"))
    return next((int(amount) for amount in found if amount), 0)
