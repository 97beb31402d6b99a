"""The rule reference has a page for every rule, and its links lead somewhere."""

from __future__ import annotations

import re

import pytest

from generate.rule_reference import FAMILIES, FOLDER, rule_reference
from gptoss.findings import RULES, Rule

PAGES = rule_reference()
rules = pytest.mark.parametrize("rule", RULES.values(), ids=RULES)


@rules
def test_a_page_shows_what_the_rule_says_of_itself(rule: Rule) -> None:
    page = PAGES[FOLDER / f"{rule.id}.md"]
    for part in (rule.name, rule.severity.word, rule.source, rule.bad, rule.good, rule.near):
        assert part in page


@rules
def test_the_index_has_a_row_for_every_rule(rule: Rule) -> None:
    rows = [row for row in PAGES[FOLDER / "README.md"].split("\n") if f"({rule.id}.md)" in row]
    assert len(rows) == 1
    assert rows[0].count(" | ") == 2


def test_every_family_has_a_heading() -> None:
    assert {rule[0] for rule in RULES} <= set(FAMILIES)


def test_links_lead_to_pages() -> None:
    for page in PAGES.values():
        for target in re.findall(r"\]\(([^)#]+\.md)\)", page):
            assert FOLDER / target in PAGES
