"""Whom a pod runs as, and what runs in it before its main container."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.sources.parts.reading import a_map, maps, string, whole_number
from gptoss.text.places import Located

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.sources.parts.reading import Scope
    from gptoss.text.yaml_tree import Tree

IDENTIFIERS = ("runAsUser", "runAsGroup", "fsGroup")


def identity(spec: Tree, container: Tree, scope: Scope) -> Iterator[Located[str]]:
    """Users and groups that a pod or its container asks for."""
    for tree in (spec, container):
        context = a_map(tree.at("securityContext"), "securityContext")
        for key in IDENTIFIERS:
            found = context.at(key) if context else None
            if found is not None and found.value is not None:
                number = whole_number(found, key)
                yield Located(f"{key} {number}", scope.here(found.where))


def before(spec: Tree, scope: Scope) -> Iterator[Located[str]]:
    """The init containers of a pod."""
    for entry in maps(spec.at("initContainers"), "initContainers"):
        name = string(entry.at("name"), "the name of an init container") or ""
        yield Located(name, scope.here(entry.place))
