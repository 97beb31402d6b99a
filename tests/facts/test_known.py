"""What releases are known to do wrong is told by release, to people and to programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gptoss.facts.known import Known
from gptoss.facts.world import Facts

FACTS = Facts()


# Releases whose frontends were asked.
SEEN = ("1.0.2", "1.1.1", "1.2.1", "1.3.1", "1.4.2", "1.5.1", "1.6.1")


@pytest.mark.parametrize(
    ("name", "broken"),
    [
        ("tool-call-in-pieces", ["1.0.2", "1.1.1", "1.2.1"]),
        ("tool-call-required-in-pieces", ["1.0.2", "1.1.1"]),
        ("max-tokens-zero", ["1.0.2", "1.1.1", "1.2.1", "1.3.1"]),
        ("prompt-beyond-context", ["1.5.1", "1.6.1"]),
        ("answer-beyond-context", list(SEEN)),
    ],
)
def test_a_fault_is_in_the_releases_in_which_it_was_seen(name: str, broken: list[str]) -> None:
    known = FACTS.known[name]
    assert [version for version in SEEN if known.is_in(FACTS.releases[version])] == broken


def test_a_fault_ends_with_the_release_that_mends_it_and_begins_with_the_one_that_has_it() -> None:
    known = Known("x", "what", "do", "source", since="1.2.1", right="1.4.2")
    inside = [version for version, r in FACTS.releases.items() if known.is_in(r)]
    assert inside == ["1.2.1", "1.3.1"]


def test_the_default_release_keeps_tool_calls_and_effort_and_is_ready_when_listed() -> None:
    wrong = {known.id for known in FACTS.known.values() if known.is_in(FACTS.default_release)}
    assert wrong == {
        "max-tokens-zero",
        "tool-message-without-call",
        "responses-reasoning-tokens",
        "answer-beyond-context",
    }


def test_the_chart_has_the_same_for_programs() -> None:
    found = json.loads(Path("charts/gpt-oss/files/facts.json").read_text())["known"]
    assert [entry["id"] for entry in found] == list(FACTS.known)
    by_id = {entry["id"]: entry for entry in found}
    assert by_id["effort-at-top"]["broken"] == ["1.0.2", "1.1.1", "1.2.1"]
    assert by_id["effort-at-top"]["right"] == "1.3.0"
    assert by_id["answer-beyond-context"]["right"] is None
