"""Lists of objects as ``kubectl get`` prints them, without starting one for each."""

from __future__ import annotations

from argparse import ArgumentParser
from functools import cache
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlencode

from testcluster.api import Api, Thing

if TYPE_CHECKING:
    from pathlib import Path


class Resource(NamedTuple):
    """Where objects of a kind are listed, and what they say of themselves."""

    folder: str
    plural: str
    api_version: str
    kind: str
    namespaced: bool


class Lists:
    """What there is on a cluster."""

    def __init__(self, kubeconfig: Path) -> None:
        self._api = Api(kubeconfig, "lists")
        self._known: dict[str, Resource] = {}

    def of(self, kinds: str, *words: str) -> list[Thing]:
        """The objects of some kinds, with commas between them.

        Args:
            kinds: Plurals, with their group where another group has the same.
            words: Where they are and which, as kubectl's options.

        Raises:
            KeyError: There is no such kind.
        """
        options = _options().parse_args(words)
        query = f"?{urlencode({'labelSelector': options.selector})}" if options.selector else ""
        found = []
        for name in kinds.split(","):
            resource = self._resource(name)
            inside = resource.namespaced and not options.all
            space = f"/namespaces/{options.namespace}" if inside else ""
            items = self._api.items(f"{resource.folder}{space}/{resource.plural}{query}")
            said = {"apiVersion": resource.api_version, "kind": resource.kind}
            found += [{**said, **item} for item in items]
        return found

    def _resource(self, name: str) -> Resource:
        if name not in self._known:
            self._known = self._served()
        return self._known[name]

    def _served(self) -> dict[str, Resource]:
        """Kinds by plural, and by plural and group; of each group the version that it prefers."""
        found: dict[str, Resource] = {}
        for group in self._api.get("/apis")["groups"]:
            version = group["preferredVersion"]["groupVersion"]
            for resource in self._of(f"/apis/{version}", version):
                found[f"{resource.plural}.{group['name']}"] = resource
                found.setdefault(resource.plural, resource)
        return found | {each.plural: each for each in self._of("/api/v1", "v1")}

    def _of(self, folder: str, version: str) -> list[Resource]:
        served = self._api.get(folder)
        return [
            Resource(folder, each["name"], version, each["kind"], each["namespaced"])
            for each in (served or {"resources": []})["resources"]
        ]


@cache
def _options() -> ArgumentParser:
    parser = ArgumentParser(allow_abbrev=False)
    parser.add_argument("-n", "--namespace", default="default")
    parser.add_argument("-l", "--selector", default="")
    parser.add_argument("-A", "--all-namespaces", dest="all", action="store_true")
    return parser


@cache
def lists(kubeconfig: Path) -> Lists:
    """What there is on the cluster of a kubeconfig; one connection for all questions."""
    return Lists(kubeconfig)
