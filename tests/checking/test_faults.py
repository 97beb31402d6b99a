"""What is wrong in the same words for several workers is told once, and nothing of it is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.checking.checked import Checked, findings_of, suppressed_of
from gptoss.checking.checker import run
from gptoss.checking.config import Config
from gptoss.checking.suppressions import apply_all
from gptoss.reports import render
from gptoss.sources.kubernetes.build import build
from gptoss.text.yaml_tree import parse_documents
from tests.rules.examples import FACTS, read, text_of

if TYPE_CHECKING:
    from gptoss.rules.finding import Finding

FILE = "example.yaml"
BUFFERS = """\
# decode.yaml
cache_transceiver_config: {max_tokens_in_buffer: 11010}
---
# prefill.yaml
cache_transceiver_config: {max_tokens_in_buffer: 11010}
"""
OTHER_BUFFERS = BUFFERS.replace("11010", "11012", 1)
BUFFER = "max_tokens_in_buffer: 11010"


def checked(text: str, file: str = FILE) -> Checked:
    deployment = build(parse_documents(text, file), file, FACTS)
    result = run(deployment, FACTS)
    (item,) = apply_all([Checked(deployment, result)], Config(), {file: text}.get)
    return item


def of_rule(rule: str, *items: Checked) -> list[Finding]:
    return [finding for finding in findings_of(items) if finding.rule.id == rule]


def test_one_fault_of_two_workers_is_one_finding_with_both_places_and_fixes() -> None:
    text = text_of(read(BUFFERS))
    (finding,) = of_rule("D003", checked(text))
    lines = text.splitlines()
    places = [finding.place, *(also.place for also in finding.also if also.same)]
    assert len({place for place in places if BUFFER in lines[place.line - 1]}) == 2
    assert set(finding.subjects) == {"prefill", "decode"}
    assert finding.message.startswith(("prefill and decode: ", "decode and prefill: "))
    assert len(finding.fixes) == 2


def test_faults_in_other_words_stay_apart() -> None:
    found = of_rule("D003", checked(text_of(read(OTHER_BUFFERS))))
    assert sorted(finding.subjects for finding in found) == [("decode",), ("prefill",)]


def test_the_same_in_two_deployments_is_one_fault_where_they_share_a_line() -> None:
    text = text_of(read(BUFFERS))
    assert len(of_rule("D003", checked(text), checked(text))) == 1
    assert len(of_rule("D003", checked(text), checked(text, "other.yaml"))) == 2


def test_a_suppression_at_one_line_takes_only_its_worker_out_of_the_fault() -> None:
    text = text_of(read(BUFFERS)).replace(
        BUFFER, f"{BUFFER}  # gptoss: ignore D003 because measured", 1
    )
    item = checked(text)
    (left,) = of_rule("D003", item)
    (hidden,) = suppressed_of([item])
    assert len(left.subjects) == len(left.fixes) == 1
    assert set(left.subjects) | set(hidden.finding.subjects) == {"prefill", "decode"}


def test_every_report_counts_a_fault_once() -> None:
    item = checked(text_of(read(BUFFERS)))
    total = len(findings_of([item]))
    assert total < len(item.result.findings)
    assert f"1 deployment checked: {total} error" in render("text", [item])
    assert f"  {total} error" in render("table", [item])
    assert render("gitlab", [item]).count('"fingerprint"') == total
    assert render("github", [item]).count("::error ") == total
    assert render("junit", [item]).count("<failure ") == total


def test_rules_that_were_not_applied_are_counted_and_named_when_asked() -> None:
    item = checked("# release: none\n" + text_of(read(BUFFERS)).replace("1.3.1", "my-tag"))
    names = {skipped.rule for skipped in item.result.not_applied}
    (line,) = [x for x in render("text", [item]).splitlines() if "not applied" in x]
    assert line.startswith(f"{len(names)} rules not applied: ")
    assert "give --release" in line
    assert not any(name in line for name in names)
    every = render("text", [item], verbose=True)
    assert all(name in every for name in names)
