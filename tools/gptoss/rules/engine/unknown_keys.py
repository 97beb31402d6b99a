"""Does the engine know every key and value of the engine YAML?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.deployment.model import Runtime
from gptoss.facts.engine_keys import EngineSchema, Life, schema_for
from gptoss.facts.engine_types import fault, mended
from gptoss.precedence.claims import BUILD_CONFIG
from gptoss.rules.readings import written
from gptoss.rules.right_answers import claimed_value, renamed
from gptoss.rules.rule import Need, Said, Severity, rule
from gptoss.rules.subjects import WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Deployment, Worker
    from gptoss.deployment.settings import Claim
    from gptoss.facts.world import Facts, Release
    from gptoss.rules.fixes import Fix

SOURCE = (
    "NVIDIA/TensorRT-LLM tensorrt_llm/llmapi/llm_args.py, read for the versions that "
    "schema/engine/fields.yaml names; llm.py: 'LLM got invalid argument'"
)


@rule(
    "E001",
    "engine-key-unknown",
    Severity.ERROR,
    of=WORKERS,
    fixable=True,
    needs=(Need.ENGINE, Need.RELEASE),
)
def engine_key_unknown(
    worker: Worker, release: Release, deployment: Deployment, facts: Facts
) -> Iterator[Said]:
    """The engine YAML has a key that this version of TensorRT-LLM does not know.

    Unknown keys are refused, at the root and in every block: the worker stops while it starts,
    after the pod was scheduled and the image pulled.
    """
    schema = schema_for(facts, release.trtllm)
    yield from _unknown_keys(worker, deployment, schema, certain=True)


@rule(
    "E002",
    "engine-key-doubtful",
    Severity.WARNING,
    of=WORKERS,
    fixable=True,
    needs=(Need.ENGINE, Need.RELEASE),
)
def engine_key_doubtful(
    worker: Worker, release: Release, deployment: Deployment, facts: Facts
) -> Iterator[Said]:
    """The engine YAML has a key that this version of TensorRT-LLM probably does not know.

    Neither the source of this version was read in full nor that of versions on both sides of it.
    """
    schema = schema_for(facts, release.trtllm)
    yield from _unknown_keys(worker, deployment, schema, certain=False)


@rule(
    "E003",
    "engine-value-invalid",
    Severity.ERROR,
    of=WORKERS,
    fixable=True,
    needs=(Need.ENGINE, Need.RELEASE),
)
def engine_value_invalid(worker: Worker, release: Release, facts: Facts) -> Iterator[Said]:
    """A value in the engine YAML has the wrong type, case or range.

    The engine validates its arguments before it loads anything and stops at the first wrong one.
    Names of backends and policies are compared letter by letter, capitals included.
    """
    yield from _wrong_values(worker, schema_for(facts, release.trtllm), certain=True)


@rule(
    "E004",
    "engine-value-doubtful",
    Severity.WARNING,
    of=WORKERS,
    fixable=True,
    needs=(Need.ENGINE, Need.RELEASE),
)
def engine_value_doubtful(worker: Worker, release: Release, facts: Facts) -> Iterator[Said]:
    """A value in the engine YAML probably has the wrong type, case or range for this version.

    Neither the source of this version was read in full nor that of versions on both sides of it.
    """
    yield from _wrong_values(worker, schema_for(facts, release.trtllm), certain=False)


def _unknown_keys(
    worker: Worker, deployment: Deployment, schema: EngineSchema, *, certain: bool
) -> Iterator[Said]:
    serves = deployment.runtime is Runtime.SERVE
    # trtllm-serve drops build_config; E018 tells.
    taken = {*schema.facts["trtllm_serve_keys"], BUILD_CONFIG} if serves else set()
    told: set[str] = set()
    for claim, key in _written_keys(worker):
        found = schema.unknown(key)
        if found is None or found[0] in told or found[0] in taken:
            continue
        path, life = found
        told.add(path)
        undecided = life is Life.UNDECIDED and not schema.is_exact
        if (schema.is_certain(path) and not undecided) is not certain:
            continue
        verb = "is not a key" if certain and life is Life.ABSENT else "is probably not a key"
        yield Said(
            claim,
            f"{path} {verb} of the engine YAML in TensorRT-LLM {schema.version}",
            schema.suggestion(path),
            fix=renamed(claim, path, schema),
        )


def _wrong_values(worker: Worker, schema: EngineSchema, *, certain: bool) -> Iterator[Said]:
    for claim, key in _written_keys(worker):
        field = schema.field(key)
        if field is None or schema.life(field) is not Life.PRESENT:
            continue
        expected = fault(schema.reading(field), claim.value)
        if expected is None or schema.is_certain(key) is not certain:
            continue
        probably = "" if certain else " probably"
        yield Said(
            claim,
            f"{key} is {_shown(claim.value)}, but TensorRT-LLM {schema.version}"
            f"{probably} expects {expected}",
            _value_hint(schema, key, claim.value, expected),
            fix=_meant(schema, key, claim),
        )


def _meant(schema: EngineSchema, key: str, claim: Claim) -> Fix | None:
    """The value that was meant, where the engine has it in another case or under another name."""
    field = schema.field(key) or {}
    stale = schema.facts["stale_values"].get(key, {})
    meant = mended(schema.reading(field), claim.value, stale)
    certain = meant and (str(claim.value) in stale or meant.lower() == str(claim.value).lower())
    return claimed_value(claim, meant) if meant and certain else None


def _value_hint(schema: EngineSchema, key: str, value: object, expected: str) -> str:
    field = schema.field(key) or {}
    renamed = schema.facts["stale_values"].get(key, {})
    meant = mended(schema.reading(field), value, renamed)
    hint = f"write {key.rpartition('.')[2]}: {meant}" if meant else f"write {expected}"
    history = schema.value_history(field, value)
    return f"{hint} ({history})" if history else hint


def _written_keys(worker: Worker) -> Iterator[tuple[Claim, str]]:
    for setting in worker.engine:
        for claim in written(setting):
            yield claim, setting.key


def _shown(value: object) -> str:
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else repr(value)
