"""What the GPUs of documented targets could do, with their tuned siblings: what pictures show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gptoss.facts.world import Facts
from gptoss.planning.loops.closed_loop import predict
from gptoss.planning.prediction import Belief
from gptoss.planning.searching.could_do import could_do
from gptoss.planning.telling.plan_chart import Charted, Pictured, charted
from gptoss.planning.telling.plan_words import gpus
from predicted.siblings import loaded, served, siblings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from gptoss.planning.prediction import Prediction
    from gptoss.planning.steps.step_times import Times

PLACES = 4
# Points of a front whose speeds differ by less than this are one in a picture.
APART = 1.03
BELIEFS = {belief.told: belief for belief in Belief}


def families() -> dict[str, tuple[str, ...]]:
    """Documented targets with siblings, each with all of its family."""
    found: dict[str, tuple[str, ...]] = {}
    for sibling in siblings():
        found[sibling.of] = (*found.get(sibling.of, (sibling.of,)), sibling.name)
    return found


def fronts(times: Times) -> dict[str, Any]:
    """The front of each family, and the predictions of its targets, by the documented target.

    Raises:
        InputError: A prediction fails.
    """
    return {name: _family(names, times) for name, names in families().items()}


def _family(names: Iterable[str], times: Times) -> dict[str, Any]:
    predicted = {name: list(_predictions(name, times)) for name in names}
    every = [one for ones in predicted.values() for one in ones]
    found = could_do(every, served(), Facts(), times)
    return {
        "gpus": gpus(every[0].system),
        "targets": {name: _recorded(ones) for name, ones in predicted.items()},
        "front": _recorded(_thinned(found.front)) if found else {},
    }


def _predictions(name: str, times: Times) -> Iterator[Prediction]:
    """A target under each of its loads."""
    system, loads = loaded(name)
    return (predict(system, load, times) for load in loads)


def _thinned(front: Iterable[Prediction]) -> Iterator[Prediction]:
    """A front without points that are as one in a picture."""
    last = None
    for one in front:
        if last is None or last / one.per_user >= APART:
            last = one.per_user
            yield one


def _recorded(those: Iterable[Prediction]) -> dict[str, Any]:
    """Predictions as they are recorded, by their numbers."""
    return {str(number): _point(charted(one)) for number, one in enumerate(those, 1)}


def _point(one: Charted) -> dict[str, Any]:
    return {
        "engines": one.engines,
        "clients": one.clients,
        "per_user": round(one.per_user, PLACES),
        "per_gpu": round(one.per_gpu, PLACES),
        "ttft": round(one.ttft, PLACES),
        "belief": one.belief.told,
    }


def pictured(family: Mapping[str, Any]) -> list[Pictured]:
    """The targets of a family as they were recorded, for the chart."""
    front = _read(family["front"])
    return [
        Pictured(name, family["gpus"], _read(points), front)
        for name, points in family["targets"].items()
    ]


def _read(points: Mapping[str, Mapping[str, Any]]) -> tuple[Charted, ...]:
    return tuple(Charted(**{**one, "belief": BELIEFS[one["belief"]]}) for one in points.values())
