"""Does the frontend listen where the operator's Service leads to?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.rules.rule import DYNAMO, KUBERNETES, Said, Severity, rule
from gptoss.rules.subjects import FRONTEND

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Frontend

PORT = 8000
FLAG = "--http-port"


@rule(
    "S204",
    "frontend-on-another-port",
    Severity.ERROR,
    of=FRONTEND,
    runtimes=DYNAMO,
    platforms=KUBERNETES,
)
def frontend_on_another_port(frontend: Frontend) -> Iterator[Said]:
    """The frontend listens on another port than the one that the operator asks.

    The operator opens port 8000 of the frontend's container under the name http, and leads its
    Service and its probes there, whatever the frontend's flags say. The probes find nothing: the
    pod is never ready and is restarted again and again, and every Job and client that asks the
    Service is refused. Who moves the port has to write the container's ports and probes too.
    """
    if frontend.arguments is None or frontend.pod.ports:
        return
    port = frontend.arguments[FLAG]
    if isinstance(port.value, int) and port.value != PORT:
        yield Said(
            port.located or frontend,
            f"the frontend listens on {port.value}, but Service and probes of the operator ask "
            f"{PORT}",
            f"leave {FLAG} and DYN_HTTP_PORT out",
        )
