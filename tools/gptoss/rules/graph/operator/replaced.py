"""Does what applies the graph keep what the operator has written into it?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.rules.rule import Said, Severity, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Deployment

OPTIONS = "argocd.argoproj.io/sync-options"
REPLACING = "Replace=true"


@rule(
    "G109",
    "graph-replaced-at-every-sync",
    Severity.WARNING,
)
def graph_replaced_at_every_sync(deployment: Deployment) -> Iterator[Said]:
    """Argo CD is told to replace the graph, and the operator's own annotations go with it.

    The operator writes into the graph which workers are in force. Without that it takes a changed
    graph for a new one: it starts the new workers beside the old ones, which stay and keep their
    GPUs, and no update is ever finished. kubectl replace and helm upgrade --force do the same.
    """
    options = deployment.annotations.get(OPTIONS)
    if options and REPLACING in (part.strip() for part in options.value.split(",")):
        yield Said(
            options,
            f"{OPTIONS} says {REPLACING}, which takes the operator's annotations away, and old "
            "workers stay beside new ones",
            f"remove {REPLACING}",
        )
