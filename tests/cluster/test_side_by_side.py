"""Releases that share a namespace, a parent chart that holds several, and the longest names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from gptoss.deployment.model import Runtime
from tests.chart.rendering import CHART, HELMS
from tests.chart.test_umbrella import parent
from tests.cluster.releases import CLAIM, Release, State, namespace
from tests.cluster.steps import gpus

if TYPE_CHECKING:
    from pathlib import Path

    from testcluster.control_plane import Cluster

pytestmark = pytest.mark.cluster

GRAPH, SERVER = {"target": "disagg-gb200"}, {"target": "serve-h100-2"}
GPUS_OF_GRAPH, GPUS_OF_SERVER = 5, 2
LONGEST = 53
WITHOUT_GROVE = ("--set-string", r"annotations.nvidia\.com/enable-grove=false")
JOB = "benchmark.enabled=true"


def test_a_target_twice_and_another_live_in_one_namespace_and_one_goes_alone(
    cluster: Cluster,
) -> None:
    with namespace(cluster, "side-by-side") as space:
        one, two = (
            Release(cluster, helm, space, name) for helm, name in zip(HELMS, "ab", strict=True)
        )
        three = Release(cluster, "helm4", space, "c")
        for release, chosen in ((one, GRAPH), (two, GRAPH), (three, SERVER)):
            release.install("--set", f"target={chosen['target']}", "--set", JOB)
        for release in (one, two, three):
            release.downloaded()
            release.serves(Runtime.SERVE if release is three else Runtime.DYNAMO)
        before = one.state()
        assert taken(before.named("a")) == taken(before.named("b")) == GPUS_OF_GRAPH
        assert taken(before.named("c")) == GPUS_OF_SERVER
        one.uninstall()
        gone = one.eventually("it is gone", lambda state: len(state.named("a")) <= 1)
        assert set(gone.named("a")) == {f"{CLAIM}/a-model-cache"}
        for name in ("b", "c"):
            assert gone.named(name).identities() == before.named(name).identities()


@pytest.mark.parametrize("helm", HELMS)
def test_two_aliases_of_a_parent_chart_serve_in_one_release(
    helm: str, cluster: Cluster, tmp_path: Path
) -> None:
    aliases = {"chat": SERVER, "bulk": GRAPH}
    chart = parent(tmp_path, [{"alias": alias} for alias in aliases], aliases)
    with namespace(cluster, f"umbrella-{helm}") as space:
        release = Release(cluster, helm, space, "prod")
        release.install(chart=chart)
        release.serves(Runtime.SERVE, "prod-chat")
        release.serves(Runtime.DYNAMO, "prod-bulk")
        before = release.state()
        assert taken(before.named("prod-chat")) == GPUS_OF_SERVER
        assert taken(before.named("prod-bulk")) == GPUS_OF_GRAPH
        release.upgrade(chart=chart)
        assert release.state().identities() == before.identities()
        release.uninstall()
        claims = {f"{CLAIM}/prod-{alias}-model-cache" for alias in aliases}
        release.eventually("all but the claims is gone", lambda state: set(state) == claims)


def test_a_release_whose_name_has_53_characters_serves_is_tested_and_goes(cluster: Cluster) -> None:
    with namespace(cluster, "long-server") as space:
        release = Release(cluster, "helm3", space, "n" * LONGEST)
        release.install("--set", f"target={SERVER['target']}", "--set", JOB)
        release.downloaded()
        release.serves(Runtime.SERVE, release.name)
        assert set(release.state().pods()) == {"server", "download", "benchmark"}
        _is_tested_and_goes(release)


def test_a_graph_s_longest_name_serves_and_a_longer_one_is_refused_before_anything_is_sent(
    cluster: Cluster,
) -> None:
    with namespace(cluster, "long") as space:
        chosen = ("--set", f"target={GRAPH['target']}", "--set", JOB, *WITHOUT_GROVE)
        longest = Release(cluster, "helm4", space, "n" * LONGEST)
        done = longest.run("install", longest.name, str(CHART), *chosen)
        assert done.returncode != 0
        (most,) = re.findall(r"of at most (\d+)", done.stderr)
        assert longest.state() == {}
        assert int(most) < LONGEST
        release = Release(cluster, "helm4", space, "n" * int(most))
        release.install(*chosen)
        release.downloaded()
        release.serves(Runtime.DYNAMO)
        assert taken(release.state()) == GPUS_OF_GRAPH
        _is_tested_and_goes(release)


def _is_tested_and_goes(release: Release) -> None:
    release.types("test", release.name)
    release.uninstall()
    left = release.eventually("all but the claim is gone", lambda state: len(state) <= 1)
    assert [each.partition("/")[0] for each in left] == [CLAIM]


def taken(state: State) -> int:
    """GPUs that pods have."""
    return sum(map(gpus, state.of("Pod").values()))
