"""A live cluster, asked read-only through the account that a kubeconfig names.

Objects are plain maps as the API server gives them, with their kind and API version, so that they
can be read as any manifest.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

Object = dict[str, Any]
Query = dict[str, str]

SECONDS = (5, 30)  # to connect, and to answer
PAGE = "500"
OK, UNAUTHORIZED, FORBIDDEN, NOT_FOUND = 200, 401, 403, 404
# What urllib3 puts before a cause, and the server's name says already.
ADDRESS = re.compile(r"^\w+\([^)]*\): |^<[^>]*>: ")
# Every namespace, where objects are listed.
ALL = ""


class DeniedError(InputError):
    """The account may not read something; the message names the right that is missing.

    Args:
        verb: ``get`` or ``list``.
        what: What would be read, as in ``nodes`` or ``secrets in namespace serving``.
    """

    def __init__(self, verb: str, what: str) -> None:
        self.right = f"{verb} {what}"
        super().__init__(f"the account may not {self.right}; docs/preflight.md has the rights")


@dataclass(frozen=True, slots=True)
class Resource:
    """How the API server serves a kind: its name in addresses, and whether namespaces hold it."""

    plural: str
    namespaced: bool


@dataclass(frozen=True)
class Cluster:
    """A cluster that answers.

    Attributes:
        context: What the kubeconfig calls it; '' inside a pod.
        namespace: Where to look: as asked, else that of the context.
        api: Client of the ``kubernetes`` package.
    """

    context: str
    namespace: str
    api: Any
    _served: dict[str, Mapping[str, Resource] | None] = field(default_factory=dict)

    def version(self) -> str:
        """Version of the API server, as in ``v1.36.3``."""
        return str(self.ask("/version")["gitVersion"])

    def kinds(self, api_version: str) -> Mapping[str, Resource] | None:
        """The kinds of a group and version, as in ``apps/v1``; None where it is not served.

        Raises:
            InputError: The cluster does not answer, or denies discovery.
        """
        if api_version not in self._served:
            top = "apis" if "/" in api_version else "api"
            found = self.ask(f"/{top}/{api_version}")
            self._served[api_version] = found and {
                each["kind"]: Resource(each["name"], each["namespaced"])
                for each in found["resources"]
                if "/" not in each["name"]
            }
        return self._served[api_version]

    def get(
        self, api_version: str, kind: str, name: str, namespace: str | None = None
    ) -> Object | None:
        """An object by its name; None where there is none, or no such kind.

        Args:
            api_version: Its group and version, as in ``apps/v1``.
            kind: Its kind.
            name: Its name.
            namespace: Where it is, unless in the cluster's own.

        Raises:
            DeniedError: The account may not get it.
            InputError: The cluster does not answer.
        """
        path = self._path(api_version, kind, namespace)
        return self.ask(f"{path}/{quote(name, safe='')}", of=(kind, name)) if path else None

    def objects(
        self, api_version: str, kind: str, namespace: str | None = None, labels: str = ""
    ) -> list[Object]:
        """Every object of a kind; none where there is no such kind.

        Args:
            api_version: Its group and version, as in ``apps/v1``.
            kind: The kind.
            namespace: Where they are, unless in the cluster's own; ``ALL`` for everywhere.
            labels: A selector of labels, as kubectl takes it.

        Raises:
            DeniedError: The account may not list them.
            InputError: The cluster does not answer.
        """
        path = self._path(api_version, kind, namespace)
        query = {"limit": PAGE, **({"labelSelector": labels} if labels else {})}
        found: list[Object] = []
        while path:
            page = self.ask(path, query) or {"items": []}
            found += page["items"]
            rest = page.get("metadata", {}).get("continue")
            if not rest:
                break
            query["continue"] = rest
        return [{"apiVersion": api_version, "kind": kind, **each} for each in found]

    def ask(self, path: str, query: Query | None = None, of: tuple[str, str] | None = None) -> Any:
        """What the API server answers to a GET as JSON; None for what it does not have.

        Args:
            path: Below the server, as in ``/version``.
            query: Parameters of the address.
            of: Kind and name of the one object that is asked for.

        Raises:
            DeniedError: The account may not read it.
            InputError: The cluster does not answer, or with an error.
        """
        text = self.text(path, query, of)
        return None if text is None else json.loads(text)

    def text(
        self, path: str, query: Query | None = None, of: tuple[str, str] | None = None
    ) -> str | None:
        """The same as the text that it is, as of logs.

        Raises:
            DeniedError: The account may not read it.
            InputError: The cluster does not answer, or with an error.
        """
        from urllib3.exceptions import HTTPError

        request = self.api.param_serialize(
            "GET",
            path,
            query_params=list((query or {}).items()),
            header_params={"Accept": "application/json, */*"},
            auth_settings=["BearerToken"],
        )
        try:
            answer = self.api.call_api(*request, _request_timeout=SECONDS).response
        except HTTPError as error:
            cause = ADDRESS.sub("", str(getattr(error, "reason", None) or error))
            raise InputError(f"{self._named()} does not answer: {cause}") from None
        if answer.status == OK:
            return str(answer.data.decode(errors="replace"))
        if answer.status == NOT_FOUND:
            return None
        if answer.status == FORBIDDEN:
            raise _denied(path, of)
        if answer.status == UNAUTHORIZED:
            raise InputError(f"{self._named()} does not know this account; log in again")
        raise InputError(f"{self._named()} answers {path} with {_reason(answer)}")

    def _named(self) -> str:
        name = f"cluster {self.context}" if self.context else "the cluster"
        return f"{name} ({self.api.configuration.host})"

    def _path(self, api_version: str, kind: str, namespace: str | None) -> str | None:
        resource = (self.kinds(api_version) or {}).get(kind)
        if resource is None:
            return None
        here = self.namespace if namespace is None else namespace
        inside = f"/namespaces/{quote(here, safe='')}" if resource.namespaced and here else ""
        top = "apis" if "/" in api_version else "api"
        return f"/{top}/{api_version}{inside}/{resource.plural}"


def _denied(path: str, of: tuple[str, str] | None) -> DeniedError:
    """What is denied at an address, in the words of a role."""
    parts = path.strip("/").split("/")
    parts = parts[2:] if parts[0] == "api" else parts[3:] if parts[0] == "apis" else [path]
    inside = ""
    if len(parts) > 2 and parts[0] == "namespaces":
        inside, parts = f" in namespace {parts[1]}", parts[2:]
    if len(parts) > 2:
        return DeniedError("get", f"{parts[0]}/{parts[2]}{inside}")
    return DeniedError("get" if of else "list", f"{parts[0]}{inside}")


def _reason(answer: Any) -> str:
    """An answer that is an error, in one line."""
    try:
        said = json.loads(answer.data)["message"]
    except (ValueError, KeyError, TypeError):
        said = answer.reason
    return f"{answer.status}: {said}"
