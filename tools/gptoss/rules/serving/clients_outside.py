"""Do clients outside the cluster get whole answers, and do policies leave open what that takes?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.deployment.model import Runtime
from gptoss.rules.rule import ANY, Said, Severity, rule
from gptoss.rules.subjects import WAYS_IN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.access import Backend, WayIn
    from gptoss.deployment.model import Deployment, Worker

OPERATOR_PORT = 8000
GRACE = "DYN_GRACEFUL_SHUTDOWN_GRACE_PERIOD_SECS"
# What a pod has beyond its longest answer, where only its whole time is known.
REST = 60


@rule("S040", "way-in-to-a-closed-port", Severity.ERROR, of=WAYS_IN, runtimes=ANY)
def way_in_to_a_closed_port(way: WayIn, deployment: Deployment) -> Iterator[Said]:
    """An Ingress or a route leads to a port that the Service does not have.

    The controller finds nothing there and answers every request with 503. The operator gives the
    frontend's Service port 8000, whatever the graph says.
    """
    for backend in way.backends:
        ports = _ports(backend, deployment)
        if backend.port and ports and backend.port.value not in ports:
            has = " and ".join(map(str, sorted(ports)))
            yield Said(
                backend.port,
                f"it leads to port {backend.port.value} of Service {backend.service.value}, "
                f"which has {has}",
                f"write {min(ports)}",
            )


@rule("S041", "way-in-gives-up-early", Severity.WARNING, of=WAYS_IN, runtimes=ANY)
def way_in_gives_up_early(way: WayIn, deployment: Deployment) -> Iterator[Said]:
    """An Ingress or a route gives up before the longest answer is there.

    An answer that is not streamed says nothing until it is whole, and one that is streamed says
    nothing while it waits for its turn. A route's time-out ends a stream in the middle, too.
    """
    longest = max(filter(None, (_longest(w, deployment) for w in deployment.workers)), default=0)
    if way.gives_up is None or way.gives_up.value >= longest:
        return
    default = " unless told otherwise" if way.by_default else ""
    yield Said(
        way.gives_up,
        f"it gives up after {way.gives_up.value} s{default}, but an answer may take {longest} s",
        f"have it wait {longest} s or longer",
    )


@rule("S042", "streams-collected", Severity.WARNING, of=WAYS_IN, runtimes=ANY)
def streams_collected(way: WayIn) -> Iterator[Said]:
    """An Ingress collects answers before it hands them on.

    Pieces of a stream then arrive many at a time, and the first late.
    """
    if way.buffers:
        yield Said(way.buffers, "it collects answers before it hands them on", "leave it out")


@rule("S043", "way-in-unencrypted", Severity.INFO, of=WAYS_IN, runtimes=ANY)
def way_in_unencrypted(way: WayIn) -> Iterator[Said]:
    """An Ingress has no certificate.

    Prompts, answers and keys can be read on the way, unless something in front of it speaks TLS.
    """
    if way.encrypted is False:
        yield Said(way, "it has no tls", "name a Secret with a certificate under tls")


@rule("S044", "anybody-may-ask", Severity.INFO, of=WAYS_IN, runtimes=ANY)
def anybody_may_ask(way: WayIn, deployment: Deployment) -> Iterator[Said]:
    """An Ingress or a load balancer leads straight to the server, and neither checks who asks.

    Neither Dynamo's frontend nor trtllm-serve knows API keys. examples/gateway has a proxy that
    does.
    """
    straight = way.kind == "Service" or any(_ports(each, deployment) for each in way.backends)
    if way.asks_who is not False or not straight:
        return
    server = "trtllm-serve" if deployment.runtime is Runtime.SERVE else "Dynamo's frontend"
    yield Said(
        way,
        f"it lets everybody in, and {server} checks no key",
        "have it let in only who may, or lead to a gateway that checks keys",
    )


@rule(
    "S045",
    "policies-close-discovery",
    Severity.WARNING,
    reports="closed-off",
    hint="add an egress rule, or another policy for the same pods",
)
def policies_close_discovery() -> None:
    """Network policies keep all pods of the graph from names of hosts, or from the API server.

    Frontend and workers look for one another at the API server, which is an address to a policy and
    no pod. Without it every pod is ready, and requests are answered with 404 or 503.
    """


def _ports(backend: Backend, deployment: Deployment) -> set[int]:
    """Ports of the deployment's own Service; none where the backend is another one."""
    if deployment.runtime is not Runtime.SERVE:
        own = backend.service.value == f"{deployment.name}-frontend"
        return {OPERATOR_PORT} if own else set()
    named = [each for each in deployment.services if each.name == backend.service.value]
    return {port.port.value for service in named for port in service.ports}


def _longest(worker: Worker, deployment: Deployment) -> int | None:
    """Seconds that the deployment gives its longest answer; None where it does not say."""
    if deployment.runtime is Runtime.SERVE:
        given = worker.pod.termination_grace
        return max(given.value - REST, 0) if given else None
    variable = worker.pod.environment.get(GRACE) or deployment.environment.get(GRACE)
    text = variable.value if variable else None
    return int(text) if text and text.isdecimal() else None
