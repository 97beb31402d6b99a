"""The API server as what is played here asks it: small, without a client library."""

from __future__ import annotations

import json
import ssl
import urllib.error
import urllib.request
from typing import TYPE_CHECKING, Any

from gptoss.text import plain_yaml

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NOT_FOUND, CONFLICT = 404, 409
JSON, MERGE = "application/json", "application/merge-patch+json"


class Api:
    """The API server, as a kubeconfig with a token names it."""

    def __init__(self, kubeconfig: Path) -> None:
        config = plain_yaml.load(kubeconfig.read_text(encoding="utf-8"))
        cluster = config["clusters"][0]["cluster"]
        self._server = cluster["server"]
        self._token = config["users"][0]["user"]["token"]
        self._tls = ssl.create_default_context(cafile=cluster["certificate-authority"])

    def ask(self, verb: str, path: str, body: Any = None, kind: str = JSON) -> Any:
        """An answer, still to be read."""
        request = urllib.request.Request(  # noqa: S310 (https alone)
            self._server + path,
            data=None if body is None else json.dumps(body).encode(),
            method=verb,
            headers={"Authorization": f"Bearer {self._token}", "Content-Type": kind},
        )
        return urllib.request.urlopen(request, context=self._tls)  # noqa: S310

    def get(self, path: str) -> Any:
        """An object or a list of them; None when there is none."""
        try:
            with self.ask("GET", path) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            if error.code == NOT_FOUND:
                return None
            raise

    def send(self, verb: str, path: str, body: Any = None, kind: str = JSON) -> None:
        """Makes, changes or deletes something; what is so already, or is gone, is well too."""
        try:
            self.ask(verb, path, body, kind).close()
        except urllib.error.HTTPError as error:
            if error.code not in (NOT_FOUND, CONFLICT):
                raise

    def events(self, path: str) -> Iterator[dict[str, Any]]:
        """What there is of a kind, and then what happens to it; again when the watch ends."""
        while True:
            with self.ask("GET", f"{path}?watch=1") as lines:
                for event in map(json.loads, lines):
                    if event["type"] == "ERROR":
                        break
                    yield event
