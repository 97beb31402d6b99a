"""Whether two runs measured the same traffic in the same way; what is served may differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gptoss.benchmarking.runs import Run

# What has a client wait for several tokens at once.
WRITERS = ("decode", "aggregated")


def not_comparable(run: Run, other: Run) -> str | None:
    """Why a run's numbers cannot be held against another's, in one line; None when they can.

    Only what is known of both is compared.
    """
    mine, its = dict(_traffic(run)), dict(_traffic(other))
    unlike = [what for what in mine if what in its and mine[what] != its[what]]
    if not unlike:
        return None
    told = "; ".join(f"{what} {mine[what]}, there {its[what]}" for what in unlike)
    return f"not comparable with {other.name}: {told}"


def _traffic(run: Run) -> Iterator[tuple[str, str]]:
    """What was sent and how it was counted, as far as it is known."""
    points = run.points
    found: list[tuple[str, list[str | None]]] = [
        ("model", [run.model]),
        ("tool", [p.tool for p in points]),
        ("engine", ["simulated" if run.plan.simulated else "real"]),
        ("ISL", [_rounded(p.isl_client) for p in points]),
        ("OSL", [_rounded(p.osl) for p in points]),
        ("scale", [f"{run.plan.scale:g}"]),
        ("stream_interval", [_interval(run)]),
    ]
    names = dict.fromkeys(name for p in points for name in p.sent_as)
    found += [(name, [p.sent_as.get(name) for p in points]) for name in names]
    for what, values in found:
        if text := _listed(values):
            yield what, text


def _listed(values: Iterable[str | None]) -> str:
    return ", ".join(sorted({value for value in values if value}))


def _interval(run: Run) -> str | None:
    """Tokens a chunk where the plan says it: TTFT and ITL contain it."""
    said = [run.plan.stream_interval.get(role) for role in WRITERS]
    return str(max(each or 1 for each in said)) if any(said) else None


def _rounded(length: float | None) -> str | None:
    """A length to two digits: prompts of one length differ by a token or two."""
    return f"{float(f'{length:.2g}'):g}" if length else None
