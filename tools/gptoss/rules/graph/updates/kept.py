"""What of a change does the API server refuse, or Kubernetes carry out by stopping everything?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.deployment.model import Runtime
from gptoss.rules.graph.updates.stored import changes
from gptoss.rules.rule import ANY, Said, Severity, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Deployment

# Their own rule says more.
JOB = "Job"


@rule(
    "G063",
    "field-kept-by-the-api-server",
    Severity.ERROR,
    runtimes=ANY,
)
def field_kept_by_the_api_server(deployment: Deployment) -> Iterator[Said]:
    """An object changes in a field that the API server lets nobody change.

    The selector of a Deployment or StatefulSet, the address of a Service, the role of a
    RoleBinding, a claim of devices: they stay as they were first written. Helm stops there, with
    what it changed before already in the cluster.
    """
    for now, before, path in changes(deployment):
        if now.kind != JOB:
            yield Said(
                now.place,
                f"{now.kind} {now.name}: {path} differs from what is installed: the API server "
                f"refuses to change {now.field}",
                "keep it, delete the object first, or install under another name",
                also=[(before.place, "as it is installed")] if before.place != now.place else [],
            )


@rule(
    "G064",
    "api-version-changed",
    Severity.WARNING,
)
def api_version_changed(deployment: Deployment) -> Iterator[Said]:
    """The graph is installed in another API version than it is written in.

    It is one object in both, which the operator's webhook converts. Helm patches it in the new
    version. Argo CD with server-side apply and prune has been seen to fail on it, for what the
    conversion leaves out looks like a change by somebody else.
    """
    installed = deployment.installed
    if installed is None or installed.name != deployment.name:
        return
    ours, theirs = deployment.api_version, installed.api_version
    if ours.value != theirs.value and installed.runtime is deployment.runtime:
        version = theirs.value.rpartition("/")[2]
        yield Said(
            ours,
            f"apiVersion changes from {theirs.value} to {ours.value} on a graph that is installed",
            f"write {version} while the operator serves it, and change it by itself: a wrong "
            "conversion is then not taken for the fault of another change",
        )


@rule(
    "G065",
    "runtime-switched",
    Severity.WARNING,
    runtimes=ANY,
)
def runtime_switched(deployment: Deployment) -> Iterator[Said]:
    """A graph of Dynamo takes the place of a server of trtllm-serve, or the other way round.

    They are different objects. Helm makes the one and deletes the other at once: until the model is
    loaded nobody answers, and where GPUs are short the new pods wait for the old to go. Clients
    find the Service under another name.
    """
    installed = deployment.installed
    if installed is None or installed.runtime is deployment.runtime:
        return
    kinds = {Runtime.DYNAMO: "Dynamo", Runtime.SERVE: "trtllm-serve"}
    yield Said(
        deployment,
        f"{kinds[deployment.runtime]} takes the place of {kinds[installed.runtime]}: until the "
        "model is loaded anew nobody answers",
        "install it under another name, move the clients, and delete the old one then",
    )
