"""The API server as what is played here asks it: small, without a client library."""

from __future__ import annotations

import http.client
import json
import ssl
import time
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from gptoss.text import plain_yaml

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

APPLY, MERGE = "application/apply-patch+yaml", "application/merge-patch+json"
JSON_PATCH = "application/json-patch+json"
# A watch says at least a bookmark in that time.
WATCH_SECONDS = 600

Thing = dict[str, Any]


class RefusedError(Exception):
    """The API server does not do it; with what it says."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class Api:
    """One connection to the API server, as a kubeconfig with a token names it."""

    def __init__(self, kubeconfig: Path, manager: str, user: str = "") -> None:
        """Connects once it is asked.

        Args:
            kubeconfig: Of an administrator.
            manager: The name under which fields are changed.
            user: In whose name it asks, when not in the administrator's.
        """
        config = plain_yaml.load(kubeconfig.read_text(encoding="utf-8"))
        cluster = config["clusters"][0]["cluster"]
        self._server = urlsplit(cluster["server"]).netloc
        self._tls = ssl.create_default_context(cafile=cluster["certificate-authority"])
        self._manager = manager
        self._headers = {"Authorization": f"Bearer {config['users'][0]['user']['token']}"}
        if user:
            self._headers |= {"Impersonate-User": user, "Impersonate-Group": "system:masters"}
        self._connection = self._connected()

    def get(self, path: str) -> Any:
        """An object, or None when there is none."""
        try:
            return self._ask("GET", path)
        except RefusedError as refused:
            if refused.code == HTTPStatus.NOT_FOUND:
                return None
            raise

    def items(self, path: str) -> list[Thing]:
        """The objects of a list."""
        found: list[Thing] = self._ask("GET", path)["items"]
        return found

    def create(self, path: str, thing: Thing) -> None:
        """Makes an object; one of that name that is there already stays as it is."""
        try:
            self._ask("POST", path, thing)
        except RefusedError as refused:
            if refused.code != HTTPStatus.CONFLICT:
                raise

    def apply(self, folder: str, thing: Thing) -> Thing:
        """Makes an object so; the object as it then is."""
        name = thing["metadata"]["name"]
        query = f"?fieldManager={self._manager}&force=true&fieldValidation=Strict"
        made: Thing = self._ask("PATCH", f"{folder}/{name}{query}", thing, APPLY)
        return made

    def merge(self, path: str, patch: Thing) -> Thing:
        """Changes fields of an object; the object as it then is."""
        made: Thing = self._ask("PATCH", f"{path}?fieldManager={self._manager}", patch, MERGE)
        return made

    def patch(self, path: str, steps: list[Thing]) -> None:
        """Changes an object step by step, or not at all."""
        self._ask("PATCH", f"{path}?fieldManager={self._manager}", steps, JSON_PATCH)

    def delete(self, path: str) -> None:
        """Deletes an object, and in the background what belongs to it."""
        self._ask("DELETE", path, {"propagationPolicy": "Background"})

    def events(self, path: str) -> Iterator[Thing]:
        """What there is of a kind, and then what happens to it; again when the watch ends."""
        while True:
            connection = self._connected()
            query = f"?watch=1&timeoutSeconds={WATCH_SECONDS}"
            connection.request("GET", path + query, headers=self._headers)
            with connection.getresponse() as lines:
                if is_to_wait(lines):
                    continue
                if lines.status != HTTPStatus.OK:
                    raise RefusedError(lines.status, _message(lines.read()))
                for event in map(json.loads, lines):
                    if event["type"] == "ERROR":
                        break
                    yield event

    def _connected(self) -> http.client.HTTPSConnection:
        return http.client.HTTPSConnection(self._server, context=self._tls)

    def _ask(
        self, method: str, path: str, given: Any = None, kind: str = "application/json"
    ) -> Any:
        body = None if given is None else json.dumps(given)
        headers = {**self._headers, "Content-Type": kind}
        while True:
            try:
                self._connection.request(method, path, body, headers)
                answer = self._connection.getresponse()
            except (http.client.HTTPException, OSError):  # the server has closed it meanwhile
                self._connection = self._connected()
                self._connection.request(method, path, body, headers)
                answer = self._connection.getresponse()
            text = answer.read()
            if not is_to_wait(answer):
                break
        if answer.status >= HTTPStatus.BAD_REQUEST:
            raise RefusedError(answer.status, _message(text))
        return json.loads(text)


def is_to_wait(answer: http.client.HTTPResponse) -> bool:
    """Waits as long as the API server says, where it has too much to do; whether it said so.

    It does under load, and while it reads the objects of a definition that has changed.
    """
    if answer.status != HTTPStatus.TOO_MANY_REQUESTS:
        return False
    time.sleep(float(answer.headers.get("Retry-After") or 1))
    return True


def _message(text: bytes) -> str:
    try:
        return str(json.loads(text)["message"])
    except (ValueError, KeyError):
        return text.decode("utf-8", "replace")
