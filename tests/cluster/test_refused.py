"""What is refused, or finds no place, at the API server itself."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from gptoss.text import plain_yaml
from tests.chart.rendering import CHART, HELMS, dumped, objects, pods, run, with_values
from tests.cluster.releases import Release

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Iterator

    from testcluster.control_plane import Cluster

pytestmark = pytest.mark.cluster

SERVER, GRAPH = "serve-h100-2", "disagg-gb200"
CLAIM = "gpt-oss-model-cache"
JOBS = ("benchmark.enabled=true", "accuracy.enabled=true", "accuracy.image=r.example.com/evals:1")
BLOCK = re.compile(r"^## Quotas.*?```yaml\n(.*?)```", re.DOTALL | re.MULTILINE)
# Minutes on a real cluster, and nothing comes here.
SOON = "6s"


@pytest.fixture
def space(cluster: Cluster, request: pytest.FixtureRequest) -> Iterator[str]:
    """A namespace for a test."""
    words = re.findall("[a-z0-9]+", request.node.name.removeprefix("test_").lower())
    name = "-".join([*words[:5], words[-1]])
    cluster.kubectl("create", "namespace", name)
    cluster.kubectl("wait", "--for=create", "serviceaccount/default", "--namespace", name)
    yield name
    cluster.kubectl("delete", "namespace", name, "--wait=false")


@pytest.fixture
def helm(cluster: Cluster, space: str) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs Helm in the test's namespace."""

    def run(*words: str, by: str = "helm4") -> subprocess.CompletedProcess[str]:
        return Release(cluster, by, space).run(*words)

    return run


def created(cluster: Cluster, space: str, made: list[dict[str, Any]]) -> set[str]:
    """The names of those pods that the namespace admits."""
    for pod in made:
        pod["metadata"]["namespace"] = space
        pod["spec"].pop("serviceAccountName", None)  # it comes with the release
    flags = ("--dry-run=server", "--validate=strict", "--output=name", "--filename", "-")
    return set(cluster.run("create", *flags, given=dumped(made)).stdout.split())


@pytest.mark.parametrize("by", HELMS)
def test_helm_waits_for_the_only_server_which_is_not_there_without_its_pod(
    by: str, cluster: Cluster, space: str, helm: Callable[..., Any]
) -> None:
    nowhere = ("--set", f"target={SERVER}", "--set", "hardware.nodeSelector.pool=none")
    done = helm("install", "gpt-oss", str(CHART), *nowhere, "--wait", "--timeout", SOON, by=by)
    assert done.returncode != 0, done.stdout
    (server,) = cluster.objects("deployments", "--namespace", space)
    told = {each["type"]: each["status"] for each in server["status"]["conditions"]}
    assert told["Available"] == "False"


def test_after_a_refused_upgrade_pods_find_their_files_and_the_way_out_keeps_the_claim(
    cluster: Cluster, space: str, helm: Callable[..., Any]
) -> None:
    here = ("--namespace", space)

    def upgrade(*settings: str) -> subprocess.CompletedProcess[str]:
        flags = [word for each in (f"target={SERVER}", *settings) for word in ("--set", each)]
        done: subprocess.CompletedProcess[str]
        done = helm("upgrade", "--install", "gpt-oss", str(CHART), *flags)
        return done

    def files() -> dict[str, Any]:
        found = cluster.objects("configmaps", *here, "-l", "app.kubernetes.io/instance=gpt-oss")
        return {each["metadata"]["name"]: each["data"] for each in found}

    assert upgrade().returncode == 0
    cluster.kubectl("wait", *here, "--for=jsonpath={.status.phase}=Bound", f"pvc/{CLAIM}")
    before = files()
    done = upgrade("modelCache.size=1Gi", "workers.worker.engine.max_batch_size=8")
    assert done.returncode != 0
    assert "can not be less than status.capacity" in done.stderr
    after = files()
    engines = {name for name in before if "-engine-" in name}
    assert engines
    assert {name: after.get(name) for name in engines} == {name: before[name] for name in engines}

    cluster.kubectl("delete", "job", *here, "-l", "app.kubernetes.io/instance=gpt-oss")
    done = upgrade(f"modelCache.existingClaim={CLAIM}", "modelCache.size=1Gi")
    assert done.returncode == 0, done.stderr
    assert len(cluster.objects("jobs", *here)) == 1
    assert helm("uninstall", "gpt-oss").returncode == 0
    (claim,) = cluster.objects("persistentvolumeclaims", *here)
    assert claim["status"]["phase"] == "Bound"
    assert "deletionTimestamp" not in claim["metadata"]


