"""When the stand-in replaces workers, and how many there are meanwhile."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from testcluster.operator.conversion import BETA
from testcluster.operator.rollout import Share, share
from testcluster.operator.worker_hash import worker_hash

Graph = dict[str, Any]


def rolling(surge: int | str, unavailable: int | str) -> Graph:
    update = {"maxSurge": surge, "maxUnavailable": unavailable}
    return {"type": "RollingUpdate", "rollingUpdate": update}


QUARTER = rolling("25%", "25%")


def graph() -> Graph:
    def component(name: str, kind: str) -> Graph:
        pod = {"spec": {"containers": [{"name": "main", "image": "runtime:1.3.1"}]}}
        return {"name": name, "type": kind, "replicas": 1, "podTemplate": pod}

    kinds = {"frontend": "frontend", "decode": "decode", "prefill": "prefill"}
    components = [component(name, kind) for name, kind in kinds.items()]
    return {"apiVersion": BETA, "spec": {"components": components}}


@pytest.mark.parametrize("number", [1, 2])
def test_a_change_in_any_worker_is_another_hash(number: int) -> None:
    changed = graph()
    pod = changed["spec"]["components"][number]["podTemplate"]
    pod["metadata"] = {"annotations": {"checksum/engine": "other"}}
    assert worker_hash(changed) != worker_hash(graph())


def test_frontend_replicas_and_scaling_are_not_in_the_hash() -> None:
    changed = graph()
    changed["spec"]["components"][0]["podTemplate"] = {}
    changed["spec"]["components"][1] |= {"replicas": 3, "scalingAdapter": {}}
    assert worker_hash(changed) == worker_hash(graph())


def test_the_hash_does_not_depend_on_the_order_of_components() -> None:
    turned = copy.deepcopy(graph())
    turned["spec"]["components"].reverse()
    assert worker_hash(turned) == worker_hash(graph())


@pytest.mark.parametrize(
    ("desired", "strategy", "ready", "there", "expected"),
    [
        (1, QUARTER, 0, 1, Share(1, 1)),
        (1, QUARTER, 1, 1, Share(1, 0)),
        (4, QUARTER, 0, 4, Share(1, 3)),
        (4, QUARTER, 1, 3, Share(2, 2)),
        (1, rolling(0, 1), 0, 1, Share(0, 0)),
        (1, rolling(0, 1), 0, 0, Share(1, 0)),
        (1, rolling(0, 0), 0, 1, Share(0, 0)),
        (2, {"type": "Recreate"}, 0, 2, Share(0, 0)),
    ],
)
def test_workers_of_before_go_as_the_update_strategy_allows(
    desired: int, strategy: Graph, ready: int, there: int, expected: Share
) -> None:
    assert share(desired, strategy, new_ready=ready, old_there=there) == expected
