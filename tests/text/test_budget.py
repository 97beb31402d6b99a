"""What one run may spend."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from gptoss.text import budget
from gptoss.text.budget import Kind
from gptoss.text.errors import InputError
from gptoss.text.places import Place


def test_a_run_sums_up_and_says_which_limit_is_passed_and_where() -> None:
    half = Kind.DOCUMENTS.limit // 2 + 1
    with budget.run():
        budget.spend(Kind.DOCUMENTS, half)
        budget.spend(Kind.VALUES, 1)
        with pytest.raises(InputError, match=r"m\.yaml:3:1: more than 10,000 YAML documents"):
            budget.spend(Kind.DOCUMENTS, half, Place("m.yaml", 3))


def test_outside_a_run_each_amount_has_the_limit_for_itself() -> None:
    for _ in range(3):
        budget.spend(Kind.DOCUMENTS, Kind.DOCUMENTS.limit)
    with pytest.raises(InputError):
        budget.spend(Kind.DOCUMENTS, Kind.DOCUMENTS.limit + 1)


def test_runs_do_not_know_of_each_other() -> None:
    for _ in range(3):
        with budget.run():
            budget.spend(Kind.WORDS, Kind.WORDS.limit)
    with budget.run() as outer:
        with budget.run():
            budget.spend(Kind.WORDS, Kind.WORDS.limit)
        assert outer.left(Kind.WORDS) == Kind.WORDS.limit


def test_threads_spend_of_the_budget_of_their_run() -> None:
    with budget.run() as whole, ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda _: budget.spend(Kind.STEPS, 10), range(5)))
    assert whole.left(Kind.STEPS) == Kind.STEPS.limit - 50
