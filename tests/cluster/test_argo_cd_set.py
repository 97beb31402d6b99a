"""Every target, from argocd/applicationset.yaml: through upgrade and rollback, without drift."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from gptoss.text import plain_yaml
from tests.chart.rendering import SHIPPED as TARGETS
from tests.cluster.argo_cd import HERE, SHIPPED, ArgoCd, git, healthy
from tests.cluster.served import CLAIM

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.cluster


def test_the_set_serves_every_target_through_upgrade_and_rollback_without_drift(
    argo: ArgoCd, record_property: Callable[[str, object], None]
) -> None:
    names = {f"gpt-oss-{target}" for target in TARGETS}
    argo.apply((SHIPPED / "applicationset.yaml").read_text("utf-8"))
    argo.watched.names(lambda found: names <= found)

    def all_run(revision: str, what: str) -> None:
        argo.refresh(*sorted(names), how="hard" if what == "no drift" else "normal")
        for target in TARGETS:
            argo.watched.until(f"gpt-oss-{target}", healthy(revision))
            record_property("proven", [target, "Argo CD", what])

    first = git(argo.repository, "rev-parse", "HEAD")
    all_run(first, "install")
    before = specs(argo)
    all_run(first, "no drift")
    assert specs(argo) == before
    changed = {}
    for target in TARGETS:
        values = plain_yaml.load((argo.repository / "values" / f"{target}.yaml").read_text("utf-8"))
        for worker in values["workers"].values():
            worker["engine"] = {**worker.get("engine", {}), "stream_interval": 7}
        changed[f"values/{target}.yaml"] = values
    all_run(argo.commit(changed), "upgrade")
    after = specs(argo)
    assert all(after[target] != before[target] for target in TARGETS)
    git(argo.repository, "revert", "--no-edit", "HEAD")
    all_run(git(argo.repository, "rev-parse", "HEAD"), "rollback")
    assert specs(argo) == before

    gone = argo.commit({f"values/{TARGETS[0]}.yaml": None})
    assert gone
    argo.cluster.kubectl(
        "annotate",
        "applicationset/gpt-oss",
        *HERE,
        "argocd.argoproj.io/application-set-refresh=true",
    )
    argo.watched.until(f"gpt-oss-{TARGETS[0]}", lambda application: not application)
    argo.cluster.kubectl("get", f"pvc/{CLAIM}", f"--namespace=gpt-oss-{TARGETS[0]}")
    argo.cluster.kubectl("delete", "applicationset/gpt-oss", *HERE, "--wait=false")
    argo.watched.names(lambda found: not names & found)
    argo.cluster.kubectl("delete", "namespace", *sorted(names), "--wait=false")


def specs(argo: ArgoCd) -> dict[str, Any]:
    """Target -> what of it serves, as it is wanted."""
    kinds = "dynamographdeployments,deployments"
    label = "app.kubernetes.io/managed-by=Helm"
    found = argo.cluster.objects(kinds, "--all-namespaces", "--selector", label)
    return {
        thing["metadata"]["namespace"].removeprefix("gpt-oss-"): thing["spec"] for thing in found
    }
