"""What ``gptoss plan`` prints of predictions: at most 100 columns."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from gptoss.drawing.pareto_text import as_lines
from gptoss.planning.prediction import Belief
from gptoss.planning.telling.plan_chart import chart_of, legend, pictured
from gptoss.planning.telling.plan_words import (
    amount,
    duration,
    engines,
    gpus,
    kv_types,
    short,
    told_bottleneck,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gptoss.drawing.pareto_text import Paint
    from gptoss.planning.prediction import Prediction
    from gptoss.planning.telling.planned import Planned

WIDTH = 100
HEAD = (
    "clients",
    "tok/s/GPU",
    "tok/s/user",
    "TTFT",
    "ITL",
    "decode",
    "queued",
    "bottleneck",
    "believed",
)
WORDS = len(HEAD) - 2
LABEL = 15


def speed_lines(predictions: Sequence[Prediction]) -> Iterator[str]:
    """The predictions of one deployment under the loads of one traffic."""
    first, last = predictions[0], predictions[-1]
    load, system = first.load, first.system
    clients = f"{load.clients:,} clients, " if first is last else ""
    yield f"Speed: {clients}{load.isl:,} tokens in, {load.osl:,} out"
    yield f"  {engines(system)} on {gpus(system)}, KV cache in {kv_types(system)}"
    yield from _indented(_one(first) if first is last else _table(predictions))
    at = "bottleneck" if first is last else f"at {last.load.clients:,}"
    yield from _indented(_labelled(at, told_bottleneck(last)))
    yield from _believed(predictions)


def compared_lines(every: Sequence[Planned]) -> Iterator[str]:
    """Several deployments side by side, a line a load.

    Each has its number among all of them, as in the table of memory.
    """
    numbered = list(enumerate(every, 1))
    yield "Side by side"
    for number, each in numbered:
        told = f"{short(each.deployment.source)}: {_system(each)}"
        yield from _indented(_labelled(f"{number}", told, 3))
    known = [(number, each) for number, each in numbered if each.predictions]
    if not known:
        return
    yield ""
    every_row = [(number, one) for number, each in known for one in each.predictions]
    numbers = ["", *(f"{number}" for number, _ in every_row)]
    lines = _table([one for _, one in every_row])
    yield from (f"  {n:>1}  {line}" for n, line in zip(numbers, lines, strict=True))
    yield ""
    for number, each in known:
        told = told_bottleneck(each.predictions[-1])
        yield from _indented(_labelled(f"{number}", told, 3))
    by_reason: dict[str, list[str]] = {}
    for number, each in known:
        reasons = (reason for one in each.predictions for reason in one.judged.reasons)
        for reason in dict.fromkeys(reasons):
            by_reason.setdefault(reason, []).append(f"{number}")
    if by_reason:
        yield "  How far to believe it"
    for reason, those in by_reason.items():
        yield from _item(f"{', '.join(those)}: {reason}")


def _system(each: Planned) -> str:
    """What a deployment is, where anything is predicted of it."""
    if not each.predictions:
        return "not predicted"
    system = each.predictions[0].system
    return f"{engines(system)} on {gpus(system)}, KV cache in {kv_types(system)}"


def could_do_lines(every: Sequence[Planned], paint: Paint) -> Iterator[str]:
    """What the same GPUs could do: the chart, and the neighbours of a deployment alone."""
    first = every[0]
    load, (predicted, systems) = first.predictions[-1].load, first.searched
    all_of = "all" if predicted == systems else f"{predicted:,} of"
    yield (
        f"What {gpus(first.predictions[0].system)} could do with {load.isl:,} tokens in and "
        f"{load.osl:,} out ({all_of} {systems:,} systems predicted)"
    )
    if max(one.judged.belief for one in first.front) is Belief.UNRELIABLE:
        yield "Unreliable, every point of it: do not choose by this."
    those = [pictured(each) for each in every]
    yield ""
    yield from as_lines(chart_of(those), paint)
    yield from _labelled("", legend(those), 0)
    if len(every) == 1:
        yield ""
        yield from _neighbours(first)


def _neighbours(each: Planned) -> Iterator[str]:
    """What changes, what it brings, what it costs."""
    clients = each.predictions[-1].load.clients
    if not each.neighbours:
        yield f"No neighbour is better with {clients:,} clients"
        return
    yield f"Better neighbours with {clients:,} clients"
    for number, near in enumerate(each.neighbours, 1):
        change, *changes = near.changes
        yield from _indented(_labelled(f"{number}", change, 3))
        yield from (f"     {line}" for line in changes)
        believed = (near.prediction.judged.belief.told,)
        told = {"brings": near.brings, "costs": near.costs or ("nothing",), "believed": believed}
        for label, lines in told.items():
            yield from _labelled(f"     {label}", "; ".join(lines))


def _table(predictions: Iterable[Prediction]) -> list[str]:
    """A load a line."""
    return _aligned([HEAD, *map(_row, predictions)])


def _one(prediction: Prediction) -> list[str]:
    """One load, an amount a line with what explains it."""
    load, count = prediction.load, gpus(prediction.system)
    whole = duration(prediction.ttft + prediction.itl * (load.osl - 1))
    total, rate = amount(prediction.tokens_per_second), amount(prediction.rate)
    explained = {
        "tokens/s/GPU": f"{total} output tokens/s on {count}, {rate} requests/s",
        "tokens/s/user": f"{duration(prediction.itl)} between tokens; an answer takes {whole}",
        "TTFT": f"{duration(prediction.wait)} of it in a queue",
        "in decode": f"of {load.clients:,} requests; {round(prediction.prefilling):,} in prefill, "
        f"{round(prediction.queued):,} in a queue",
    }
    amounts = (
        amount(prediction.per_gpu),
        amount(prediction.per_user),
        duration(prediction.ttft),
        f"{round(prediction.decoding):,}",
    )
    width = max(map(len, amounts)) + 2
    pairs = zip(explained, amounts, strict=True)
    return [f"{name:<{LABEL}}{told:<{width}}{explained[name]}" for name, told in pairs]


def _row(prediction: Prediction) -> tuple[str, ...]:
    return (
        f"{prediction.load.clients:,}",
        amount(prediction.per_gpu),
        amount(prediction.per_user),
        duration(prediction.ttft),
        duration(prediction.itl),
        f"{round(prediction.decoding):,}",
        f"{round(prediction.queued):,}",
        str(prediction.bottleneck),
        prediction.judged.belief.told,
    )


def _believed(predictions: Sequence[Prediction]) -> Iterator[str]:
    """How far loads may be believed; of those alike the last one gives its reasons."""
    alike: dict[str, list[Prediction]] = {}
    for each in predictions:
        alike.setdefault(each.judged.belief.told, []).append(each)
    for told, those in alike.items():
        clients = ", ".join(f"{each.load.clients:,}" for each in those)
        whom = f" ({clients} clients)" if len(alike) > 1 else ""
        yield from _indented(_labelled("believed", f"{told}{whom}"))
        for reason in those[-1].judged.reasons:
            yield from _item(reason)


def _labelled(label: str, text: str, width: int = LABEL) -> list[str]:
    """A label with a sentence beside it, over as many lines as it takes."""
    return textwrap.wrap(f"{label:<{width}}{text}", WIDTH - 2, subsequent_indent=" " * width)


def _item(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent="  - ", subsequent_indent="    ")


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows in columns, numbers to the right and words to the left."""
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if n < WORDS else cell.ljust(width)
            for n, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ).rstrip()
        for cells in rows
    ]


def _indented(lines: Iterable[str]) -> Iterator[str]:
    return (f"  {line}".rstrip() for line in lines)
