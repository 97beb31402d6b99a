"""A rehearsal for people and for programs."""

from __future__ import annotations

import json
import textwrap
from collections import Counter
from typing import TYPE_CHECKING, Any

from gptoss.comparing import diff
from gptoss.comparing import upgrade as upgrading
from gptoss.live.rehearsed import WORSE, percentile
from gptoss.text.as_json import json_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from gptoss.live.rehearsed import Parsed, Rehearsal, Seen, Way

WIDTH = 100
NAME = 48
COLUMNS = {"s": 6, "answered": 9, "lost": 5, "refused": 8, "wrong": 6, "TTFT p50": 9, "p99": 7}


def as_text(rehearsal: Rehearsal) -> str:
    """The rehearsal for people, at most 100 columns wide."""
    out, _ = rehearsal.ways
    lines = [f"{rehearsal.target}: from {out.start} to {out.to} and back"]
    for note in rehearsal.notes:
        lines += textwrap.wrap(note, WIDTH, initial_indent="  - ", subsequent_indent="    ")
    for way in rehearsal.ways:
        lines += ["", *_way(way)]
    lines += ["", *_known(rehearsal), "", _verdict(rehearsal)]
    return "\n".join(lines)


def _way(way: Way) -> Iterator[str]:
    total = _together(way)
    yield (
        f"From {way.start} to {way.to}: {way.seconds:.0f} s, {total['answered']} requests "
        f"answered, {total['lost']} lost, {total['refused']} refused"
    )
    yield f"  {'':{NAME}}{_row(COLUMNS)}"
    for part in way.seen:
        name = f"{part.name}{' *' if part.as_a_load else ''}"
        cells = (
            f"{part.seconds:.1f}",
            part.answered,
            part.lost.total(),
            part.refused.total(),
            part.wrong.total(),
            _number(percentile(part.ttft, 50)),
            _number(percentile(part.ttft, 99)),
        )
        yield f"  {name:{NAME}}{_row(cells)}"
        yield from _failures(part)
    times = (f"{name} {_number(p['p50'])}/{_number(p['p99'])}" for name, p in _times(way).items())
    yield f"  TTFT p50/p99 in ms: {', '.join(times)}"
    for parsed in way.parsed:
        yield from _difference(way, parsed)
    if not way.parsed:
        yield "  every question is answered in the same words on both sides"


def _row(cells: Iterable[object]) -> str:
    return "".join(f"{c!s:>{width}}" for c, width in zip(cells, COLUMNS.values(), strict=True))


def _failures(part: Seen) -> Iterator[str]:
    for what, counted in (("lost", part.lost), ("refused", part.refused)):
        for title, count in counted.most_common():
            said = part.said.get(title) or part.said.get(f"refused {title}") or "an empty body"
            yield _shortened(f"{count} {what}: {title}, {said}")


def _difference(way: Way, parsed: Parsed) -> Iterator[str]:
    yield (
        f"  {parsed.kind}: {parsed.verdict}; wrong in {parsed.before} of {parsed.wordings} "
        f"wordings on {way.start}, in {parsed.after} on {way.to}"
    )
    for label, text in ((way.start, parsed.example_before), (way.to, parsed.example_after)):
        yield _shortened(f"{label}: {text}")


def _shortened(text: str) -> str:
    return "    " + textwrap.shorten(text, WIDTH - 4, placeholder=" …")


def _known(rehearsal: Rehearsal) -> Iterator[str]:
    if rehearsal.upgrade is not None:
        yield "What is known of this way (gptoss upgrade):"
        yield upgrading.as_text(rehearsal.upgrade)
    else:
        out = rehearsal.ways[0]
        yield "What changes in force (gptoss diff):"
        yield diff.as_text((out.start, out.to), rehearsal.changes)


def _verdict(rehearsal: Rehearsal) -> str:
    out, back = rehearsal.ways
    failed = [f"{way.failed} on the way {name}" for way, name in ((out, "there"), (back, "back"))]
    worse = [parsed.kind for parsed in out.parsed if parsed.verdict == WORSE]
    if rehearsal.is_clean:
        return "nothing was lost or refused, and nothing parses worse"
    told = f"lost or refused: {', '.join(failed)}"
    if rehearsal.order != "beside" and any(way.failed for way in rehearsal.ways):
        told += " (try --order beside)"
    return f"{told}; parses worse: {', '.join(worse)}" if worse else told


def as_json(rehearsal: Rehearsal) -> str:
    """The rehearsal for programs."""
    known: dict[str, Any] = {}
    if rehearsal.upgrade is not None:
        known["upgrade"] = json.loads(upgrading.as_json(rehearsal.upgrade))
    else:
        labels = rehearsal.ways[0].start, rehearsal.ways[0].to
        known["changes"] = json.loads(diff.as_json(labels, rehearsal.changes))
    report = {
        "target": rehearsal.target,
        "order": rehearsal.order,
        "clean": rehearsal.is_clean,
        "notes": rehearsal.notes,
        "ways": [_way_as_data(way) for way in rehearsal.ways],
        **known,
    }
    return json_text(report)


def _way_as_data(way: Way) -> dict[str, Any]:
    return {
        "from": way.start,
        "to": way.to,
        "seconds": round(way.seconds, 1),
        **_together(way),
        "ttftMs": _times(way),
        "stretches": [_seen_as_data(part) for part in way.seen],
        "parsedDifferently": [
            {
                "kind": each.kind,
                "verdict": each.verdict,
                "wordings": each.wordings,
                "wrongBefore": each.before,
                "wrongAfter": each.after,
                "exampleBefore": each.example_before,
                "exampleAfter": each.example_after,
            }
            for each in way.parsed
        ],
    }


def _seen_as_data(part: Seen) -> dict[str, Any]:
    return {
        "name": part.name,
        "seconds": round(part.seconds, 1),
        "lastsAsALoad": part.as_a_load,
        "answered": part.answered,
        "lost": part.lost,
        "refused": part.refused,
        "wrong": part.wrong,
        "said": part.said,
        "ttftMs": _percentiles(part.ttft),
    }


def _together(way: Way) -> dict[str, Any]:
    """Counts of the whole way."""
    statuses: Counter[str] = Counter()
    for part in way.seen:
        statuses += part.refused
    return {
        "answered": sum(part.answered for part in way.seen),
        "lost": sum(part.lost.total() for part in way.seen),
        "refused": statuses.total(),
        "refusedBy": dict(statuses),
    }


def _times(way: Way) -> Mapping[str, Mapping[str, float | None]]:
    """TTFT before, during and after the update."""
    during = [value for part in way.during for value in part.ttft]
    parts = {"before": way.seen[0].ttft, "during": during, "after": way.seen[-1].ttft}
    return {name: _percentiles(ttft) for name, ttft in parts.items()}


def _percentiles(ttft: Sequence[float]) -> Mapping[str, float | None]:
    found = {f"p{percent}": percentile(ttft, percent) for percent in (50, 99)}
    return {name: None if value is None else round(value, 1) for name, value in found.items()}


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.0f}"
