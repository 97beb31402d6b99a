"""Makes what graphs ask for, again whenever a graph or what belongs to it changes."""

from __future__ import annotations

import http.client
import json
import sys
import threading
import time
from dataclasses import replace
from http import HTTPStatus
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from testcluster.api import Api, RefusedError
from testcluster.operator import scaling, status, worker_hash, workloads
from testcluster.operator.conversion import components
from testcluster.operator.pods import GRAPH
from testcluster.operator.rollout import share
from testcluster.operator.status import Part
from testcluster.operator.validation import OPERATOR

if TYPE_CHECKING:
    from pathlib import Path

GRAPHS = "/apis/nvidia.com/v1beta1"
APPS, CORE = "/apis/apps/v1", "/api/v1"
# What belongs to a graph, and is followed.
OWNED = (f"{APPS}/deployments", f"{scaling.ADAPTERS}/{scaling.PLURAL}")
FINALIZER = "nvidia.com/finalizer"
MANAGER = "operator-stand-in"
# What the API server says of objects that it will not have; of the last it may think better.
REFUSALS = (HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY, HTTPStatus.FORBIDDEN)
AGAIN_SECONDS = 0.5
PLURALS = {
    "Deployment": "deployments",
    "Role": "roles",
    "RoleBinding": "rolebindings",
    "Secret": "secrets",
    "Service": "services",
    "ServiceAccount": "serviceaccounts",
}

Thing = dict[str, Any]
Name = tuple[str, str]


