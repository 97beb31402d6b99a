"""Pages of targets with tuned siblings show them on what the same GPUs could do."""

from __future__ import annotations

import re

import pytest

from gptoss.facts import folders
from predicted.fronts import families, pictured
from predicted.records import FRONTS

PAGES = folders.root() / "docs" / "targets"
RECORD = FRONTS.read()
IMAGE = re.compile(r"!\[[^\]]+\]\(([\w.-]+\.svg)\)")


@pytest.mark.parametrize("name", families())
def test_the_picture_stands_on_the_page_of_each_of_a_family(name: str) -> None:
    for page in families()[name]:
        assert IMAGE.findall((PAGES / f"{page}.md").read_text("utf-8")) == [f"{name}.svg"]


@pytest.mark.parametrize("name", families())
def test_the_picture_shows_every_target_with_how_far_to_believe_it(name: str) -> None:
    svg = (PAGES / f"{name}.svg").read_text("utf-8")
    for each in pictured(RECORD[name]):
        assert f">{each.name} ({each.belief.told})</text>" in svg
        assert all(f"<title>{each.name}: {point.told}</title>" in svg for point in each.points)
    assert "the best of " in svg
    assert "prefers-color-scheme:dark" in svg


@pytest.mark.parametrize("name", families())
def test_nothing_of_a_front_is_beaten_in_both(name: str) -> None:
    front = pictured(RECORD[name])[0].front
    assert len(front) > 20
    by_speed = sorted(front, key=lambda point: point.per_user)
    rates = [point.per_gpu for point in by_speed]
    assert rates == sorted(rates, reverse=True)
