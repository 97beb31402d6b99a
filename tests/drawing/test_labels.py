"""Labels keep apart from each other and from marks."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gptoss.drawing.labels import Box, apart, around, beside

HEIGHTS = st.lists(st.floats(0, 500), max_size=12)


@given(HEIGHTS)
def test_labels_at_one_place_keep_their_distance_and_order(places: list[float]) -> None:
    moved = apart(places, 12, 10, 490)
    assert all(10 - 1e-6 <= place <= 490 + 1e-6 for place in moved)
    in_order = [place for _, place in sorted(zip(places, moved, strict=True))]
    assert all(after - before >= 12 - 1e-6 for before, after in pairwise(in_order))


def test_labels_without_room_share_what_there_is() -> None:
    assert apart([5.0] * 5, 12, 0, 20) == pytest.approx([0, 5, 10, 15, 20])


@given(st.lists(st.tuples(st.floats(0, 400), st.floats(0, 300)), max_size=20))
def test_labels_of_points_never_overlap(points: list[tuple[float, float]]) -> None:
    inside = Box(0, 0, 400, 300)
    taken = [around(x, y, 7) for x, y in points]
    for x, y in points:
        box = beside(x, y, "1,024", taken, inside)
        assert box is None or not any(box.meets(other) for other in taken)
        taken += [box] if box else []
