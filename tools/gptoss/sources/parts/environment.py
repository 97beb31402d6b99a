"""Environment variables of a container."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gptoss.sources.parts.reading import a_map, maps, string
from gptoss.text.budget import Kind, spend
from gptoss.text.command import Variable
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gptoss.deployment.paths import Table
    from gptoss.sources.parts.reading import Scope
    from gptoss.text.places import Located, Place
    from gptoss.text.yaml_tree import Tree

REFERENCE = re.compile(r"\$\$|\$\(([^()]*)\)")
# Linux takes no longer variable or word (MAX_ARG_STRLEN).
LONGEST = 128 * 1024


def variables(tree: Tree | None, scope: Scope, table: Table = "env") -> dict[str, Variable]:
    """Variables of an ``env`` list by name; references to earlier ones are filled in.

    Args:
        tree: The list.
        scope: What the variables belong to.
        table: What they are called in its path.
    """
    found: dict[str, Variable] = {}
    for entry in maps(tree, "env"):
        name = string(entry.at("name"), "the name of a variable")
        if not name:
            raise InputError("a variable needs a name", entry.place)
        value = string(entry.at("value"), f"the value of {name}")
        origin = a_map(entry.at("valueFrom"), f"valueFrom of {name}")
        if value is None and origin is None:
            value = ""
        if value is not None:
            value = filled_in(value, found, entry.place)
        secret = a_map(origin.at("secretKeyRef") if origin else None, f"secretKeyRef of {name}")
        named = string(secret.at("name"), "the name of a Secret") if secret else None
        where = (entry.at("value") or entry.at("valueFrom") or entry).where
        found[name] = Variable(name, value, named, scope.entry(table, name, where))
    return found


def whole_secrets(tree: Tree | None, scope: Scope) -> list[Located[str]]:
    """Secrets of an ``envFrom`` list, whose every key becomes a variable."""
    found = []
    for entry in maps(tree, "envFrom"):
        secret = a_map(entry.at("secretRef"), "secretRef")
        name = secret.at("name") if secret else None
        located = scope.text("secrets", name)
        if located:
            found.append(located)
    return found


def filled_in(text: str, environment: Mapping[str, Variable], place: Place) -> str:
    """A text with ``$(NAME)`` replaced as Kubernetes does; what is unknown stays as written.

    Raises:
        InputError: References to references make it longer than Linux takes, or all of a run more
            than it may spend.
    """
    length = 0

    def value(match: re.Match[str]) -> str:
        nonlocal length
        if match.group(1) is None:
            return "$"
        known = environment.get(match.group(1))
        if known is None or known.value is None:
            return match.group()
        length += len(known.value)
        if length > LONGEST:
            raise InputError(f"its references grow beyond {LONGEST:,} characters", place)
        return known.value

    filled = REFERENCE.sub(value, text)
    spend(Kind.EXPANDED, length, place)
    return filled


def references(text: str) -> set[str]:
    """Names of the variables that a text refers to as ``$(NAME)``."""
    return {name for name in REFERENCE.findall(text) if name}
