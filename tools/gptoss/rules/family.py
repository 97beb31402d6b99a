"""Families of rules: what holds for every rule in one folder."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from gptoss.deployment.model import Platform, Runtime


@dataclass(frozen=True, slots=True)
class Family:
    """A family of rules, which its folder declares as ``FAMILY``.

    Attributes:
        letter: What the identifiers of its rules begin with.
        name: What it is about.
        question: What its rules answer together.
        order: Where it stands in the reference.
        runtimes: What a deployment runs on that its rules are about, unless one says otherwise.
        platforms: What starts the containers, the same way.
        engine_only: Whether its rules can judge an engine YAML without its deployment.
        suppressible: Whether anybody may keep what its rules find.
    """

    letter: str
    name: str
    question: str
    order: int
    runtimes: tuple[Runtime, ...] = tuple(Runtime)
    platforms: tuple[Platform, ...] = tuple(Platform)
    engine_only: bool = False
    suppressible: bool = True


def family_of(module: str, rule: str) -> Family:
    """The family of the folder that a module is in.

    Args:
        module: Full name of the module, as in ``gptoss.rules.engine.ignored``.
        rule: Identifier of a rule that is declared there.

    Raises:
        ValueError: The module is in no family's folder, or the rule has another family's letter.
    """
    folder = ".".join(module.split(".")[:3])
    family = getattr(sys.modules.get(folder), "FAMILY", None)
    if not isinstance(family, Family):
        raise ValueError(
            f"{rule} is declared in {module}, but {folder} has no FAMILY; declare one in its "
            "__init__.py, or put the rule into the folder of a family"
        )
    if not rule.startswith(family.letter):
        raise ValueError(
            f"{rule} is declared in {folder}, whose rules begin with {family.letter}; give it an "
            f"identifier such as {family.letter}{rule[1:]}, or put it into the folder of its family"
        )
    return family


def folder_of(module: str) -> Path:
    """The folder of the family that a module is in."""
    package = sys.modules[".".join(module.split(".")[:3])]
    return Path(package.__file__ or "").parent
