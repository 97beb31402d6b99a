"""What a component's main container has unless the graph says otherwise, by the component's type.

Sources: ai-dynamo/dynamo deploy/operator/internal/dynamo: component_common.go and
component_worker.go @015d780, component_frontend.go @132ccbe.
"""

from __future__ import annotations

import re
from typing import Any

from testcluster.operator.component_conversion import MAIN
from testcluster.operator.validation import WORKERS

HTTP, SYSTEM, NIXL = ("http", 8000), ("system", 9090), ("nixl", 19090)
# Runtimes from here on check their own health, and may be late three times.
OWN_HEALTH_CHECK = (1, 5)

Part = dict[str, Any]


def container(kind: str, version: tuple[int, ...]) -> Part:
    """The main container, without its environment.

    Args:
        kind: The component's type.
        version: The release that runs in it; () when it is not known.
    """
    if kind == "frontend":
        return {
            "name": MAIN,
            "command": ["python3"],
            "args": ["-m", "dynamo.frontend"],
            "ports": [_port(HTTP)],
            "livenessProbe": _probe("/live", HTTP, delay=15, period=10, timeout=1, failures=3),
            "readinessProbe": _probe("/health", HTTP, delay=10, period=10, timeout=3, failures=3),
        }
    found: Part = {"name": MAIN, "command": ["/bin/sh", "-c"]}
    if kind in WORKERS:
        live = 3 if version >= OWN_HEALTH_CHECK else 1
        found |= {
            "ports": [_port(SYSTEM), _port(NIXL)],
            "livenessProbe": _probe("/live", SYSTEM, period=5, timeout=4, failures=live),
            "readinessProbe": _probe("/health", SYSTEM, period=10, timeout=4, failures=3),
            "startupProbe": _probe("/live", SYSTEM, period=10, timeout=5, failures=720),
        }
    return found


def environment(graph: Part, kind: str, version: tuple[int, ...], suffix: str) -> list[Part]:
    """The main container's environment.

    Args:
        graph: The graph's metadata.
        kind: The component's type.
        version: The release that runs in it; () when it is not known.
        suffix: What is added to the namespace of workers; empty for none.
    """
    namespace = dynamo_namespace(graph)
    plain = {
        "DYN_NAMESPACE": namespace,
        "DYN_COMPONENT": kind,
        "DYN_PARENT_DGD_K8S_NAME": graph["name"],
        "DYN_PARENT_DGD_K8S_NAMESPACE": graph["namespace"],
        "DYN_DISCOVERY_BACKEND": "kubernetes",
    }
    if kind == "frontend":
        port = str(HTTP[1])
        plain |= {"DYNAMO_PORT": port, "DYN_HTTP_PORT": port, "DYN_NAMESPACE_PREFIX": namespace}
    elif kind in WORKERS:
        plain |= {
            "DYN_SYSTEM_ENABLED": "true",
            "DYN_SYSTEM_PORT": str(SYSTEM[1]),
            "DYN_SYSTEM_USE_ENDPOINT_HEALTH_STATUS": '["generate"]',
            "DYN_HEALTH_CHECK_ENABLED": str(version >= OWN_HEALTH_CHECK).lower(),
            "NIXL_TELEMETRY_ENABLE": "n",
            "NIXL_TELEMETRY_EXPORTER": "prometheus",
            "NIXL_TELEMETRY_PROMETHEUS_PORT": str(NIXL[1]),
        }
        plain |= {"DYN_NAMESPACE_WORKER_SUFFIX": suffix} if suffix else {}
    fields = {"POD_NAME": "name", "POD_NAMESPACE": "namespace", "POD_UID": "uid"}
    own = [
        {"name": name, "valueFrom": {"fieldRef": {"fieldPath": f"metadata.{field}"}}}
        for name, field in fields.items()
    ]
    return [*({"name": name, "value": value} for name, value in plain.items()), *own]


def dynamo_namespace(graph: Part) -> str:
    """Where the components of a graph find each other."""
    return f"{graph['namespace']}-{graph['name']}"


def runtime_version(component: Part) -> tuple[int, ...]:
    """The release that a component runs, by its image's tag; () when that says none."""
    spec = (component.get("podTemplate") or {}).get("spec") or {}
    main: Part = next((one for one in spec.get("containers") or [] if one["name"] == MAIN), {})
    said = component.get("runtimeVersionOverride") or main.get("image", "").rpartition(":")[2]
    found = re.match(r"v?(\d+)\.(\d+)\.(\d+)", said)
    return tuple(int(part) for part in found.groups()) if found else ()


def _port(port: tuple[str, int]) -> Part:
    name, number = port
    return {"name": name, "containerPort": number, "protocol": "TCP"}


def _probe(
    path: str, port: tuple[str, int], *, period: int, timeout: int, failures: int, delay: int = 0
) -> Part:
    found = {
        "httpGet": {"path": path, "port": port[0]},
        "periodSeconds": period,
        "timeoutSeconds": timeout,
        "failureThreshold": failures,
    }
    return found | ({"initialDelaySeconds": delay} if delay else {})
