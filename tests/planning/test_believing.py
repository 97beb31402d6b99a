"""Every extrapolation is named, and what was measured is known."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gptoss.planning.layouts import KvType, Load, System
from gptoss.planning.loops.believing import judged
from gptoss.planning.loops.published import measured_sets
from gptoss.planning.prediction import Belief
from tests.planning.systems import aggregated, engine, layout, split

SHORT = Load(64, 1024, 1024)


def cut(gpu: str, name: str, backend: str = "TRTLLM") -> System:
    """Experts cut over the GPUs, as most published points have them."""
    of = replace(layout(gpu, name), moe_ep=1)
    return System("cut", replace(engine(gpu, name), layout=of, moe_backend=backend))


@pytest.mark.parametrize(
    ("system", "load", "belief", "reason"),
    [
        (aggregated("h100", "TP2"), SHORT, Belief.UNRELIABLE, "H100"),
        (aggregated("gb200", "TP1"), SHORT, Belief.WITHIN, ""),
        (aggregated("gb200", "TP1"), Load(8, 20000, 100), Belief.EXTRAPOLATED, "16,384"),
        (aggregated("gb200", "TP1"), Load(1, 40000, 100), Belief.EXTRAPOLATED, "up to 32,768"),
        (aggregated("gb200", "TP1"), Load(128, 8192, 1024), Belief.EXTRAPOLATED, "up to 2,048"),
        (aggregated("gb200", "DEP2"), Load(256, 2048, 1024), Belief.EXTRAPOLATED, "128 answers of"),
        (aggregated("gb200", "TP4"), Load(128, 2048, 1024), Belief.WITHIN, ""),
        (aggregated("gb200", "DEP4"), Load(2048, 100, 50), Belief.WITHIN, "512 answers a rank"),
        (aggregated("gb200", "TP1", batch=2000), Load(1500, 8, 8), Belief.EXTRAPOLATED, "1,024"),
        (cut("gb200", "TP4"), SHORT, Belief.EXTRAPOLATED, "spread ones stand in"),
        (cut("gb200", "TP1", "CUTLASS"), SHORT, Belief.EXTRAPOLATED, "are CUTLASS; TRTLLM was"),
        (aggregated("b200", "TP4"), Load(64, 4096, 1024), Belief.EXTRAPOLATED, "four B200"),
        (aggregated("b200", "DEP4"), Load(1536, 128, 128), Belief.EXTRAPOLATED, "four B200"),
        (aggregated("b200", "DEP8"), Load(1536, 128, 128), Belief.WITHIN, ""),
    ],
)
def test_a_doubt_is_named(system: System, load: Load, belief: Belief, reason: str) -> None:
    found = judged(system, load)
    assert found.belief is belief
    assert reason in "; ".join(found.reasons)
    assert bool(found.reasons) == bool(reason)


def test_an_engine_that_only_answers_is_not_doubted_for_prompts() -> None:
    system, load = split("b200", (4, "TP1"), (1, "TP4")), Load(40, 4096, 1024)
    assert not any("four B200" in reason for reason in judged(system, load).reasons)
    of_prompts = split("b200", (1, "TP4"), (4, "TP1"))
    assert any("four B200" in reason for reason in judged(of_prompts, load).reasons)


def test_another_tensorrt_llm_is_named_and_takes_nothing_away() -> None:
    of = replace(aggregated("gb200", "TP1"), trtllm="1.3.0rc19")
    assert judged(of, SHORT).belief is Belief.WITHIN
    assert "1.3.0rc20, and this is 1.3.0rc19" in judged(of, SHORT).reasons[0]
    assert not judged(replace(of, trtllm="1.3.0rc20"), SHORT).reasons
    assert judged(replace(of, trtllm="1.4.0"), SHORT).belief is Belief.EXTRAPOLATED


def test_what_was_measured_is_believed() -> None:
    assert judged(cut("b200", "TP2"), SHORT) == judged(cut("b200", "TP2"), Load(60, 1000, 900))
    assert judged(cut("b200", "TP2"), SHORT).belief is Belief.MEASURED
    assert not judged(cut("b200", "TP2"), SHORT).reasons
    starved = split("gb200", (1, "TP1"), (1, "TP4"))
    assert judged(starved, Load(1280, 8192, 1024)).belief is not Belief.MEASURED


def test_nearby_are_the_same_share_of_prefill_and_lengths_within_half_as_much_again() -> None:
    sets = {each.name: each for each in measured_sets()}
    point = sets["gb200"].points[-1]
    assert judged(point.system, point.load).belief is Belief.MEASURED
    assert point.system.prefill is not None
    fed = replace(point.system, prefill=point.system.prefill.with_replicas(40))
    assert judged(fed, point.load).belief is not Belief.MEASURED
    for farther in ({"osl": 3 * point.load.osl}, {"isl": point.load.isl // 3}):
        assert judged(point.system, replace(point.load, **farther)).belief is not Belief.MEASURED


def test_measured_with_other_kernels_or_kv_cache_is_not_measured_nearby() -> None:
    of = cut("b200", "TP2")
    other = replace(of.decode, layout=replace(of.decode.layout, kv=KvType.BF16))
    assert judged(replace(of, decode=other), SHORT).belief is not Belief.MEASURED
    assert judged(cut("b200", "TP2", "CUTLASS"), SHORT).belief is not Belief.MEASURED


def test_every_published_point_is_near_itself_but_those_that_contradict() -> None:
    for published in measured_sets():
        for point in published.points:
            found = judged(point.system, point.load).belief
            unreliable = point.system.decode.layout.gpu == "h100"
            assert found is (Belief.UNRELIABLE if unreliable else Belief.MEASURED)


def test_fewer_answers_than_clients_are_judged_by_the_answers() -> None:
    starved, load = split("gb200", (1, "TP1"), (1, "DEP4")), Load(5120, 8192, 1024)
    assert "1024 answers" in "; ".join(judged(starved, load).reasons)
    assert not judged(starved, load, decoding=60).reasons
