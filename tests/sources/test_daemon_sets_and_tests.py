"""What a chart renders beside graph and Jobs: a DaemonSet that downloads, and pods of helm test."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.checking.checker import run
from gptoss.facts.world import Facts
from gptoss.sources.load import load
from gptoss.sources.request import Request

if TYPE_CHECKING:
    from gptoss.deployment.model import Deployment

TARGET = "agg-gb200"
DISKS = "modelCache.hostPath=/mnt/nvme"


def read(*settings: str) -> Deployment:
    (deployment,) = load(Request((TARGET,), settings=settings)).deployments
    return deployment


def said(*settings: str) -> dict[str, tuple[str, str]]:
    """Message and place of each finding by its rule."""
    findings = run(read(*settings), Facts()).findings
    return {f.rule.id: (f.message, str(f.place)) for f in findings}


def test_the_daemon_set_that_fills_disks_of_nodes_is_a_download() -> None:
    (download,) = read(DISKS).downloads
    (job,) = read().downloads
    assert (download.kind, download.name) == ("DaemonSet", "gpt-oss-download")
    assert (job.kind, download.model, download.revision) == ("Job", job.model, job.revision)
    assert said(DISKS) == {}
    image = "modelCache.download.image=me:latest"
    message, place = said(DISKS, image)["G022"]
    assert message.startswith("DaemonSet gpt-oss-download: image me:latest")
    assert place == f"--set {image}"


def test_what_only_a_job_has_does_nothing_to_a_daemon_set() -> None:
    limit = "modelCache.download.activeDeadlineSeconds=600"
    assert "V040" not in said(limit)
    message, place = said(DISKS, limit)["V040"]
    assert "a DaemonSet downloads, and no Job" in message
    assert place == f"--set {limit}"


def test_a_pod_of_helm_test_is_judged_as_others_are() -> None:
    settings = ("tests.image=me:latest", "tests.extraPodSpec.colour=red")
    found = said(*settings)
    assert found["G022"] == (
        "Pod gpt-oss-test-smoke: image me:latest has the tag 'latest', which moves",
        f"--set {settings[0]}",
    )
    assert found["G060"][0] == "spec has no field colour"


def test_times_of_the_download_point_at_their_lines() -> None:
    (download,) = read("modelCache.download.ttlSecondsAfterFinished=60").downloads
    deadline, kept = download.pod.deadline, download.pod.kept
    assert deadline is not None
    assert kept is not None
    assert (deadline.value, kept.value) == (86400, 60)
    assert str(kept.place) == "--set modelCache.download.ttlSecondsAfterFinished=60"
    assert "B041" not in said(
        "modelCache.download.source=s3://a/b", "modelCache.download.activeDeadlineSeconds=60"
    )
