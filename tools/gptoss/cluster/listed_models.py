"""What models a server in a cluster lists, asked through the API server."""

from __future__ import annotations

import http.client
import re
from contextlib import closing
from typing import TYPE_CHECKING, Any

from gptoss.cluster.pod_words import State, Words
from gptoss.text import plain_json

if TYPE_CHECKING:
    from gptoss.cluster.live_cluster import Cluster, Object

PORT = 8000
SECONDS = 10
PATH = "/v1/models"
FORBIDDEN = "403"


def model_words(cluster: Cluster, pod: Object, *, workers_ready: bool) -> Words:
    """What the server of a pod lists, asked through a forwarded port as kubectl makes one.

    Args:
        cluster: The cluster.
        pod: A pod that answers HTTP and is ready.
        workers_ready: Whether every worker is ready, so that the model has to be there.
    """
    name, here = pod["metadata"]["name"], f"-n {pod['metadata']['namespace']}"
    try:
        status, body = _asked(cluster, pod)
        told = plain_json.load(body.decode())["data"] if status == 200 else []
        listed = [str(each["id"]) for each in told]
    except _DeniedError:
        return Words(State.UNKNOWN, "not asked: the account may not create pods/portforward")
    except (OSError, ValueError, KeyError, TypeError, http.client.HTTPException) as error:
        because = str(error) or type(error).__name__
        return Words(State.UNKNOWN, f"{name} was not to be asked: {because}")
    look = f"kubectl logs {here} {name} --tail 50"
    if status != 200:
        return Words(State.WRONG, f"{name} answers {PATH} with {status}", look)
    if listed:
        return Words(State.OK, f"lists {', '.join(listed)}")
    state = State.WRONG if workers_ready else State.WORKING
    return Words(state, f"{name} lists no model: no worker has announced itself", look)


class _DeniedError(Exception):
    """The account may not forward ports."""


def _asked(cluster: Cluster, pod: Object) -> tuple[int, bytes]:
    """Status and body of the answer. Raises OSError, HTTPException or _DeniedError."""
    from kubernetes import client
    from kubernetes.stream import portforward

    metadata, port = pod["metadata"], _port(pod)
    connect = client.CoreV1Api(cluster.api).connect_get_namespaced_pod_portforward
    try:
        forwarded = portforward(connect, metadata["name"], metadata["namespace"], ports=str(port))
    except client.ApiException as error:
        if f"status {FORBIDDEN}" in str(error.reason):
            raise _DeniedError from None
        raise OSError(_told(str(error.reason))) from None
    with closing(forwarded.socket(port)) as connection:
        connection.setblocking(True)
        connection.settimeout(SECONDS)
        connection.sendall(
            f"GET {PATH} HTTP/1.1\r\nHost: {metadata['name']}\r\nConnection: close\r\n\r\n".encode()
        )
        answer = http.client.HTTPResponse(connection)
        answer.begin()
        return answer.status, answer.read()


def _port(pod: Object) -> int:
    """The port that answers HTTP."""
    ports: list[Any] = [
        port for each in pod["spec"]["containers"] for port in each.get("ports") or []
    ]
    named = [port["containerPort"] for port in ports if port.get("name") == "http"]
    return int(named[0]) if named else PORT


def _told(reason: str) -> str:
    """What the API server says, of what the websocket's library makes of it."""
    said = re.search(r'"message":"((?:[^"\\]|\\.)*)"', reason)
    return said[1] if said else reason.partition(" -+-+-")[0]
