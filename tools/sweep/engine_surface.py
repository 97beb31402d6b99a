"""Every key of the engine YAML of the default release."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

from gptoss.facts.engine_keys import Life, schema_for
from gptoss.facts.engine_types import fault
from gptoss.text import plain_yaml
from sweep.bases import FACTS, base_of, documents, dumped, said_to, with_document
from sweep.cases import Absent, Case
from sweep.nodes import node_at, put
from sweep.plausible import distinct, of_field

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sweep.bases import Base, Said
    from sweep.judgements import Judgements

SURFACE = "engine"


def engine_cases(judgements: Judgements) -> Iterator[Case]:
    """Each key with each value that is to be tried."""
    schema = schema_for(FACTS, FACTS.default_release.trtllm)
    for key, facts in FACTS.engine_fields.items():
        life = schema.life(facts)
        if life is Life.ABSENT:
            continue
        field = schema.reading(facts)
        unread = life is Life.UNDECIDED and key not in judgements.keys
        current = _current(key, base_of(key, judgements.content["bases"]), field)
        tried = [] if judgements.only_listed(key) else [*of_field(field)]
        tried = distinct(iter([*tried, *judgements.values(key)]), current)
        if _is_set(key, base_of(key, judgements.content["bases"])) and not field.get("required"):
            tried.append(Absent)
        for value in tried[:1] if unread else tried:
            refusal = _refusal(field, value, unread)
            # Of a block that was not read in full nobody knows which types it takes.
            if unread or not refusal or not _is_open(key):
                yield Case(SURFACE, key, value, refusal)


def said_to_engine(case: Case, judgements: Judgements) -> Said:
    """What check says to a value."""
    base = base_of(case.key, judgements.content["bases"])
    number, config = _config(base)
    changed = deepcopy(config)
    engine = _engine(base)
    put(engine, case.key, case.value)
    changed["data"][f"{base.part}.yaml"] = dumped(engine)
    return said_to(with_document(base.target, number, changed), base.target)


def _refusal(field: dict[str, Any], value: Any, unread: bool) -> str:
    if unread:
        return "nobody has read whether this release has the key"
    if value is Absent:
        return ""
    expected = fault(field, value)
    return f"the engine takes {expected}" if expected else ""


def _is_open(key: str) -> bool:
    block = FACTS.engine_fields.get(key.rpartition(".")[0], {})
    return bool(block.get("open"))


def _config(base: Base) -> tuple[int, Any]:
    """The ConfigMap with the engine YAML of a worker, and its number among the documents."""
    return next(
        (number, document)
        for number, document in enumerate(documents(base.target))
        if document["kind"] == "ConfigMap" and f"{base.part}.yaml" in document["data"]
    )


def _engine(base: Base) -> dict[str, Any]:
    engine: dict[str, Any] = plain_yaml.load(_config(base)[1]["data"][f"{base.part}.yaml"])
    for key, value in base.settings.items():
        put(engine, key, value)
    return engine


def _is_set(key: str, base: Base) -> bool:
    return node_at(_engine(base), key) is not Absent


def _current(key: str, base: Base, field: dict[str, Any]) -> Any:
    found = node_at(_engine(base), key)
    return field.get("default", Absent) if found is Absent else found
