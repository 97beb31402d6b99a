"""Is somebody there to answer?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.deployment.model import Role, Runtime
from gptoss.rules.rule import ANY, Said, Severity, rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gptoss.deployment.model import Component, Deployment

WITHOUT = {
    Role.AGGREGATED: "no request is answered",
    Role.PREFILL: "decode workers have nobody who prefills, and every request is refused",
    Role.DECODE: "prefill workers have nobody who goes on, and no request is answered",
}


@rule(
    "G200",
    "nobody-there",
    Severity.WARNING,
    runtimes=ANY,
)
def nobody_there(deployment: Deployment) -> Iterator[Said]:
    """All workers of a role, or the frontend, have 0 replicas.

    Prefill and decode workers need each other, and both need a frontend. Until somebody scales it
    up no request is answered, while the others hold their GPUs. A deployment of which nothing runs
    is only put aside, and one that an autoscaler fills says so by its scalingAdapter.
    """
    frontend = [deployment.frontend] if deployment.frontend else []
    if all(component.replica_count == 0 for component in (*frontend, *deployment.workers)):
        return
    for role, then in WITHOUT.items():
        workers = deployment.workers_with(role)
        if workers and _is_empty(workers, deployment):
            yield _said(workers[0], then)
    if deployment.runtime is Runtime.DYNAMO and frontend and _is_empty(frontend, deployment):
        yield _said(frontend[0], "nothing takes requests")


def _is_empty(components: Sequence[Component], deployment: Deployment) -> bool:
    asked = deployment.operator.components
    return all(
        each.replica_count == 0
        and each.counted
        and not (each.name in asked and asked[each.name].scaling)
        for each in components
    )


def _said(component: Component, then: str) -> Said:
    return Said(
        component.replicas or component,
        f"{component.name} has 0 replicas, so that {then}",
        "write 1 or more",
    )
