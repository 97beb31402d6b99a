"""What the engine refuses beyond single fields (schema/engine/validators.yaml)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gptoss.facts.engine_keys import Life, schema_for
from gptoss.facts.engine_types import number
from gptoss.rules.rule import Said

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from gptoss.deployment.model import Worker
    from gptoss.facts.world import Facts, Release


@dataclass(frozen=True, slots=True)
class Conflict:
    """Settings of one worker that do not fit together.

    Attributes:
        validator: Its key in schema/engine/validators.yaml.
        key: The setting to edit.
        message: What does not fit.
        hint: What to do.
        also: Other settings that take part.
    """

    validator: str
    key: str
    message: str
    hint: str
    also: tuple[str, ...] = ()


if TYPE_CHECKING:
    Check = Callable[[Worker], Iterator[Conflict]]


def refused(
    worker: Worker, release: Release, facts: Facts, checks: Iterable[Check], *, certain: bool
) -> Iterator[Said]:
    """What the version refuses: what was read in its source, or what only follows from others.

    Args:
        worker: The worker.
        release: The release whose version is asked.
        facts: Facts.
        checks: What to look for.
        certain: Whether to tell of conditions that were read in this version, or of the others.
    """
    schema = schema_for(facts, release.trtllm)
    if schema.is_exact and not certain:
        return
    verb = "refuses" if certain else "probably refuses"
    for check in checks:
        for found in check(worker):
            field = schema.field(found.key)
            exists = field is not None and schema.life(field) is not Life.ABSENT
            if exists and schema.validates(found.validator) is certain:
                yield Said(
                    worker.engine[found.key],
                    f"{found.message}, which TensorRT-LLM {schema.version} {verb}",
                    found.hint,
                    also=others(worker, found.key, found.also),
                )


def others(worker: Worker, key: str, also: Iterable[str]) -> list[tuple[Any, str]]:
    """The other settings that take part and that somebody sets elsewhere."""
    settings = [worker.engine[other] for other in also]
    at = worker.engine[key].place
    told = [setting for setting in settings if setting.is_set and setting.place != at]
    return [(setting, f"{setting.key} is {shown(setting.value)}") for setting in told]


def shown(value: object) -> str:
    """A value as YAML writes it."""
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(value)


def is_given(worker: Worker, key: str) -> bool:
    """Whether somebody sets a key to something, or a key below it."""
    return any(setting.value is not None for setting in worker.engine.under(key))


def is_on(worker: Worker, key: str) -> bool:
    """Whether a switch is on, in any of the spellings that the engine takes."""
    value = worker.engine[key].value
    return value is True or str(value).lower() in {"1", "true", "yes", "on", "t", "y"}


def amount(worker: Worker, key: str) -> float | None:
    """A number in force, also one that is written as text; None when there is none."""
    return number(worker.engine[key].value)


def amounts(worker: Worker, key: str) -> list[float]:
    """The numbers of a list in force; empty when it is no list or holds something else."""
    value = worker.engine[key].value
    numbers = [number(item) for item in value] if isinstance(value, list) else []
    return [item for item in numbers if item is not None]
