"""Will the operator accept the topology constraints of the graph?"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gptoss.rules.readings import quoted
from gptoss.rules.rule import Said, Severity, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Deployment
    from gptoss.deployment.operator import Topology

DOMAIN = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?")
# Up to here every component needs a constraint when the graph names no domain.
ALL_OR_NONE_BEFORE = (1, 3)


@rule(
    "G078",
    "topology-constraint-refused",
    Severity.ERROR,
)
def topology_constraint_refused(deployment: Deployment) -> Iterator[Said]:
    """Topology constraints of graph and components do not make a whole.

    A component's constraint refers to the topology that the graph names, and every component that
    is constrained needs a domain, its own or the graph's. The webhook refuses anything else. That
    the cluster has the topology and the domain is not known here.
    """
    whole = deployment.operator.topology
    own = {
        name: request.topology
        for name, request in deployment.operator.components.items()
        if request.topology
    }
    every = {"the graph": whole, **own} if whole else own
    for name, constraint in every.items():
        if constraint.domain and constraint.domain.value:
            if not DOMAIN.fullmatch(constraint.domain.value):
                yield Said(
                    constraint.domain,
                    f"packDomain of {name} is {constraint.domain.value!r}, which is no name of a "
                    "topology domain",
                    "write lower case letters, digits and hyphens",
                )
        elif constraint is not whole:
            yield Said(constraint, f"topologyConstraint of {name} has no packDomain", "name one")
    if whole is None and own:
        yield Said(
            next(iter(own.values())),
            f"a topology domain is asked for by {quoted(own)}, but the graph names no topology",
            "add spec.topologyConstraint with topologyProfile (v1alpha1) or clusterTopologyName",
        )
    elif whole is not None:
        yield from _graph_constraint(deployment, whole, set(own))


def _graph_constraint(deployment: Deployment, whole: Topology, own: set[str]) -> Iterator[Said]:
    if whole.name is None:
        yield Said(
            whole,
            "topologyConstraint of the graph does not say which topology of the cluster it means",
            "add topologyProfile (v1alpha1) or clusterTopologyName",
        )
    if whole.domain and whole.domain.value:
        return
    release = deployment.release
    bare = [c.name for c in deployment.components if c.name not in own]
    strict = release is not None and release.number < ALL_OR_NONE_BEFORE
    if not own or (bare and strict):
        yield Said(
            whole,
            f"neither the graph nor {quoted(bare)} name a packDomain",
            "add packDomain to the graph's constraint, or a topologyConstraint to each component",
        )
