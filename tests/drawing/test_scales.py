"""Scales hold their values and have round ticks."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gptoss.drawing.scales import linear, logarithmic

POSITIVE = st.floats(1e-3, 1e7)


@given(POSITIVE)
def test_a_scale_reaches_its_values_with_few_round_ticks(high: float) -> None:
    scale = linear(high, 100, 0)
    assert scale.high >= high * (1 - 1e-6)
    assert 2 <= len(scale.ticks) <= 7
    assert -1e-6 <= scale(high) <= scale(0) == 100


@given(POSITIVE, st.floats(1, 1e6))
def test_a_logarithmic_scale_holds_its_values(low: float, ratio: float) -> None:
    scale = logarithmic(low, low * ratio, 100, 0)
    assert -1e-6 <= scale(low * ratio) <= scale(low) <= 100 + 1e-6
