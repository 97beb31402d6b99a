"""Does for graphs what the commands of the pages need of the Dynamo operator; it is not that one.

A Deployment and a Service a component, with the operator's labels and ports, and the graph's
condition Ready. It validates nothing, and knows neither Grove nor several nodes nor rolling by the
workers' hash. What the operator does: ai-dynamo/dynamo deploy/operator/internal (graph.go,
component_*.go); 1.2 to 1.6.

    python -m testcluster.operator_stand_in KUBECONFIG
"""

from __future__ import annotations

import json
import ssl
import sys
import threading
import urllib.error
import urllib.request
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from gptoss.text import plain_yaml

if TYPE_CHECKING:
    from collections.abc import Iterator

GRAPHS = "/apis/nvidia.com/v1alpha1"
DEPLOYMENTS = "/apis/apps/v1"
NAME = "nvidia.com/dynamo-graph-deployment-name"
NOT_FOUND = 404
AGAIN_SECONDS = 0.5
HTTP, SYSTEM = ("http", 8000), ("system", 9090)
APPLY, MERGE = "application/apply-patch+yaml", "application/merge-patch+json"


class Api:
    """The API server, as a kubeconfig names it."""

    def __init__(self, kubeconfig: Path) -> None:
        config = plain_yaml.load(kubeconfig.read_text(encoding="utf-8"))
        cluster = config["clusters"][0]["cluster"]
        self._server = cluster["server"]
        self._token = config["users"][0]["user"]["token"]
        self._tls = ssl.create_default_context(cafile=cluster["certificate-authority"])

    def ask(self, path: str, patch: Any = None, kind: str = "application/json") -> Any:
        """An answer, still to be read."""
        request = urllib.request.Request(  # noqa: S310 (https alone)
            self._server + path,
            data=None if patch is None else json.dumps(patch).encode(),
            method="GET" if patch is None else "PATCH",
            headers={"Authorization": f"Bearer {self._token}", "Content-Type": kind},
        )
        return urllib.request.urlopen(request, context=self._tls)  # noqa: S310

    def get(self, path: str) -> Any:
        """An object, or None when there is none."""
        try:
            with self.ask(path) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            if error.code == NOT_FOUND:
                return None
            raise

    def apply(self, folder: str, thing: dict[str, Any]) -> Any:
        """Makes an object so; the object as it then is."""
        name = thing["metadata"]["name"]
        query = "?fieldManager=operator-stand-in&force=true&fieldValidation=Strict"
        with self.ask(f"{folder}/{name}{query}", thing, APPLY) as answer:
            return json.load(answer)

    def events(self, path: str) -> Iterator[dict[str, Any]]:
        """What there is of a kind, and then what happens to it; again when the watch ends."""
        while True:
            with self.ask(f"{path}?watch=1") as lines:
                for event in map(json.loads, lines):
                    if event["type"] == "ERROR":
                        break
                    yield event


def serve(api: Api) -> None:
    """Follows the graphs, and the Deployments that belong to one."""
    changed: SimpleQueue[tuple[str, str]] = SimpleQueue()

    def follow(path: str) -> None:
        for event in api.events(path):
            meta = event["object"]["metadata"]
            graph = meta["name"] if path.startswith(GRAPHS) else meta.get("labels", {}).get(NAME)
            if graph and event["type"] != "DELETED":
                changed.put((meta["namespace"], graph))

    for path in (f"{GRAPHS}/dynamographdeployments", f"{DEPLOYMENTS}/deployments"):
        threading.Thread(target=follow, args=(path,), daemon=True).start()
    while True:
        namespace, name = changed.get()
        graph = api.get(f"{GRAPHS}/namespaces/{namespace}/dynamographdeployments/{name}")
        if not graph or "deletionTimestamp" in graph["metadata"]:
            continue
        try:
            reconcile(api, graph)
        except urllib.error.HTTPError as error:  # the graph or its namespace goes, or it is wrong
            sys.stderr.write(f"{namespace}/{name}: {error.read().decode()}\n")
            threading.Timer(AGAIN_SECONDS, changed.put, [(namespace, name)]).start()