class Controller:
    """Keeps what belongs to graphs as they ask for it."""

    def __init__(self, kubeconfig: Path) -> None:
        self._api = Api(kubeconfig, MANAGER, OPERATOR)
        self._changed: SimpleQueue[Name] = SimpleQueue()
        # What was applied last: it is asked for again only when it changes, or something is gone.
        self._applied: dict[Name, dict[str, str]] = {}

    def run(self) -> None:
        """Follows the graphs, and what belongs to one; never returns."""
        for path in (f"{GRAPHS}/dynamographdeployments", *OWNED):
            threading.Thread(target=self._follow, args=(path,), daemon=True).start()
        while True:
            for name in self._next():
                self._handle(name)

    def _follow(self, path: str) -> None:
        while True:
            try:
                for event in self._api.events(path):
                    self._note(path, event)
            except (OSError, http.client.HTTPException, ValueError, RefusedError) as error:
                sys.stderr.write(f"watch of {path}: {error!r}\n")
                time.sleep(AGAIN_SECONDS)

    def _note(self, path: str, event: Thing) -> None:
        meta = event["object"]["metadata"]
        owned = path in OWNED
        graph = (meta.get("labels") or {}).get(GRAPH) if owned else meta["name"]
        if not graph:
            return
        name = (meta["namespace"], graph)
        if event["type"] == "DELETED":
            self._applied.pop(name, None)
        if owned or event["type"] != "DELETED":
            self._changed.put(name)

    def _next(self) -> list[Name]:
        """All that has changed meanwhile, each once."""
        found = {self._changed.get(): None}
        while True:
            try:
                found[self._changed.get_nowait()] = None
            except Empty:
                return list(found)

    def _handle(self, name: Name) -> None:
        path = f"{GRAPHS}/namespaces/{name[0]}/dynamographdeployments/{name[1]}"
        try:
            graph = self._api.get(path)
            if graph and self._is_wanted(path, graph["metadata"]):
                self._keep(name, path, graph)
        except (OSError, http.client.HTTPException) as error:  # the API server is busy
            sys.stderr.write(f"{'/'.join(name)}: {error!r}\n")
            self._again(name)
        except RefusedError as refused:  # it goes meanwhile, or somebody else was faster
            sys.stderr.write(f"{'/'.join(name)}: {refused}\n")
            if refused.code != HTTPStatus.NOT_FOUND:
                self._again(name)

    def _is_wanted(self, path: str, metadata: Thing) -> bool:
        """Whether a graph is not to be deleted; holds it until it has been seen here."""
        finalizers = metadata.get("finalizers") or []
        others = [one for one in finalizers if one != FINALIZER]
        going = "deletionTimestamp" in metadata
        if going == (FINALIZER in finalizers):
            wanted = others if going else [*others, FINALIZER]
            self._api.merge(path, {"metadata": {"finalizers": wanted}})
        return not going

    def _again(self, name: Name) -> None:
        again = threading.Timer(AGAIN_SECONDS, self._changed.put, [name])
        again.daemon = True
        again.start()

    def _keep(self, name: Name, path: str, graph: Thing) -> None:
        try:
            found: Thing | None = self._reconciled(name, path, graph)
        except RefusedError as refused:
            if refused.code not in REFUSALS:
                raise
            if refused.code == HTTPStatus.FORBIDDEN:
                self._again(name)
            found = status.failed(graph, str(refused))
        if found and found != graph.get("status"):
            self._api.merge(f"{path}/status", {"status": found})

    def _reconciled(self, name: Name, path: str, graph: Thing) -> Thing | None:
        """The status that follows; None where replicas change first."""
        patch = scaling.scaled(self._api, graph)
        if patch:
            self._api.patch(path, patch)
            return None
        for thing in workloads.shared(graph):
            self._apply(name, thing)
        selector = f"labelSelector={GRAPH}%3D{name[1]}"
        folder = f"{APPS}/namespaces/{name[0]}/deployments"
        there = {one["metadata"]["name"]: one for one in self._api.items(f"{folder}?{selector}")}
        parts = [self._component(name, graph, each, there) for each in components(graph)]
        is_rolling = any(part.olds for part in parts)
        if is_rolling and all(_is_over(part) for part in parts):
            for old in [old for part in parts for old in part.olds]:
                self._api.delete(f"{folder}/{old['metadata']['name']}")
            parts = [replace(part, olds=[]) for part in parts]
            is_rolling = False
        current = worker_hash.worker_hash(graph)
        annotations = graph["metadata"].get("annotations") or {}
        if not is_rolling and annotations.get(worker_hash.CURRENT) != current:
            self._api.merge(path, {"metadata": {"annotations": {worker_hash.CURRENT: current}}})
        return status.reached(graph, parts, is_rolling=is_rolling)

    def _component(
        self, name: Name, graph: Thing, component: Thing, there: dict[str, Thing]
    ) -> Part:
        desired = component.get("replicas", 1)
        things = workloads.deployments(graph, component, desired)
        wanted = {thing["metadata"]["name"]: thing["spec"]["replicas"] for thing in things}
        olds = [
            one for one in there.values() if _is_of(one, component) and _name(one) not in wanted
        ]
        if olds:
            newest = there.get(_name(things[0]), {})
            each = share(
                desired,
                things[0]["spec"]["strategy"],
                new_ready=(newest.get("status") or {}).get("readyReplicas", 0),
                old_there=sum((old.get("status") or {}).get("replicas", 0) for old in olds),
            )
            things[0]["spec"]["replicas"] = each.new
            self._shrink(name, olds, each.old)
        made = []
        for thing in things:
            stands = there.get(_name(thing))
            if stands is None or _is_changed(stands, thing):
                self._forget(name, thing)
            made.append(self._apply(name, thing) or there[_name(thing)])
        return Part(component["name"], wanted, made, olds)

    def _shrink(self, name: Name, olds: list[Thing], left: int) -> None:
        for old in olds:
            keep = min(left, old["spec"]["replicas"])
            left -= keep
            if old["spec"]["replicas"] != keep:
                meta = old["metadata"]
                path = f"{APPS}/namespaces/{meta['namespace']}/deployments/{meta['name']}"
                self._api.merge(path, {"spec": {"replicas": keep}})
                self._forget(name, old)

    def _forget(self, name: Name, thing: Thing) -> None:
        self._applied.setdefault(name, {}).pop(_key(thing), None)

    def _apply(self, name: Name, thing: Thing) -> Thing | None:
        """The object as it then is; None when it was asked for before."""
        known = self._applied.setdefault(name, {})
        key, text = _key(thing), json.dumps(thing)
        if known.get(key) == text:
            return None
        version = thing["apiVersion"]
        folder = CORE if version == "v1" else f"/apis/{version}"
        place = f"{folder}/namespaces/{name[0]}/{PLURALS[thing['kind']]}"
        made = self._api.apply(place, thing)
        known[key] = text
        return made


def _key(thing: Thing) -> str:
    # The items of a list do not say what they are.
    return f"{thing.get('kind', 'Deployment')}/{_name(thing)}"


def _name(thing: Thing) -> str:
    name: str = thing["metadata"]["name"]
    return name


def _is_of(deployment: Thing, component: Thing) -> bool:
    labels = deployment["metadata"].get("labels") or {}
    return bool(labels.get("nvidia.com/dynamo-component") == component["name"])


def _is_changed(stands: Thing, wanted: Thing) -> bool:
    """Whether somebody else scales a Deployment."""
    return bool(stands["spec"]["replicas"] != wanted["spec"]["replicas"])


def _is_over(part: Part) -> bool:
    gone = all(not (old.get("status") or {}).get("replicas") for old in part.olds)
    return gone and status.is_ready(part)
