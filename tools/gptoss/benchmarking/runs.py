"""What was measured: runs, each of points, one for every concurrency."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from gptoss.benchmarking.gpus import Gpus, per_gpu
from gptoss.benchmarking.plans import Plan

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


STATISTICS = ("mean", "p50", "p90", "p99")
MEANS = (
    "effective_concurrency",
    "duration",
    "requests_per_second",
    "tokens_per_second",
    "total_tokens_per_second",
    "tokens_per_second_per_user",
    "tokens_per_second_per_request",
    "goodput",
    "isl_client",
    "isl_server",
    "osl",
)


@dataclass(frozen=True)
class Latency:
    """Mean and percentiles over the answered requests, in milliseconds."""

    mean: float | None = None
    p50: float | None = None
    p90: float | None = None
    p99: float | None = None


@dataclass(frozen=True)
class Point:
    """What one concurrency gave.

    ``sent_as`` is what else two runs must share, by name, as in ``endpoint``: ``chat``.
    Lengths are mean tokens a request, durations seconds. ``itl`` is the mean gap between the tokens
    of a request, ``icl`` each gap between two chunks; of the rates that a user sees, ``_per_user``
    is after the first token and ``_per_request`` has the wait for it in it. ``trials`` are the
    profile runs whose means the numbers are, when there was more than one.
    """

    folder: Path
    tool: str = ""
    model: str | None = None
    endpoint: str | None = None
    concurrency: int | None = None
    effective_concurrency: float | None = None
    requests: int | None = None
    errors: int | None = None
    duration: float | None = None
    requests_per_second: float | None = None
    tokens_per_second: float | None = None
    total_tokens_per_second: float | None = None
    tokens_per_second_per_user: float | None = None
    tokens_per_second_per_request: float | None = None
    goodput: float | None = None
    ttft: Latency = Latency()
    itl: Latency = Latency()
    icl: Latency = Latency()
    e2el: Latency = Latency()
    isl_client: float | None = None
    isl_server: float | None = None
    osl: float | None = None
    osl_mismatches: int | None = None
    causes: Mapping[str, int] = field(default_factory=dict)
    cut_short: bool = False
    started: str | None = None
    sent_as: Mapping[str, str] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    gpus: Gpus = field(default_factory=Gpus)
    trials: tuple[Point, ...] = ()

    @property
    def tokens_per_second_per_gpu(self) -> float | None:
        """Output tokens a second for each GPU owned."""
        return per_gpu(self.tokens_per_second, self.gpus.owned)

    @property
    def tokens_per_second_per_decode_gpu(self) -> float | None:
        """Output tokens a second for each GPU that writes answers."""
        return per_gpu(self.tokens_per_second, self.gpus.decoding)

    @property
    def sent(self) -> int:
        """Requests that got an answer or an error, over all trials."""
        return (self.requests or 0) + (self.errors or 0)


@dataclass(frozen=True)
class Run:
    """One run: a name to tell it by, its plan as far as there is one, and its points."""

    name: str
    folder: Path
    points: tuple[Point, ...]
    plan: Plan = field(default_factory=Plan)

    @property
    def gpus(self) -> Gpus:
        """The GPUs of the deployment; none where nobody says."""
        return self.points[0].gpus if self.points else Gpus()

    @property
    def model(self) -> str | None:
        """The model asked."""
        return self.plan.model or next((p.model for p in self.points if p.model), None)

    @property
    def started(self) -> str | None:
        """When it started: UTC by plan, else as the tool wrote it."""
        return self.plan.started or next((p.started for p in self.points if p.started), None)


def together(trials: Sequence[Point]) -> Point:
    """One point of several profile runs: counts are summed, all else is the mean."""
    if len(trials) == 1:
        return trials[0]
    first = trials[0]
    means: dict[str, Any] = {name: _mean([getattr(t, name) for t in trials]) for name in MEANS}
    causes: dict[str, int] = {}
    for trial in trials:
        for cause, count in trial.causes.items():
            causes[cause] = causes.get(cause, 0) + count
    return replace(
        first,
        **means,
        requests=_total([t.requests for t in trials]),
        errors=_total([t.errors for t in trials]),
        osl_mismatches=_total([t.osl_mismatches for t in trials]),
        ttft=_latency([t.ttft for t in trials]),
        itl=_latency([t.itl for t in trials]),
        icl=_latency([t.icl for t in trials]),
        e2el=_latency([t.e2el for t in trials]),
        causes=causes,
        cut_short=any(t.cut_short for t in trials),
        trials=tuple(trials),
    )


def _latency(found: Sequence[Latency]) -> Latency:
    return Latency(*(_mean([getattr(x, p) for x in found]) for p in STATISTICS))


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _total(values: Sequence[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None
