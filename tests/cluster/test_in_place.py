"""What cannot be changed in place is refused by `gptoss check --against`, and nothing else is.

The API server and the operator's webhook are asked about each change, as Helm 4 would send it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import yaml

from gptoss.checking.judging import judged
from gptoss.deployment.model import Runtime
from gptoss.rules.rule import Severity
from gptoss.sources.request import Request
from tests.chart.rendering import CHART, run
from tests.cluster.releases import KINDS, Release, namespace

if TYPE_CHECKING:
    from pathlib import Path

    from testcluster.control_plane import Cluster

pytestmark = pytest.mark.cluster

GRAPH, SERVER = "disagg-gb200", "serve-h100-2"
SHRINKS, GROWS = "modelCache.size=100Gi", "modelCache.size=200Gi"
OTHER_CLASS, NAMED_CLASS = "storageClassName=first-use", "storageClassName=shared"
TRAFFIC = ("benchmark.enabled=true", "workload.requests=7")
REVISION = "model.revision=a000000000000000000000000000000000000001"
# What is installed, what takes its place, with which settings, and whether that is refused.
CHANGES = {
    GRAPH: [
        (GRAPH, ("workers.decode.engine.max_batch_size=1024",), False),
        (GRAPH, ("runtime.release=1.6.1",), False),
        (GRAPH, TRAFFIC, False),
        (GRAPH, (REVISION,), False),
        (GRAPH, ("workers.decode.replicas=2", "frontend.replicas=2"), False),
        (GRAPH, (r"annotations.example\.com/owner=me",), False),
        (GRAPH, (GROWS,), False),
        ("disagg-b200", (), False),
        ("agg-gb200", (), True),
        (GRAPH, ("workers.decode.nodes=2",), True),
        (GRAPH, (SHRINKS,), True),
    ],
    SERVER: [
        (SERVER, ("workers.worker.replicas=2",), False),
        (SERVER, ("service.type=LoadBalancer", *TRAFFIC), False),
        (SERVER, (f"modelCache.{NAMED_CLASS}",), False),
        (SERVER, ("modelCache.existingClaim=gpt-oss-model-cache",), False),
        (SERVER, (f"modelCache.{OTHER_CLASS}",), True),
        (SERVER, ("modelCache.accessMode=ReadWriteOnce",), True),
        (SERVER, ("nameOverride=chat",), True),
    ],
}


@pytest.mark.parametrize("target", CHANGES)
def test_check_refuses_of_a_change_what_the_cluster_refuses_and_nothing_else(
    target: str, cluster: Cluster, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    stored = tmp_path / "stored.yaml"
    with namespace(cluster, f"in-place-{target}") as space:
        release = Release(cluster, "helm4", space)
        release.install("--set", f"target={target}", "--set", "benchmark.enabled=true")
        release.downloaded()
        release.serves(Runtime.DYNAMO if target == GRAPH else Runtime.SERVE)
        mine = ("--selector", "app.kubernetes.io/managed-by=Helm")
        stored.write_text(yaml.safe_dump_all(release.objects(KINDS, *mine)), "utf-8")
        for new, settings, refused in CHANGES[target]:
            with subtests.test(f"{new} {' '.join(settings)}"):
                said = refusal(release, new, settings)
                assert bool(said) is refused, said
                found = errors(new, settings, stored)
                assert bool(found) is refused, found


def refusal(release: Release, target: str, settings: tuple[str, ...]) -> str:
    """Why the cluster refuses a change of what is installed; '' when it does not."""
    options = [word for each in (f"target={target}", *settings) for word in ("--set", each)]
    done = run("helm4", "template", release.name, str(CHART), *release.here, "--no-hooks", *options)
    assert done.returncode == 0, done.stderr
    flags = ("--server-side", "--field-manager=helm", "--force-conflicts", "--dry-run=server")
    sent = ("apply", *flags, *release.here, "--filename", "-")
    return release.cluster.run(*sent, given=done.stdout).stderr


def errors(target: str, settings: tuple[str, ...], stored: Path) -> list[str]:
    """What `gptoss check --against` refuses."""
    (checked,) = judged(Request((target,), settings=settings), str(stored))
    found = checked.result.findings
    return [str(each.message) for each in found if each.rule.severity is Severity.ERROR]
