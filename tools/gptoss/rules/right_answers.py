"""The one right answer where a rule knows it."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from gptoss.deployment.settings import Layer
from gptoss.facts.engine_keys import Life
from gptoss.rules.fixes import (
    Fix,
    add_flag,
    append,
    move_key,
    remove_flag,
    remove_key,
    remove_variable,
    rename_key,
    set_flag,
    set_value,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gptoss.command_lines.arguments import InForce
    from gptoss.deployment.model import Component, Worker
    from gptoss.deployment.settings import Claim
    from gptoss.facts.engine_keys import EngineSchema
    from gptoss.rules.fixes import Scalar

# So close that it can only be a slip of the keyboard.
MISSPELT = 0.88


def engine_value(worker: Worker, key: str, value: Scalar) -> Fix | None:
    """Sets an engine setting in the engine YAML, or adds it there when nobody sets it."""
    winner = worker.engine[key].winner
    if winner is not None:
        return claimed_value(winner, value)
    if not worker.engine_known or worker.engine_file is None:
        return None
    return append(worker.engine.home, key, value)


def claimed_value(claim: Claim, value: Scalar) -> Fix | None:
    """Sets a value that stands in the engine YAML."""
    if claim.layer is not Layer.ENGINE:
        return None
    return set_value(claim.place, claim.spelling.rpartition(".")[2], value)


def without_engine_key(claim: Claim | None) -> Fix | None:
    """Removes a key of the engine YAML."""
    if claim is None or claim.layer is not Layer.ENGINE:
        return None
    return remove_key(claim.place, claim.spelling.rpartition(".")[2])


def without_claim(claim: Claim) -> Fix | None:
    """Removes a flag or variable that sets an engine setting."""
    if claim.layer is Layer.FLAG:
        return remove_flag(claim.place, claim.spelling)
    return (
        remove_variable(claim.place, claim.spelling) if claim.layer is Layer.ENVIRONMENT else None
    )


def given_value(found: InForce, value: str) -> Fix | None:
    """Sets a flag where the command line gives it."""
    if not found.given:
        return None
    return set_flag(found.given[-1].at.place, found.given[-1].spelling, value)


def renamed(claim: Claim, path: str, schema: EngineSchema) -> Fix | None:
    """Gives a key of the engine YAML the name that it has in a version, when it has one there.

    Args:
        claim: Where the engine YAML sets it.
        path: The part of its dotted path that is no key.
        schema: The version.
    """
    if claim.layer is not Layer.ENGINE or path != claim.spelling:
        return None
    new, inverted = _new_name(path, schema)
    if new is None or not schema.has(new):
        return None
    value = claim.value
    if inverted:
        if not isinstance(value, bool):
            return None
        value = not value
    block, _, name = path.rpartition(".")
    new_block, _, new_name = new.rpartition(".")
    if block == new_block:
        if inverted:
            return move_key(claim.place, name, new_name, value)
        return rename_key(claim.place, name, new_name)
    if block or not isinstance(value, str | int | float | bool):
        return None
    return move_key(claim.place, name, new, value)


def _new_name(path: str, schema: EngineSchema) -> tuple[str | None, bool]:
    """What a key is called in a version, and whether its value is the opposite there."""
    stale = schema.facts["stale_keys"].get(path)
    if stale is not None:
        use = stale.get("use")
        return (use if isinstance(use, str) else None), bool(stale.get("inverted"))
    field = schema.field(path)
    if field is not None:
        names = [field.get("renamed_to"), field.get("renamed_from")]
        return next((name for name in names if name and schema.has(name)), None), False
    block, _, name = path.rpartition(".")
    spelled = name.replace("-", "_").lower()
    siblings = [
        known.rpartition(".")[2]
        for known, facts in schema.facts["fields"].items()
        if known.rpartition(".")[0] == block and schema.life(facts) is Life.PRESENT
    ]
    close = get_close_matches(spelled, siblings, n=2, cutoff=MISSPELT)
    found = spelled if spelled in siblings else close[0] if len(close) == 1 else None
    return (f"{block}.{found}" if block and found else found), False


def component_key(component: Component, path: str, value: Scalar) -> Fix:
    """Adds a key to a component of the graph."""
    return append(component.place, path, value, under=component.name)


def more_flags(worker: Worker, flags: Iterable[str]) -> Fix:
    """Adds flags, each with its value behind a space, at the end of a worker's command."""
    pairs = [flag.partition(" ") for flag in flags]
    added = [add_flag(worker.command.place, flag, value) for flag, _, value in pairs]
    return Fix(tuple(edit for fix in added for edit in fix.edits))
