"""Tuned siblings beside the documented targets that they are of."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import pytest

from gptoss.facts import folders
from gptoss.planning.systems import loads_of, system_of
from gptoss.rendering.target import read_target
from gptoss.sources.request import Request
from predicted.records import DOUBTED, SIBLINGS
from predicted.siblings import siblings

if TYPE_CHECKING:
    from gptoss.planning.layouts import Load, System
    from predicted.siblings import Gain, Sibling

EACH = pytest.mark.parametrize("sibling", siblings(), ids=lambda each: each.name)
PROMISES = pytest.mark.parametrize(
    ("sibling", "gain"),
    [(each, gain) for each in siblings() for gain in each.gains],
    ids=lambda each: getattr(each, "name", None),
)
CLOSE = 0.97


@cache
def read(name: str) -> tuple[System, tuple[Load, ...]]:
    deployment = read_target(Request((name,))).deployment
    return system_of(deployment), tuple(loads_of(deployment))


def test_every_tuned_target_is_the_sibling_of_a_documented_one() -> None:
    names = set(folders.target_files())
    tuned = {name for name in names if name.endswith("-tuned")}
    assert {each.name for each in siblings()} == tuned
    assert {each.of for each in siblings()} <= names - tuned


def test_nothing_is_tuned_where_the_gain_is_in_doubt() -> None:
    assert not {"agg-gb200", "serve-h100-2"} & {each.of for each in siblings()}


@EACH
def test_a_sibling_serves_the_same_traffic_on_the_same_gpus(sibling: Sibling) -> None:
    (old, before), (new, after) = read(sibling.of), read(sibling.name)
    assert (new.gpus, new.decode.layout.gpu) == (old.gpus, old.decode.layout.gpu)
    assert {(load.isl, load.osl) for load in after} == {(load.isl, load.osl) for load in before}


@PROMISES
def test_a_promise_is_of_a_load_that_the_benchmark_sends(sibling: Sibling, gain: Gain) -> None:
    for name, clients in ((sibling.name, gain.clients), (sibling.of, gain.beside)):
        assert clients in {load.clients for load in read(name)[1]}


@PROMISES
def test_a_sibling_gives_what_it_promises(sibling: Sibling, gain: Gain) -> None:
    record = SIBLINGS.read()
    old, new = record[sibling.of][f"{gain.beside}"], record[sibling.name][f"{gain.clients}"]
    assert new["per_gpu"] >= gain.at_least * old["per_gpu"]
    assert new["per_user"] >= (gain.speed or 0)
    assert new["ttft"] <= (gain.ttft or new["ttft"])


@PROMISES
def test_a_sibling_gives_what_tuning_finds(sibling: Sibling, gain: Gain) -> None:
    new = SIBLINGS.read()[sibling.name][f"{gain.clients}"]
    assert new["per_gpu"] >= CLOSE * new["tuned"]["per_gpu"]


@EACH
def test_a_sibling_is_what_its_question_finds(sibling: Sibling) -> None:
    asked = SIBLINGS.read()[sibling.name][f"{sibling.gains[-1].clients}"]
    assert f"--clients {asked['clients']} " in sibling.question
    assert asked["engines"] == asked["tuned"]["engines"]


def test_what_tuning_finds_for_128_and_1000_tokens_is_more_and_extrapolated() -> None:
    record = DOUBTED.read()
    published = record["published"]["per_gpu"]
    assert record["bfloat16"]["per_gpu"] >= 1.1 * published
    assert record["fp8"]["per_gpu"] >= 1.2 * published
    assert {each["belief"] for each in record.values()} == {"extrapolated"}
