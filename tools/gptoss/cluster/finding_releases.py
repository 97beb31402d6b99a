"""Finds what is installed in a namespace, by the name of a release or of what serves."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from gptoss.cluster.live_cluster import DeniedError
from gptoss.cluster.parts_standing import Seen
from gptoss.cluster.released import INSTANCE, graphs, is_made_by_another, release_of
from gptoss.sources.kubernetes.objects import serves
from gptoss.text.errors import InputError
from gptoss.text.yaml_tree import parse_documents

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from gptoss.cluster.live_cluster import Cluster, Object

APPS = "apps/v1"


def serving_in(cluster: Cluster) -> list[Object]:
    """The graphs of a namespace, and the workloads that run trtllm-serve.

    Raises:
        DeniedError: The account may not list them.
        InputError: The cluster does not answer.
    """
    workloads = [*cluster.objects(APPS, "Deployment"), *cluster.objects(APPS, "StatefulSet")]
    own = [each for each in workloads if not is_made_by_another(each) and _serves(each)]
    return [*graphs(cluster), *own]


def _serves(workload: Object) -> bool:
    (tree,) = parse_documents(json.dumps(workload), workload["metadata"]["name"])
    return serves(tree)


def called(things: Iterable[Object], names: Iterable[str]) -> list[Object]:
    """Those that have one of these names, or are of the Helm release that has."""
    wanted = set(names)
    return [
        each
        for each in things
        if {each["metadata"]["name"], each["metadata"].get("labels", {}).get(INSTANCE)} & wanted
    ]


def seen_of(cluster: Cluster, mains: list[Object], tell: Callable[[str], None]) -> list[Seen]:
    """What the namespace holds of each of several deployments.

    Args:
        cluster: The cluster, and the namespace.
        mains: Graphs, and workloads that run trtllm-serve.
        tell: Takes a line about each kind that the account may not list.

    Raises:
        DeniedError: The account may not list pods.
        InputError: The cluster does not answer.
    """

    def listed(version: str, kind: str) -> list[Object]:
        try:
            return cluster.objects(version, kind)
        except DeniedError as error:
            tell(f"not looked at: the account may not {error.right}")
            return []

    pods, claims = cluster.objects("v1", "Pod"), listed("v1", "PersistentVolumeClaim")
    jobs, daemons = listed("batch/v1", "Job"), listed(APPS, "DaemonSet")
    makers = [*listed(APPS, "Deployment"), *listed(APPS, "ReplicaSet")]
    events = listed("v1", "Event")
    return [
        Seen(
            main,
            datetime.now(UTC),
            pods,
            makers,
            [each for each in claims if _belongs(each, main)],
            claims,
            [each for each in jobs if _belongs(each, main)],
            [each for each in daemons if _belongs(each, main)],
            events,
        )
        for main in mains
    ]


def _belongs(thing: Object, main: Object) -> bool:
    """Whether an object is of the same release, or without one is called after what serves."""
    theirs, ours = release_of(thing), release_of(main)
    name: str = thing["metadata"]["name"]
    if theirs or ours:
        return theirs == ours
    return name.startswith(f"{main['metadata']['name']}-")


def nothing_called(names: Iterable[str], cluster: Cluster, serving: Iterable[Object]) -> InputError:
    """What to raise where a name is none of what serves."""
    there = ", ".join(sorted(each["metadata"]["name"] for each in serving)) or "nothing"
    where = f"namespace {cluster.namespace} of {cluster.context or 'the cluster'}"
    wanted = ", ".join(names)
    return InputError(f"{wanted} does not run in {where}, where {there} does; say where with -n")
