"""Engine settings: what is in force, with what it beats, as the release that it is for reads it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gptoss.deployment.settings import Layer
from gptoss.facts.engine_keys import Life, schema_for
from gptoss.facts.engine_types import fault, mended
from gptoss.importing.context import leaf
from gptoss.importing.document import Block, is_writable, put
from gptoss.importing.engine_values import as_read
from gptoss.precedence.dynamo import OVERRIDE
from gptoss.text.shell.resolved import is_resolved

if TYPE_CHECKING:
    from gptoss.deployment.model import Worker
    from gptoss.deployment.settings import Claim, Setting
    from gptoss.facts.engine_keys import EngineSchema
    from gptoss.importing.context import Context

# Told by values of their own.
ELSEWHERE = ("model", "revision")
# Flags and variables that set engine settings among other things: they stay what they are.
MORE_THAN_ENGINE = ("--connector", "DYN_CONNECTOR")
PUBLISHING = "publish-"


def engine(worker: Worker, context: Context) -> Block:
    """The ``engine`` of a worker: every setting that somebody sets, in force.

    A setting that a stronger one beats, a key or value that the release does not know, and one that
    Helm cannot carry are left out and noted.
    """
    if not worker.engine_known:
        _note_unknown(worker, context)
    found: Block = {}
    schema = schema_for(context.facts, context.release.trtllm)
    for setting in worker.engine:
        _note_losers(worker, setting, context)
        claim = setting.winner
        if claim is None or setting.key in ELSEWHERE or _is_flags(claim):
            continue
        value, fits = _carried(worker, setting.key, claim, schema, context)
        if fits:
            spelling = "" if claim.layer is Layer.ENGINE else claim.spelling
            put(found, setting.key, leaf(value, claim.place, spelling))
    return found


def _note_unknown(worker: Worker, context: Context) -> None:
    """Notes engine settings of which nothing is known."""
    file, override = worker.engine_file, worker.arguments[OVERRIDE].located
    if file and worker.arguments.complete:
        context.left_out(
            f"{worker.name}: the engine YAML {file.value} is not among what was given; give its "
            "ConfigMap or file along, or write its settings under engine",
            file.place,
        )
    elif not worker.arguments.complete:
        told = "only a shell knows all words of its command; write what they set under engine"
        context.left_out(f"{worker.name}: {told}", worker.command.place)
    if override and not is_resolved(override.value):
        told = f"{OVERRIDE} {override.value} is left to a shell; write what it sets under engine"
        context.left_out(f"{worker.name}: {told}", override.place)


def _is_flags(claim: Claim) -> bool:
    """Whether the flag or variable that sets it is carried over itself."""
    name = claim.spelling.removeprefix("--no-").removeprefix("--")
    return claim.spelling in MORE_THAN_ENGINE or name.startswith(PUBLISHING)


def _note_losers(worker: Worker, setting: Setting, context: Context) -> None:
    winner = setting.winner
    for claim in setting.beaten:
        if winner and claim.value != winner.value:
            context.left_out(
                f"{worker.name}: {claim.spelling} {claim.value} is not in force; "
                f"{setting.key} is {winner.value} ({winner.place.file}:{winner.place.line})",
                claim.place,
            )
    for claim in setting.lost:
        context.left_out(
            f"{worker.name}: {claim.spelling} {claim.value} is not in force; another setting "
            "replaces its whole block",
            claim.place,
        )


def _carried(
    worker: Worker, key: str, claim: Claim, schema: EngineSchema, context: Context
) -> tuple[Any, bool]:
    """The value to write, and whether it can be written."""
    release = f"TensorRT-LLM {schema.version}"
    if isinstance(claim.value, str) and not is_resolved(claim.value):
        told = f"{worker.name}: {key} is {claim.value}, which is left to a shell; write it"
        context.left_out(told, claim.place)
        return None, False
    if gone := _gone(key, schema):
        context.left_out(
            f"{worker.name}: {release} has no {gone}; {schema.suggestion(gone)}", claim.place
        )
        return None, False
    if not is_writable(claim.value):
        told = f"{worker.name}: {key} is {claim.value}, which values cannot carry"
        context.left_out(told, claim.place)
        return None, False
    field = schema.field(key)
    reading = schema.reading(field) if field else {}
    expected = fault(reading, claim.value) if field else None
    if expected is None and isinstance(claim.value, dict):
        return _carried_block(worker, key, claim, schema, context), True
    if expected is None:
        # null is the same as nothing where the engine would not take it.
        is_nothing = claim.value is None and bool(reading) and not reading.get("nullable")
        return as_read(reading, claim.value), not is_nothing
    meant = mended(reading, claim.value, schema.facts["stale_values"].get(key, {}))
    if meant is not None and meant.lower() == str(claim.value).lower():
        told = f"{worker.name}: {key} is {claim.value}; {release} knows it as {meant}"
        context.mended(told, claim.place)
        return meant, True
    told = f"{worker.name}: {key} is {claim.value}, but {release} expects {expected}"
    context.left_out(told, claim.place)
    return None, False


def _carried_block(
    worker: Worker, key: str, claim: Claim, schema: EngineSchema, context: Context
) -> dict[str, Any]:
    """A block with free keys: those that are known have their types all the same."""
    found = {}
    for name, value in claim.value.items():
        inner, fits = value, True
        if schema.field(f"{key}.{name}"):
            part = replace(claim, value=value)
            inner, fits = _carried(worker, f"{key}.{name}", part, schema, context)
        if fits:
            found[name] = inner
    return found


def _gone(key: str, schema: EngineSchema) -> str | None:
    """The part of a key that this version is known not to have."""
    unknown = schema.unknown(key)
    if unknown is None or unknown[1] is not Life.ABSENT:
        return None
    path = unknown[0]
    is_news = schema.may_have_more and schema.field(path) is None
    return None if is_news and path not in schema.facts["stale_keys"] else path
