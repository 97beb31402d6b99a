"""The systems nearest to one that give more on the same GPUs, under the same load."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from gptoss.planning.layouts import KvType
from gptoss.planning.telling.plan_words import duration, engines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from gptoss.planning.layouts import Engine, System
    from gptoss.planning.prediction import Prediction

MOST = 3
# What is worth a change, and what throughput may be given for answers that are faster.
WORTH = 1.05
GIVEN = 0.95


class Kind(StrEnum):
    """In what a neighbour differs."""

    KV = "type of the KV cache"
    SETTINGS = "batch and tokens of an iteration"
    REPLICAS = "replicas"
    SIZES = "parallel sizes"
    SERVING = "kind of serving"


@dataclass(frozen=True, slots=True)
class Neighbour:
    """Another system.

    Attributes:
        prediction: What it does under the same load.
        kind: In what it differs.
        changes: What to change, a line each.
        brings, costs: What gets better and worse, a line each.
    """

    prediction: Prediction
    kind: Kind
    changes: tuple[str, ...]
    brings: tuple[str, ...]
    costs: tuple[str, ...]


def neighbours(of: Prediction, predicted: Iterable[Prediction]) -> list[Neighbour]:
    """The three best: one of each kind that gives more or is faster, then others that give more."""
    others = [(kind, one) for one in predicted if (kind := kind_of(of.system, one.system))]
    worth, enough = WORTH * of.tokens_per_second, GIVEN * of.tokens_per_second
    more = [(k, p) for k, p in others if p.tokens_per_second >= worth]
    chosen = _best_by_kind(more, lambda one: one.tokens_per_second)
    kinds = {kind for kind, _ in chosen}
    faster = [
        (k, p)
        for k, p in others
        if k not in kinds and p.tokens_per_second >= enough and p.per_user >= WORTH * of.per_user
    ]
    chosen += _best_by_kind(faster, lambda one: one.per_user)
    for kind, one in _ranked(more, lambda one: one.tokens_per_second):
        if one.system.name not in {other.system.name for _, other in chosen}:
            chosen.append((kind, one))
    return [_neighbour(kind, of, one) for kind, one in chosen[:MOST]]


def kind_of(old: System, new: System) -> Kind | None:
    """In what two systems differ most; None where they are the same."""
    if (old.prefill is None) != (new.prefill is None):
        return Kind.SERVING
    pairs = _pairs(old, new)
    if any(_sizes(one) != _sizes(other) for one, other in pairs):
        return Kind.SIZES
    if any(one.replicas != other.replicas for one, other in pairs):
        return Kind.REPLICAS
    if any(one.layout.kv != other.layout.kv for one, other in pairs):
        return Kind.KV
    return Kind.SETTINGS if any(one != other for one, other in pairs) else None


def changes(old: System, new: System) -> tuple[str, ...]:
    """What to change, a line each."""
    if (old.prefill is None) != (new.prefill is None):
        return (f"{engines(new)} instead of {engines(old)}", *_settings(None, new.decode, "each"))
    found: list[str] = []
    for name, one, other in zip(("decode", "prefill"), *_engines(old, new), strict=True):
        if one is not None and other is not None:
            role = name if old.prefill else "each"
            if (_sizes(one), one.replicas) != (_sizes(other), other.replicas):
                found.append(f"{role}: {other} instead of {one}")
            found += _settings(one, other, role)
    return tuple(found)


def _engines(old: System, new: System) -> tuple[tuple[Engine | None, Engine | None], ...]:
    return (old.decode, old.prefill), (new.decode, new.prefill)


def _pairs(old: System, new: System) -> list[tuple[Engine, Engine]]:
    both = zip(*_engines(old, new), strict=True)
    return [(one, other) for one, other in both if one is not None and other is not None]


def _sizes(engine: Engine) -> tuple[int, bool]:
    return engine.layout.gpus, engine.layout.attention_dp


def _settings(old: Engine | None, new: Engine, role: str) -> Iterator[str]:
    """Settings of an engine that differ; all where there is nothing to compare with."""
    before = _values(old) if old else {}
    for name, value in _values(new).items():
        if name not in before:
            yield f"{role}: {name} {value}"
        elif before[name] != value:
            yield f"{role}: {name} {value} instead of {before[name]}"


def _values(engine: Engine) -> dict[str, str]:
    return {
        "max_batch_size": f"{engine.max_batch_size}",
        "max_num_tokens": f"{engine.max_num_tokens}",
        "enable_chunked_prefill": f"{engine.chunked_prefill}".lower(),
        "kv_cache_config.dtype": "fp8" if engine.layout.kv == KvType.FP8 else "auto",
    }


Pair = tuple[Kind, "Prediction"]


def _ranked(those: Iterable[Pair], gain: Callable[[Prediction], float]) -> list[Pair]:
    """The best first; among equals the lowest TTFT."""
    return sorted(those, key=lambda pair: (-gain(pair[1]), pair[1].ttft))


def _best_by_kind(those: Iterable[Pair], gain: Callable[[Prediction], float]) -> list[Pair]:
    """The best of each kind, the best of all first."""
    best: dict[Kind, Prediction] = {}
    for kind, one in _ranked(those, gain):
        best.setdefault(kind, one)
    return list(best.items())


def _neighbour(kind: Kind, of: Prediction, one: Prediction) -> Neighbour:
    compared = list(_compared(of, one))
    brings = tuple(told for better, told in compared if better)
    costs = tuple(told for better, told in compared if not better)
    return Neighbour(one, kind, changes(of.system, one.system), brings, costs)


def _compared(old: Prediction, new: Prediction) -> Iterator[tuple[bool, str]]:
    """What differs by more than a twentieth, and whether it is better."""
    rates = [
        ("tokens/s/GPU", old.per_gpu, new.per_gpu),
        ("tokens/s/user", old.per_user, new.per_user),
    ]
    for name, before, after in rates:
        if not 1 / WORTH < after / before < WORTH:
            yield after > before, f"{after:,.0f} {name} instead of {before:,.0f}"
    if not 1 / WORTH < new.ttft / old.ttft < WORTH:
        yield new.ttft < old.ttft, f"TTFT {duration(new.ttft)} instead of {duration(old.ttft)}"
