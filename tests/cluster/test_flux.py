"""The files of flux/, before the API server with the definitions of Flux's own resources."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from testcluster.control_plane import BIN
from tests.chart.rendering import ROOT, dumped, objects

if TYPE_CHECKING:
    from collections.abc import Iterator

    from testcluster.control_plane import Cluster

pytestmark = pytest.mark.cluster

DEFINITIONS = BIN / "flux-definitions.yaml"
FILES = sorted((ROOT / "flux").glob("*.yaml"))
NAMESPACE, SYNC = "flux-serving", "flux-system"
VERBS = ("get", "list", "create", "patch", "delete")
SCALED = ("enabled=true", "maxReplicas=4", "targetQueuedRequests=20")
SIZES = ("tensor_parallel_size", "moe_expert_parallel_size")
# Together they turn on every kind of object.
TURNED_ON = (
    ("agg-gb200", "autoscaling.kind=hpa", *(f"workers.worker.autoscaling.{s}" for s in SCALED)),
    (
        "agg-gb200",
        "hardware.computeDomain.enabled=true",
        *(f"workers.worker.engine.{size}=8" for size in SIZES),
    ),
    ("everything", "benchmark.enabled=true"),
    ("everything-serve", "benchmark.enabled=true"),
)
OTHERS = [("", "pods/exec", "create"), ("", "nodes", "list"), ("apps", "statefulsets", "create")]


def moved(text: str) -> str:
    """A file of the folder for the namespace of this test."""
    return text.replace("serving}", f"{NAMESPACE}}}").replace("name: serving", f"name: {NAMESPACE}")


@pytest.fixture(scope="module")
def flux(cluster: Cluster) -> Iterator[Cluster]:
    """A cluster that knows Flux's resources, with the account that installs."""
    assert DEFINITIONS.is_file(), "run `make cluster-test`, or tools/setup/go_tools.sh flux"
    definitions = ("--filename", str(DEFINITIONS))
    cluster.kubectl("create", *definitions)
    cluster.kubectl("wait", "--for=condition=Established", "--timeout=60s", *definitions)
    cluster.kubectl("create", "namespace", SYNC)
    account = moved((ROOT / "flux" / "account.yaml").read_text("utf-8"))
    cluster.kubectl("apply", "--filename", "-", given=account)
    yield cluster
    cluster.kubectl("delete", "namespace", NAMESPACE, SYNC, "--wait=false")
    cluster.kubectl("delete", "--wait=false", *definitions)


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.name)
def test_flux_knows_every_field_of_the_kit(file: Any, flux: Cluster) -> None:
    flux.accepts(moved(file.read_text("utf-8")))


def test_a_field_that_flux_does_not_know_is_refused(flux: Cluster) -> None:
    text = moved((ROOT / "flux" / "release.yaml").read_text("utf-8"))
    flags = ("--server-side", "--dry-run=server", "--validate=strict", "--filename", "-")
    done = flux.run("apply", *flags, given=text.replace("timeout:", "timeOut:"))
    assert ".spec.timeOut: field not declared" in done.stderr


def test_the_account_may_do_what_the_chart_asks_for_and_nothing_else(flux: Cluster) -> None:
    rendered = [item for one in TURNED_ON for item in objects(*one)]
    wanted = {(group_of(item), resource_of(item["kind"])) for item in rendered}
    wanted.add(("", "secrets"))  # Helm's own
    assert {"horizontalpodautoscalers", "computedomains"} <= {name for _, name in wanted}
    asked = [(group, resource, verb) for group, resource in sorted(wanted) for verb in VERBS]
    asked.remove(("", "pods", "patch"))
    assert allowed(flux, NAMESPACE, asked) == asked
    assert allowed(flux, SYNC, asked) == []
    assert allowed(flux, NAMESPACE, OTHERS) == []


def test_the_account_may_give_the_jobs_of_the_chart_theirs(flux: Cluster) -> None:
    rendered = objects("agg-gb200", "benchmark.enabled=true")
    kinds = {"ServiceAccount", "Role", "RoleBinding"}
    found = [item for item in rendered if item["kind"] in kinds]
    assert {item["kind"] for item in found} == kinds
    who = f"--as=system:serviceaccount:{NAMESPACE}:gpt-oss-flux"
    given = dumped(found).replace("namespace: default", f"namespace: {NAMESPACE}")
    flux.kubectl("apply", "-n", NAMESPACE, who, "--filename", "-", given=given)


def allowed(
    cluster: Cluster, namespace: str, asked: list[tuple[str, str, str]]
) -> list[tuple[str, str, str]]:
    """What of group, resource and verb the account may do in a namespace."""
    reviews = [review(namespace, *one) for one in asked]
    given = json.dumps({"apiVersion": "v1", "kind": "List", "items": reviews})
    form = "--output=jsonpath={.status.allowed},"
    answers = cluster.kubectl("create", form, "--filename", "-", given=given).split(",")
    return [one for one, told in zip(asked, answers[:-1], strict=True) if told == "true"]


def review(namespace: str, group: str, resource: str, verb: str) -> dict[str, Any]:
    """The question whether the account may do something."""
    resource, _, part = resource.partition("/")
    what = {"namespace": namespace, "group": group, "resource": resource, "verb": verb}
    return {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SubjectAccessReview",
        "spec": {
            "user": f"system:serviceaccount:{NAMESPACE}:gpt-oss-flux",
            "resourceAttributes": {**what, "subresource": part},
        },
    }


def group_of(item: dict[str, Any]) -> str:
    """The group of an object's API; the first one has no name."""
    version: str = item["apiVersion"]
    return version.rpartition("/")[0]


def resource_of(kind: str) -> str:
    """The resource of a kind, as the API server calls it."""
    name = kind.lower()
    if name.endswith("y"):
        return f"{name[:-1]}ies"
    return f"{name}es" if name.endswith("s") else f"{name}s"
