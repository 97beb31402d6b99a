"""The server that the API server asks before it stores a graph, or shows it in another version.

The path says which release answers: /1.3.1/convert, /1.3.1/default and /1.3.1/validate.
"""

from __future__ import annotations

import base64
import json
import ssl
import sys
import traceback
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from testcluster.operator import defaulting, scaling
from testcluster.operator.conversion import convert
from testcluster.operator.releases import Release
from testcluster.operator.validation import Change, as_beta, refusals, warnings
from testcluster.programs import HOST

if TYPE_CHECKING:
    from pathlib import Path

Review = dict[str, Any]


def server(port: int, certificate: Path, key: Path) -> ThreadingHTTPServer:
    """The webhooks at a port of this machine; they answer once it is told to serve."""
    found = ThreadingHTTPServer((HOST, port), Webhooks)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate, key)
    # The handshake belongs to the thread of the connection, not to the one that takes them all.
    found.socket = tls.wrap_socket(found.socket, server_side=True, do_handshake_on_connect=False)
    return found


class Webhooks(BaseHTTPRequestHandler):
    """Answers reviews."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """One review; what goes wrong in it is the answer."""
        review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        _, version, verb = self.path.partition("?")[0].split("/")
        request = review["request"]
        try:
            answer = ANSWERS[verb](request, Release(version))
        except Exception as error:  # noqa: BLE001 (a bug of this stand-in is to be seen)
            traceback.print_exc(file=sys.stderr)
            answer = _failure(verb, f"stand-in for the operator: {error!r}")
        response = {"uid": request["uid"], **answer}
        about = {key: review[key] for key in ("apiVersion", "kind")}
        self._send(json.dumps({**about, "response": response}).encode())

    def _send(self, body: bytes) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Nothing: every request of kubectl leads to several of these."""


def _converted(request: Review, _: Release) -> Review:
    wanted = request["desiredAPIVersion"]
    objects = [
        (scaling.convert if thing["kind"] == scaling.KIND else convert)(thing, wanted)
        for thing in request["objects"]
    ]
    return {"convertedObjects": objects, "result": {"status": "Success"}}


def _defaulted(request: Review, release: Release) -> Review:
    is_new = request["operation"] == "CREATE"
    patch = defaulting.patch(request["object"], release, is_new=is_new)
    if not patch:
        return {"allowed": True}
    encoded = base64.b64encode(json.dumps(patch).encode()).decode()
    return {"allowed": True, "patchType": "JSONPatch", "patch": encoded}


def _validated(request: Review, release: Release) -> Review:
    new, old = request["object"], request.get("oldObject")
    if "deletionTimestamp" in new["metadata"]:
        return {"allowed": True}
    user = request["userInfo"]["username"]
    change = Change(release, as_beta(new), old and as_beta(old), user)
    found = refusals(change)
    answer: Review = {"allowed": not found, "warnings": warnings(new)}
    if found:
        answer["status"] = {"code": HTTPStatus.FORBIDDEN, "message": "; ".join(found)}
    return answer


def _failure(verb: str, message: str) -> Review:
    if verb == "convert":
        return {"convertedObjects": [], "result": {"status": "Failure", "message": message}}
    return {"allowed": False, "status": {"message": message}}


ANSWERS = {"convert": _converted, "default": _defaulted, "validate": _validated}
