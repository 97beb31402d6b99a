"""What a worker does, told by the names that people give its files."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import TYPE_CHECKING

from gptoss.deployment.model import Role

if TYPE_CHECKING:
    from gptoss.text.yaml_tree import Tree

# Words of TensorRT-LLM for the two.
WORDS = {
    Role.PREFILL: re.compile(r"(?:prefill|ctx|context)\d*"),
    Role.DECODE: re.compile(r"(?:decode|gen|generation)\d*"),
}
SEPARATOR = re.compile(r"[^a-z0-9]+")


def role_in(name: str) -> Role | None:
    """The role that a name has among its words; None where it has none, or both."""
    words = SEPARATOR.split(name.lower())
    found = [role for role, form in WORDS.items() if any(map(form.fullmatch, words))]
    return found[0] if len(found) == 1 else None


def role_of_file(path: str) -> Role | None:
    """The role in the name of a file, else in that of its folder."""
    file = PurePath(path)
    return role_in(file.stem) or role_in(file.parent.name)


def role_alone(path: str, engine: Tree) -> Role | None:
    """The role of an engine YAML without another: by its name.

    The words of TensorRT-LLM mean other things too; they count where a KV cache is transferred.
    """
    role = role_in(PurePath(path).stem)
    is_ours = role is not None and role in PurePath(path).stem.lower()
    return role if is_ours or engine.at("cache_transceiver_config") else None


def without_role(path: str) -> str:
    """What a file is called beside its role, the same for the files of one deployment."""
    file = PurePath(path)
    return "/".join(_rest(part) for part in (*file.parent.parts, file.stem))


def _rest(name: str) -> str:
    words = SEPARATOR.split(name.lower())
    return " ".join(w for w in words if not any(form.fullmatch(w) for form in WORDS.values()))
