"""Do probes ask for what the server has?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.deployment.model import Runtime
from gptoss.rules.rule import ANY, Said, Severity, rule
from gptoss.rules.subjects import COMPONENTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Component, Deployment

PAGES = {
    Runtime.DYNAMO: ("/health", "/live", "/metrics", "/v1/models", "/ready"),
    Runtime.SERVE: ("/health", "/version", "/v1/models", "/metrics", "/prometheus/metrics"),
}
# Further pages of trtllm-serve, which compute something to answer.
COMPUTED = ("/health_generate", "/perf_metrics", "/kv_cache_events", "/server_info")
# Names that the operator gives to the ports of components.
OPERATOR_PORTS = ("http", "system", "nixl")


@rule(
    "G210",
    "probe-asks-what-is-not-there",
    Severity.WARNING,
    of=COMPONENTS,
    runtimes=ANY,
)
def probe_asks_what_is_not_there(component: Component, deployment: Deployment) -> Iterator[Said]:
    """A probe asks for a page that the server does not have, or names a port that nobody named.

    It fails for ever: the pod never becomes ready, or is restarted again and again. A probe without
    a path asks for the root, which neither server has.
    """
    named = OPERATOR_PORTS if deployment.runtime is Runtime.DYNAMO else ()
    pages = PAGES[deployment.runtime]
    for kind, probe in component.pod.probes.items():
        if probe.page is not None and probe.page.partition("?")[0] not in (*pages, *COMPUTED):
            yield Said(
                probe,
                f"the {kind} probe asks for {probe.page}, which the server does not have",
                "write path: /health, or /live of a Dynamo worker",
            )
        if probe.lost_port is not None and probe.lost_port not in named:
            yield Said(
                probe,
                f"the {kind} probe asks port {probe.lost_port}, and no port of the container is "
                "called so",
                "write the port's number",
            )
