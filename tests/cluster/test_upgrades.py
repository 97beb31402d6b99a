"""What an upgrade replaces, what it leaves alone, and the way back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from gptoss.deployment.model import Runtime
from tests.cluster.releases import CLAIM, Release, State, namespace

if TYPE_CHECKING:
    from testcluster.control_plane import Cluster

pytestmark = pytest.mark.cluster

JOB = ("--set", "benchmark.enabled=true")
OTHER_TRAFFIC = ("--set", "workload.requests=7")
OTHER_REVISION = ("--set", "model.revision=a000000000000000000000000000000000000001")
GRAPH = "DynamoGraphDeployment/gpt-oss"
STORED_CLAIM = f"{CLAIM}/gpt-oss-model-cache"


@pytest.mark.parametrize(
    ("target", "helm", "runtime"),
    [("disagg-gb200", "helm3", Runtime.DYNAMO), ("serve-h100-2", "helm4", Runtime.SERVE)],
)
def test_a_changed_benchmark_or_revision_makes_a_new_job_and_is_never_refused(
    target: str, helm: str, runtime: Runtime, cluster: Cluster
) -> None:
    with namespace(cluster, f"jobs-{target}") as space:
        release = Release(cluster, helm, space)
        chosen = ("--set", f"target={target}", *JOB)
        release.install(*chosen)
        release.downloaded()
        release.serves(runtime)
        before = release.state()

        release.upgrade(*chosen, *OTHER_TRAFFIC)
        after = release.eventually(
            "the old pod is gone", lambda state: len(state.of("Pod")) == len(before.of("Pod"))
        )
        assert jobs(after, "download") == jobs(before, "download")
        assert len(jobs(after, "benchmark")) == 1
        assert not jobs(after, "benchmark") & jobs(before, "benchmark")
        for part in before.pods().keys() - {"benchmark"}:
            assert after.pods()[part] == before.pods()[part], part

        release.upgrade(*chosen, *OTHER_TRAFFIC, *OTHER_REVISION)
        release.downloaded()
        release.gone(serving(before))
        release.serves(runtime)
        last = release.state()
        for part in ("download", "benchmark"):
            assert len(jobs(last, part)) == 1
            assert not jobs(last, part) & jobs(after, part)
        assert last.identities()[STORED_CLAIM] == before.identities()[STORED_CLAIM]


@pytest.mark.parametrize("helm", ["helm3", "helm4"])
def test_releases_go_up_and_down_in_one_graph_whatever_version_of_it_they_are_written_in(
    helm: str, cluster: Cluster
) -> None:
    with namespace(cluster, f"releases-{helm}") as space:
        release = Release(cluster, helm, space)

        def runs(number: str) -> State:
            release.serves(Runtime.DYNAMO)
            return release.eventually(
                f"only {number} runs", lambda state: versions(state) == {number}
            )

        chosen = ("--set", "target=disagg-gb200", "--set")
        release.install(*chosen, "runtime.release=1.2.1")
        first = runs("1.2.1")
        release.upgrade(*chosen, "runtime.release=1.6.1")
        second = runs("1.6.1")
        release.upgrade(*chosen, "runtime.release=1.3.1")
        runs("1.3.1")
        release.rollback(2)
        again = runs("1.6.1")
        assert components(again) == components(second)
        release.rollback(1)
        last = runs("1.2.1")
        assert components(last) == components(first)
        for kept in (GRAPH, STORED_CLAIM):
            assert last[kept]["metadata"]["uid"] == first[kept]["metadata"]["uid"]


def test_helm_4_takes_over_what_helm_3_installed_and_hands_it_back(cluster: Cluster) -> None:
    with namespace(cluster, "both-helms") as space:
        third, fourth = (Release(cluster, helm, space) for helm in ("helm3", "helm4"))
        chosen = ("--set", "target=disagg-gb200")
        third.install(*chosen)
        third.downloaded()
        third.serves(Runtime.DYNAMO)
        before = third.state()
        for release in (fourth, third):
            release.upgrade(*chosen)
            assert release.state().identities() == before.identities(), release.helm
        fourth.upgrade(*chosen, "--set", "workers.decode.engine.max_batch_size=1024")
        fourth.gone(before.pods()["decode"])
        fourth.serves(Runtime.DYNAMO)
        assert fourth.state().pods()["frontend"] == before.pods()["frontend"]
        fourth.uninstall()
        left = fourth.eventually("all but the claim is gone", lambda state: len(state) <= 1)
        assert left.identities() == {STORED_CLAIM: before.identities()[STORED_CLAIM]}


@pytest.mark.parametrize(("first", "second"), [("helm3", "helm4"), ("helm4", "helm3")])
def test_a_release_of_the_same_name_finds_the_claim_of_the_last(
    first: str, second: str, cluster: Cluster
) -> None:
    with namespace(cluster, f"again-{first}") as space:
        chosen = ("--set", "target=serve-h100-2")
        old, new = (Release(cluster, helm, space) for helm in (first, second))
        old.install(*chosen)
        old.downloaded()
        before = old.state()
        old.uninstall()
        old.eventually("all but the claim is gone", lambda state: set(state) == {STORED_CLAIM})
        new.install(*chosen)
        new.downloaded()
        new.serves(Runtime.SERVE)
        after = new.state()
        assert after.written().keys() == before.written().keys()
        assert after.identities()[STORED_CLAIM] == before.identities()[STORED_CLAIM]


def jobs(state: State, part: str) -> set[str]:
    """Jobs of a part of the release: by their uid, for one is replaced by another."""
    return {
        job["metadata"]["uid"]
        for job in state.of("Job").values()
        if job["metadata"]["labels"]["app.kubernetes.io/component"] == part
    }


def serving(state: State) -> set[str]:
    """Pods that hold the model."""
    parts = state.pods()
    return {
        pod for part in parts.keys() - {"frontend", "download", "benchmark"} for pod in parts[part]
    }


def versions(state: State) -> set[str]:
    """Tags of the images that the pods of the graph run."""
    return {
        container["image"].rpartition(":")[2]
        for pod in state.of("Pod").values()
        if "nvidia.com/dynamo-component" in pod["metadata"]["labels"]
        for container in pod["spec"]["containers"]
    }


def components(state: State) -> dict[str, Any]:
    """Components of the graph by name: their order is lost where the other version is stored."""
    return {each["name"]: each for each in state[GRAPH]["spec"]["components"]}
