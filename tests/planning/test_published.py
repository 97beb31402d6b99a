import csv
from collections.abc import Iterator

import pytest

from gptoss.live import environments
from gptoss.planning.loops.published import Measured, measured_sets

OURS = {"b200": "b200_sxm", "h200": "h200_sxm", "gb200": "gb200", "h100": "h100_sxm"}
COUNTS = {"b200": 77, "b200-blog": 1, "gb200": 26, "gb200-recipe": 1, "h100": 5, "h200": 60}


def points(name: str) -> tuple[Measured, ...]:
    return next(each.points for each in measured_sets() if each.name == name)


def in_the_wheel() -> Iterator[dict[str, str]]:
    packages = environments.planning().parents[1] / "lib"
    (file,) = packages.glob("*/site-packages/aiconfigurator_core/systems/silicon_sample.csv")
    with file.open(encoding="utf-8") as lines:
        yield from (
            row
            for row in csv.DictReader(lines)
            if row["backend"] == "trtllm" and row["model_path"] == "openai/gpt-oss-120b"
        )


def test_every_published_point_is_there() -> None:
    assert {each.name: len(each.points) for each in measured_sets()} == COUNTS


def test_the_figures_are_those_of_the_librarys_wheel() -> None:
    theirs = [
        (
            row["system"],
            int(row["isl"]),
            float(row["silicon_ttft_ms"]),
            float(row["silicon_tpot_ms"]),
        )
        for row in in_the_wheel()
    ]
    for name, system in OURS.items():
        for point in points(name):
            assert point.ttft is not None
            assert point.itl is not None
            same = [
                isl
                for of, isl, ttft, tpot in theirs
                if of == system
                and ttft == pytest.approx(point.ttft, abs=0.006)
                and tpot == pytest.approx(point.itl, abs=0.0051)
            ]
            assert any(0.9 * isl - 1 <= point.load.isl <= isl for isl in same), point


def test_a_split_layout_is_read_as_prefill_and_decode() -> None:
    point = next(each for each in points("gb200") if each.load.clients == 3072)
    assert point.system.prefill is not None
    assert str(point.system.prefill.layout) == "TP1"
    assert str(point.system.decode.layout) == "DEP4"
    assert (point.system.decode.replicas, point.system.gpus) == (3, 13)


def test_lengths_are_the_means_of_what_was_sent() -> None:
    assert {(p.load.isl, p.load.osl) for p in points("gb200")} == {(922, 922), (7373, 922)}


def test_throughput_follows_from_latencies_where_nobody_published_it() -> None:
    (recipe,) = points("gb200-recipe")
    assert recipe.ttft is not None
    assert recipe.itl is not None
    seconds = (recipe.ttft + recipe.itl * (recipe.load.osl - 1)) / 1000
    assert recipe.load.clients * recipe.load.osl / seconds / 4 == pytest.approx(
        recipe.per_gpu, rel=0.03
    )
    fastest = max(points("gb200"), key=lambda point: point.per_gpu)
    assert fastest.per_gpu == pytest.approx(27_200, rel=0.01)
