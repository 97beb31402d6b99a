"""Every thread of schema/threads.yaml is found by something that exists, or says why not."""

from __future__ import annotations

import datetime
import re
from pathlib import Path
from typing import Any

import pytest

from generate.coverage_threads import all_reports, threads_of_rules, threads_part
from gptoss.facts.fact_files import read_facts
from gptoss.facts.world import Facts
from gptoss.rules.rule import RULES

ROOT = Path(__file__).resolve().parents[2]
CONTENT = read_facts(ROOT / "schema/threads.yaml", "schema/threads.yaml")
REASONS: dict[str, str] = CONTENT["reasons"]
THREADS: dict[str, dict[str, Any]] = CONTENT["threads"]
KEYS = {"date", "about", "says", "rules", "known", "facts", "why"}


@pytest.mark.parametrize("thread", THREADS)
def test_a_thread_is_found_by_what_exists_or_says_why_not(thread: str) -> None:
    entry = THREADS[thread]
    assert re.fullmatch(r"[\w.-]+/[\w.-]+#\d+", thread)
    assert entry.keys() <= KEYS
    assert isinstance(entry["date"], datetime.date)
    assert all(rule in RULES for rule in entry.get("rules", ()))
    assert all(key in Facts().known for key in entry.get("known", ()))
    assert all((ROOT / path).exists() for path in entry.get("facts", ()))
    finders = {"rules", "known", "facts"} & entry.keys()
    assert bool(finders) != ("why" in entry)
    assert entry.get("why", next(iter(REASONS))) in REASONS


def test_every_reason_is_used() -> None:
    assert {entry["why"] for entry in THREADS.values() if "why" in entry} == REASONS.keys()


def test_threads_stand_in_order_of_repository_and_number() -> None:
    def order(thread: str) -> tuple[str, int]:
        repository, _, number = thread.partition("#")
        return repository.lower(), int(number)

    assert list(THREADS) == sorted(THREADS, key=order)


def test_the_page_names_every_thread_and_those_that_evidence_names() -> None:
    page = threads_part()
    assert page.startswith("## Threads\n")
    assert all(f"[{thread}]" in page for thread in {*THREADS, *threads_of_rules()})


def test_a_rule_whose_evidence_names_a_thread_finds_it() -> None:
    found = {report.thread: report for report in all_reports()}
    for thread, rules in threads_of_rules().items():
        assert rules.keys() <= set(found[thread].rules)
        assert not found[thread].why