@pytest.mark.parametrize("by", HELMS)
def test_replicas_that_somebody_else_writes_stay_and_are_no_conflict(
    by: str, cluster: Cluster, space: str, helm: Callable[..., Any]
) -> None:
    settings = (
        f"target={SERVER}",
        "autoscaling.kind=none",
        "workers.worker.autoscaling.enabled=true",
    )
    flags = [word for each in settings for word in ("--set", each)]
    assert helm("install", "gpt-oss", str(CHART), *flags, by=by).returncode == 0
    server = ("deployment/gpt-oss-server", "--namespace", space)
    cluster.kubectl("scale", *server, "--replicas=2")
    engine = ("--set", "workers.worker.engine.max_batch_size=8")
    done = helm("upgrade", "gpt-oss", str(CHART), *flags, *engine, by=by)
    assert done.returncode == 0, done.stderr
    assert cluster.kubectl("get", *server, "-o", "jsonpath={.spec.replicas}") == "2"


def test_the_longest_name_of_a_server_is_accepted_with_its_jobs(
    cluster: Cluster, space: str
) -> None:
    flags = [word for each in (f"target={SERVER}", *JOBS) for word in ("--set", each)]
    done = run("helm4", "template", "d" * 53, str(CHART), "--namespace", space, *flags)
    cluster.accepts(done.stdout)


def test_rdma_leaves_all_but_the_workers_restricted(cluster: Cluster, space: str) -> None:
    level = "pod-security.kubernetes.io/enforce=restricted"
    cluster.kubectl("label", "namespace", space, level)
    made = pods(objects(GRAPH, *JOBS, "hardware.rdma.resource=rdma/ib"))
    refused = set(made) - {
        name.removeprefix("pod/") for name in created(cluster, space, [*made.values()])
    }
    assert refused == {"prefill", "decode"}


def test_the_readme_s_limits_admit_every_pod_under_a_quota_and_default_limits(
    cluster: Cluster, space: str
) -> None:
    hard = {"limits.cpu": "1k", "limits.memory": "10Ti", "requests.cpu": "1k"}
    default = {"type": "Container", "default": {"cpu": "2", "memory": "4Gi"}}
    rules = [
        {"kind": "ResourceQuota", "spec": {"hard": hard}},
        {"kind": "LimitRange", "spec": {"limits": [default]}},
    ]
    for rule in rules:
        thing = {"apiVersion": "v1", "metadata": {"name": "team", "namespace": space}, **rule}
        cluster.kubectl("create", "--filename", "-", given=json.dumps(thing))
    counted = "--for=jsonpath={.status.hard}"
    cluster.kubectl("wait", counted, "resourcequota/team", "--namespace", space)
    (block,) = BLOCK.findall((CHART / "README.md").read_text(encoding="utf-8"))
    values = plain_yaml.load(block)
    values["benchmark"]["enabled"] = values["accuracy"]["enabled"] = True
    values["accuracy"]["image"] = "r.example.com/evals:1"
    made = pods(with_values(values))
    assert created(cluster, space, [*made.values()]) == {f"pod/{name}" for name in made}
    bare = pods(objects(GRAPH, *JOBS))
    assert created(cluster, space, [*bare.values()]) == {"pod/gpt-oss-test-smoke"}
