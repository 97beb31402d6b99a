"""Inputs are the same for the same seed, and of many kinds; a few are run as ``make fuzz`` does."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import TYPE_CHECKING

import pytest

from fuzz.attacks import ATTACKS
from fuzz.contents import Source
from fuzz.inputs import made
from fuzz.seeds import FORMS, Seeds
from fuzz.trying import Trial

if TYPE_CHECKING:
    from pathlib import Path

    from fuzz.inputs import Input

MOST = 40 * 2**20


@cache
def inputs(seed: int) -> list[Input]:
    """Inputs that need nothing rendered."""
    seeds = Seeds()
    seeds.__dict__["rendered"] = ["kind: x\n"]
    seeds.__dict__["forms"] = {form: {"x.yaml": b"a: 1\n"} for form in FORMS}
    return [made(seed, number, seeds) for number in range(100)]


def test_the_same_seed_makes_the_same_inputs() -> None:
    assert inputs(1) == inputs.__wrapped__(1)
    assert inputs(1) != inputs(2)


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_is_laid_out_whatever_its_size(name: str) -> None:
    for number in range(8):
        source = ATTACKS[name](Random(number))  # noqa: S311
        assert isinstance(source, Source)
        assert source.words or source.argv
        assert sum(len(c) for c in source.files.values() if isinstance(c, bytes)) < MOST


def test_inputs_are_of_many_kinds_and_keep_what_is_promised(tmp_path: Path) -> None:
    tried = inputs(1)
    assert {one.source.kind for one in tried} >= {"manifests", "engine", "compose", "script"}
    quick = [one for one in tried if one.source.kind in ("engine", "servers", "config")][:5]
    outcomes = [Trial.of(one, tmp_path / "sandbox").outcome() for one in quick]
    assert [outcome for outcome in outcomes if outcome.faults] == []
