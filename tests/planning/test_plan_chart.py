"""Predictions on the chart: the deployment, its neighbours and what its GPUs could do."""

from __future__ import annotations

from gptoss.drawing.pareto import NARROW, WIDE, as_drawing
from gptoss.drawing.pareto_text import as_lines
from gptoss.planning.prediction import Belief
from gptoss.planning.telling.plan_chart import Charted, Pictured, chart_of, legend


def point(engines: str, per_user: float, per_gpu: float, belief: Belief = Belief.WITHIN) -> Charted:
    return Charted(engines, 1280, per_user, per_gpu, 1500.0, belief)


FRONT = (
    point("4 x TP1", 400, 500),
    point("2 x TP2", 200, 2_000),
    point("2 x TP2", 100, 4_000, Belief.EXTRAPOLATED),
    point("1 x DEP4", 50, 6_000),
)
OWN = (point("4 x TP1", 60, 2_500),)


def mine(
    front: tuple[Charted, ...] = FRONT, neighbours: tuple[Charted, ...] = (), name: str = "mine"
) -> Pictured:
    return Pictured(name, "4 x gb200", OWN, front, neighbours)


def test_a_deployment_stands_among_its_neighbours_and_the_front() -> None:
    chart = chart_of([mine(neighbours=FRONT[1:3])])
    svg = as_drawing(chart).render()
    for said in (
        "mine (within the grid)",
        "1,280 clients, TTFT 1.50 s",
        "the best neighbours",
        "the best of 4 x gb200",
    ):
        assert f">{said}</text>" in svg
    assert "mine: 4 x TP1, 1,280 clients: 2,500 tokens/s/GPU, 60.0 tokens/s/user, " in svg
    assert "neighbour 2: 2 x TP2, 1,280 clients: 4,000 tokens/s/GPU" in svg


def test_points_of_the_front_say_what_is_extrapolated() -> None:
    svg = as_drawing(chart_of([mine()])).render()
    assert ">extrapolated</text>" in svg
    assert svg.count("; extrapolated</title>") == 1
    within = [one for one in FRONT if one.belief is Belief.WITHIN]
    assert ">extrapolated" not in as_drawing(chart_of([mine(tuple(within))])).render()


def test_each_layout_of_the_front_is_named_once() -> None:
    svg = as_drawing(chart_of([mine()])).render()
    assert [svg.count(f">{name}</text>") for name in ("1 x DEP4", "2 x TP2", "4 x TP1")] == [
        1,
        1,
        1,
    ]


def test_one_front_of_several_deployments_is_drawn_once() -> None:
    two = [mine(neighbours=FRONT[:1]), mine(name="yours")]
    assert legend(two) == "● mine  ■ yours  · the best of 4 x gb200  ∘ extrapolated"
    for width in (NARROW, WIDE):
        assert as_drawing(chart_of(two), width).render().count("the best of 4 x gb200</text>") == 1


def test_a_terminal_numbers_the_neighbours() -> None:
    one = [mine(neighbours=FRONT[1:3])]
    assert "● 1,280" in "\n".join(as_lines(chart_of(one)))
    # Without a front nothing else is drawn in the colour.
    alone = chart_of([mine((), neighbours=FRONT[1:3])])
    drawn = "\n".join(as_lines(alone, lambda text, style: f"{style}<{text}>"))
    assert [drawn.count(f"s0<{number}>") for number in "123"] == [1, 1, 0]
    assert legend(one) == (
        "● mine  1 to 2 the best neighbours  · the best of 4 x gb200  ∘ extrapolated"
    )


def test_a_deployment_without_a_front_is_drawn_alone() -> None:
    assert "1.50 s</text>" in as_drawing(chart_of([mine(())])).render()
