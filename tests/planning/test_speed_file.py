"""The closed form that rules reckon with, held against the library and against predictions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from gptoss.checking.checker import run
from gptoss.facts.speeds import layout_key
from gptoss.facts.world import Facts
from gptoss.planning.loops import split_loop
from gptoss.planning.loops.closed_loop import predict
from gptoss.planning.systems import loads_of, system_of
from gptoss.rules.speed.request_rates import PREFILL_SLOWER, flow_of
from speed.__main__ import FILE
from speed.grid import ATTENDED, LAYOUTS, layouts
from speed.speed_file import entry
from tests.planning.systems import layout
from tests.planning.test_systems import found

if TYPE_CHECKING:
    from gptoss.planning.layouts import Layout
    from gptoss.planning.steps.step_times import Times

FACTS = Facts()
FURTHEST = 0.15
# None of them is one that the coefficients were fitted to.
BATCHES = (3, 24, 72, 160, 288, 640)
LENGTHS = (200, 700, 3000, 9000)


def key(of: Layout) -> str:
    return layout_key(of.gpu, of.gpus, str(of.kv), attention_dp=of.attention_dp)


LAYOUTS_BY_KEY = {key(of): of for of in layouts()}


def test_the_closed_form_knows_the_layouts_that_the_script_writes() -> None:
    assert FACTS.speeds.by_layout.keys() == LAYOUTS_BY_KEY.keys()
    assert {name.split()[0] for name in FACTS.speeds.by_layout} == LAYOUTS.keys()


@pytest.mark.parametrize("name", LAYOUTS_BY_KEY)
def test_it_is_within_15_percent_of_the_library_inside_the_measured_grid(
    name: str, times: Times
) -> None:
    of, speed = LAYOUTS_BY_KEY[name], FACTS.speeds.by_layout[name]
    asked = times.of(of)
    room = ATTENDED * of.gpus // of.ranks
    pairs = {
        f"decode {batch} x {length}": (
            speed.decode_time(batch, length),
            asked.decode(batch, length),
        )
        for batch in BATCHES
        for length in LENGTHS
        if batch * length <= room
    } | {
        f"prefill {prompts} x {isl}": (
            speed.prefill_time(prompts * isl, isl),
            asked.prefill(prompts, isl),
        )
        for prompts, isl in ((1, 1500), (1, 6000), (2, 8192), (3, 3000), (6, 700), (16, 1024))
    }
    off = {step: found / told - 1 for step, (found, told) in pairs.items()}
    assert not {step: error for step, error in off.items() if abs(error) > FURTHEST}


def test_the_file_is_what_the_script_writes(times: Times) -> None:
    text = FILE.read_text(encoding="utf-8")
    for of in (layout("gb200", "TP4"), layout("b200", "DEP8")):
        assert entry(of, times) in text


@pytest.mark.parametrize("target", ["disagg-gb200", "disagg-b200", "disagg-b200-node"])
def test_rules_and_predictions_agree_how_much_prefill_gives_and_how_long_one_waits(
    target: str, times: Times
) -> None:
    deployment = found(target)
    system = system_of(deployment)
    (load,) = loads_of(deployment)
    predicted = predict(system, load, times)
    assert deployment.benchmark is not None
    flow = flow_of(deployment, deployment.benchmark, FACTS)
    assert flow is not None
    assert split_loop.PREFILL_SLOWER == PREFILL_SLOWER
    assert flow.prompts == pytest.approx(predicted.rate, rel=FURTHEST)
    assert flow.wait == pytest.approx(predicted.ttft / 1000, rel=FURTHEST)
    assert flow.decoding == pytest.approx(predicted.decoding, rel=2 * FURTHEST)


@pytest.mark.parametrize(("target", "a_gpu"), [("agg-gb200", 2700), ("agg-b200-node-tuned", 128)])
def test_rules_and_predictions_agree_how_long_one_waits_for_a_place(
    target: str, a_gpu: int, times: Times
) -> None:
    deployment = found(target, settings=(f"workload.concurrencyPerGpu={a_gpu}",))
    (load,) = loads_of(deployment)
    predicted = predict(system_of(deployment), load, times)
    (said,) = [f.message for f in run(deployment, FACTS).findings if f.rule.id == "T003"]
    wait = re.search(r"after about (\d+) s by estimate", said)
    assert wait
    assert float(wait[1]) == pytest.approx(predicted.ttft / 1000, rel=2 * FURTHEST)
