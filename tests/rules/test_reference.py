"""The rule reference has a page for every rule, and its links lead somewhere."""

from __future__ import annotations

import json
import re

import pytest

from generate.rule_reference import FOLDER, rule_reference
from gptoss.reports.explain import as_json, explanation, rules_listing
from gptoss.rules.rule import RULES, Rule

PAGES = rule_reference()
rules = pytest.mark.parametrize("rule", RULES.values(), ids=RULES)


@rules
def test_a_page_shows_what_the_rule_says_of_itself(rule: Rule) -> None:
    page = PAGES[FOLDER / f"{rule.id}.md"]
    stated = [part for seen in rule.evidence.seen for part in (seen.where, seen.says)]
    for part in (rule.name, rule.severity.word, *stated, rule.bad, rule.good, rule.near):
        assert part in page
    assert ("check --fix" in page) is rule.fixable


@rules
def test_the_index_has_a_row_for_every_rule(rule: Rule) -> None:
    rows = [row for row in PAGES[FOLDER / "README.md"].split("\n") if f"({rule.id}.md)" in row]
    assert len(rows) == 1
    assert rows[0].count(" | ") == 3
    assert ("| yes |" in rows[0]) is rule.fixable


def test_every_family_has_a_heading() -> None:
    headings = re.findall(r"^## (\w): ", PAGES[FOLDER / "README.md"], re.MULTILINE)
    assert headings == list("GCPEMKDSBTALXRVZ")


def test_links_lead_to_pages() -> None:
    for page in PAGES.values():
        for target in re.findall(r"\]\(([^)#]+\.md)\)", page):
            assert FOLDER / target in PAGES


def test_the_listing_says_which_rules_have_a_fix() -> None:
    fixable = {rule.id for rule in RULES.values() if rule.fixable}
    lines = [line for line in rules_listing("text").split("\n") if not line.startswith(" ")]
    assert {line.split()[0] for line in lines} == set(RULES)
    assert {line.split()[0] for line in lines if line.endswith("(fixable)")} == fixable
    listed = json.loads(rules_listing("json"))
    assert {entry["id"] for entry in listed if entry["fixable"]} == fixable


@pytest.mark.parametrize(("rule", "fixable"), [("D003", True), ("D002", False)])
def test_the_explanation_says_whether_there_is_a_fix(rule: str, fixable: bool) -> None:
    assert json.loads(as_json(rule))["fixable"] is fixable
    assert ("check --fix" in explanation(rule, lambda text, _: text)) is fixable
