"""What is missing from judgements and record, and where the two do not agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.facts.engine_keys import Life, schema_for
from gptoss.facts.world import Facts
from sweep.cases import SURFACES, shown
from sweep.judgements import FOLDER, Judgements, value_of
from sweep.values_surface import keys

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sweep.judgements import Verdict
    from sweep.record import Entry, Record

AGAIN = "run `make sweep`"


def faults_of_sweep(record: Record) -> Iterator[str]:
    """One line for each key or value that nobody judged, or that check is wrong about."""
    for surface in SURFACES:
        judgements = Judgements.of(surface)
        yield from _not_swept(surface, record, judgements)
        for key, values in record[surface].items():
            for value, entry in values.items():
                at = f"{FOLDER}/{surface}.yaml: {key}: {value}"
                yield from (
                    f"{at}: {fault}"
                    for fault in _faults(judgements.verdict(key, value, entry.refusal), entry)
                )


def _not_swept(surface: str, record: Record, judgements: Judgements) -> Iterator[str]:
    """Keys of the schemas, and values that are judged, of which the record has nothing."""
    known = {"values": _values_keys, "engine": _engine_keys}.get(surface, list)()
    for key in (*known, *judgements.exact):
        if key not in record[surface]:
            yield f"{surface}: {key} was not tried; {AGAIN}"
    for key in judgements.exact:
        for value in judgements.keys[key]:
            if judgements.is_value(value) and shown(value_of(value)) not in record[surface].get(
                key, {}
            ):
                yield f"{surface}: {key}: {value} was not tried, or stands there anyway; {AGAIN}"


def _values_keys() -> list[str]:
    return [key for key, _ in keys()]


def _engine_keys() -> list[str]:
    facts = Facts()
    schema = schema_for(facts, facts.default_release.trtllm)
    fields = facts.engine_fields.items()
    return [key for key, field in fields if schema.life(field) is not Life.ABSENT]


def _faults(verdict: Verdict | None, entry: Entry) -> Iterator[str]:
    if verdict is None:
        yield "nobody has judged what it does; write it down"
    elif verdict.is_harmful and not verdict.is_told(entry.said) and not verdict.silent:
        yield f"{verdict.outcome}, and check is silent; write a rule, or why under `silent`"
    elif verdict.is_harmful and verdict.is_told(entry.said) and verdict.silent:
        yield f"check says {', '.join(entry.said)}; take `silent` away"
    elif not verdict.is_harmful and verdict.is_loud(entry.said) and not verdict.although:
        yield f"harmless, but check says {', '.join(entry.said)}; mend the rule, or say `although`"
