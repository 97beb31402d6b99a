"""What clients saw of an update: told from what their requests came to, and when."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gptoss.live.clients import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gptoss.comparing.differences import Difference
    from gptoss.comparing.upgrade import Upgrade
    from gptoss.live.clients import Outcome
    from gptoss.live.completions import Answer
    from gptoss.live.rollover import Stretch

BETTER, WORSE, OTHER = "better", "worse", "different"
RIGHT = "right"


@dataclass(frozen=True, slots=True)
class Seen:
    """What clients saw during a part of an update.

    Attributes:
        name: What was going on.
        seconds: For how long.
        as_a_load: Whether it lasts, on GPUs, as long as a worker loads its model.
        answered: Requests that were answered whole.
        lost: Answers that were begun or taken on and never came to their end, by how they ended.
        refused: Requests that were not taken, by status, or because nobody listened.
        said: What the server said with each of these, once each.
        wrong: Whole answers that are not what the model wrote, by kind of question.
        ttft: Milliseconds to the first token of each stream.
    """

    name: str
    seconds: float
    as_a_load: bool
    answered: int
    lost: Counter[str]
    refused: Counter[str]
    said: dict[str, str]
    wrong: Counter[str]
    ttft: tuple[float, ...] = field(repr=False)

    @property
    def failed(self) -> int:
        """Requests that a client has nothing of."""
        return self.lost.total() + self.refused.total()


@dataclass(frozen=True, slots=True)
class Parsed:
    """A kind of question that the two sides answer in different ways.

    Attributes:
        kind: What was asked.
        wordings: In how many wordings it was asked on both sides.
        before, after: In how many of them the answer was wrong.
        example_before, example_after: What was wrong, once, or ``right``; answers that differ where
            neither is wrong.
    """

    kind: str
    wordings: int
    before: int
    after: int
    example_before: str
    example_after: str

    @property
    def verdict(self) -> str:
        """``better``, ``worse`` or ``different``."""
        if self.before == self.after:
            return OTHER
        return BETTER if self.after < self.before else WORSE


@dataclass(frozen=True, slots=True)
class Way:
    """An update from one side to the other.

    Attributes:
        start, to: What it is called on either side.
        seen: What clients saw, in order; the first part is before the update, the last after it.
        parsed: Kinds of questions that are answered in different ways.
    """

    start: str
    to: str
    seen: tuple[Seen, ...]
    parsed: tuple[Parsed, ...]

    @property
    def during(self) -> tuple[Seen, ...]:
        """The update itself."""
        return self.seen[1:-1]

    @property
    def seconds(self) -> float:
        """How long it took."""
        return sum(part.seconds for part in self.during)

    @property
    def failed(self) -> int:
        """Requests that clients have nothing of."""
        return sum(part.failed for part in self.seen)


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """An update and the way back.

    Attributes:
        target: What is updated.
        order: How; one of ``rollover.ORDERS``.
        ways: The way there and the way back.
        notes: What is played, and what is known of the order.
        upgrade: What ``upgrade`` says of the release; None where only a file changes.
        changes: Settings in force that the file changes.
    """

    target: str
    order: str
    ways: tuple[Way, Way]
    notes: tuple[str, ...]
    upgrade: Upgrade | None = None
    changes: tuple[Difference, ...] = ()

    @property
    def is_clean(self) -> bool:
        """Whether nothing was lost or refused either way, and nothing parses worse there."""
        worse = any(each.verdict == WORSE for each in self.ways[0].parsed)
        return not worse and not any(way.failed for way in self.ways)


def way(start: str, to: str, stretches: Sequence[Stretch], outcomes: Iterable[Outcome]) -> Way:
    """What was seen of an update.

    Args:
        start: What it is called before.
        to: What it is called after.
        stretches: What went on, in order; the first is before the update, the last after it.
        outcomes: What requests came to; each belongs to the stretch in which it ended.
    """
    parts: list[list[Outcome]] = [[] for _ in stretches]
    for outcome in outcomes:
        for stretch, part in zip(stretches, parts, strict=True):
            if stretch.began <= outcome.ended < stretch.ended:
                part.append(outcome)
    seen = tuple(_seen(s, part) for s, part in zip(stretches, parts, strict=True))
    return Way(start, to, seen, tuple(_parsed(parts[0], parts[-1])))


def percentile(values: Sequence[float], percent: float) -> float | None:
    """The value that so many percent do not exceed; None of none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))] if ordered else None


def _seen(stretch: Stretch, outcomes: Sequence[Outcome]) -> Seen:
    lost: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    said: dict[str, str] = {}
    for outcome in outcomes:
        if outcome.answer is not None:
            wrong[outcome.question.kind] += outcome.question.wrong(outcome.answer) is not None
        elif outcome.is_lost:
            lost[outcome.title] += 1
        else:
            refused[str(outcome.status or outcome.title)] += 1
        if outcome.kind is not Kind.OK:
            said.setdefault(outcome.title, outcome.detail)
    return Seen(
        stretch.name,
        stretch.ended - stretch.began,
        stretch.as_a_load,
        sum(outcome.kind is Kind.OK for outcome in outcomes),
        lost,
        refused,
        said,
        +wrong,
        tuple(o.first * 1000 for o in outcomes if o.first is not None and o.kind is Kind.OK),
    )


def _parsed(before: Iterable[Outcome], after: Iterable[Outcome]) -> Iterable[Parsed]:
    """Kinds of questions whose answers differ; the last answer to each wording counts."""
    left = {o.question.name: o for o in before if o.answer}
    right = {o.question.name: o for o in after if o.answer}
    kinds = dict.fromkeys(left[name].question.kind for name in left if name in right)
    for kind in kinds:
        names = [n for n, o in left.items() if o.question.kind == kind and n in right]
        wrong = [(_wrong(left[name]), _wrong(right[name])) for name in names]
        differs = [name for name in names if left[name].answer != right[name].answer]
        ones, others = [o for o, _ in wrong if o], [o for _, o in wrong if o]
        if not differs:
            continue
        shown = RIGHT, RIGHT
        if not ones and not others:
            shown = _apart(left[differs[0]].answer, right[differs[0]].answer)
        yield Parsed(
            kind,
            len(names),
            len(ones),
            len(others),
            ones[0] if ones else shown[0],
            others[0] if others else shown[1],
        )


def _apart(left: Answer | None, right: Answer | None) -> tuple[str, str]:
    """The first part of two answers that is not the same."""
    for name in ("content", "reasoning", "calls", "finish"):
        one, other = getattr(left, name), getattr(right, name)
        if one != other:
            return f"{name} {one!r}", f"{name} {other!r}"
    return "", ""


def _wrong(outcome: Outcome) -> str | None:
    return outcome.question.wrong(outcome.answer) if outcome.answer else None