def reconcile(api: Api, graph: dict[str, Any]) -> None:
    """Makes what a graph asks for, and says on it whether all of it runs."""
    meta = graph["metadata"]
    rest = f"namespaces/{meta['namespace']}"
    ready = True
    for name, component in components(graph):
        api.apply(f"/api/v1/{rest}/services", service(meta, name, component))
        made = api.apply(f"{DEPLOYMENTS}/{rest}/deployments", deployment(meta, name, component))
        ready = ready and runs(made)
    status = {
        "observedGeneration": meta["generation"],
        "state": "successful" if ready else "pending",
        "conditions": [
            {
                "type": "Ready",
                "status": str(ready),
                "reason": "all_resources_are_ready" if ready else "some_resources_are_not_ready",
                "message": "said by a stand-in for the operator",
                "lastTransitionTime": meta["creationTimestamp"],
            }
        ],
    }
    if graph.get("status") != status:
        path = f"{GRAPHS}/{rest}/dynamographdeployments/{meta['name']}/status"
        api.ask(path, {"status": status}, MERGE).close()


def runs(made: dict[str, Any]) -> bool:
    """Whether a Deployment has all its pods, and those of its newest template."""
    status, wanted = made.get("status", {}), made["spec"]["replicas"]
    seen = status.get("observedGeneration") == made["metadata"]["generation"]
    counts = [status.get(count, 0) for count in ("replicas", "updatedReplicas", "readyReplicas")]
    return seen and counts == [wanted] * len(counts)


def components(graph: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Names and components of a graph of v1alpha1: type, replicas, metadata and pod spec."""
    for name, given in graph["spec"]["services"].items():
        spec = dict(given["extraPodSpec"])
        main = {"name": "main", **spec.pop("mainContainer"), "resources": resources(given)}
        yield (
            name,
            {
                "component_type": given["componentType"],
                "replicas": given.get("replicas"),
                "metadata": given["extraPodMetadata"],
                "spec": {**spec, "containers": [main, *spec.get("containers", [])]},
            },
        )


def resources(given: dict[str, Any]) -> dict[str, Any]:
    """The resources of a container as Kubernetes names them."""
    found: dict[str, Any] = {}
    for kind, amounts in given["resources"].items():
        if kind == "claims":
            found[kind] = amounts
            continue
        both = {**amounts, **amounts.get("custom", {})}
        names = {"gpu": "nvidia.com/gpu"}
        found[kind] = {names.get(k, k): value for k, value in both.items() if k != "custom"}
    return found


def labels(graph: dict[str, Any], name: str, component: dict[str, Any]) -> dict[str, str]:
    """The labels by which a component's pods are found."""
    return {
        NAME: graph["name"],
        "nvidia.com/dynamo-component": name,
        "nvidia.com/dynamo-component-type": component["component_type"],
        "nvidia.com/dynamo-namespace": f"{graph['namespace']}-{graph['name']}",
    }


def metadata(graph: dict[str, Any], name: str) -> dict[str, Any]:
    """Name, label and owner of what is made for a component."""
    owner = {
        "apiVersion": "nvidia.com/v1alpha1",
        "kind": "DynamoGraphDeployment",
        "name": graph["name"],
        "uid": graph["uid"],
        "controller": True,
    }
    return {
        "name": f"{graph['name']}-{name.lower()}",
        "labels": {NAME: graph["name"]},
        "ownerReferences": [owner],
    }


def port(component: dict[str, Any]) -> tuple[str, int]:
    """Name and number of the port that a component listens on."""
    return HTTP if component["component_type"] == "frontend" else SYSTEM


def service(graph: dict[str, Any], name: str, component: dict[str, Any]) -> dict[str, Any]:
    """The Service of a component."""
    target, number = port(component)
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": metadata(graph, name),
        "spec": {
            "selector": labels(graph, name, component),
            "ports": [{"name": target, "port": number, "targetPort": target}],
        },
    }


def deployment(graph: dict[str, Any], name: str, component: dict[str, Any]) -> dict[str, Any]:
    """The Deployment of a component."""
    mine, given = labels(graph, name, component), component["metadata"]
    spec = {**component["spec"], "containers": [dict(c) for c in component["spec"]["containers"]]}
    target, number = port(component)
    spec["containers"][0].setdefault("ports", [{"name": target, "containerPort": number}])
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": metadata(graph, name),
        "spec": {
            "replicas": component["replicas"] or 1,
            "selector": {"matchLabels": mine},
            "template": {
                "metadata": {**given, "labels": {**given.get("labels", {}), **mine}},
                "spec": spec,
            },
        },
    }


if __name__ == "__main__":
    serve(Api(Path(sys.argv[1])))
