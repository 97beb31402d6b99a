"""Each rule says where its fact is stated, and is quiet about releases that it is not true of."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gptoss.checking.checker import run
from gptoss.rules.evidence import Evidence, read_evidence
from gptoss.rules.rule import RULES, Rule, Severity
from tests.rules.examples import FACTS, deployment_of, read

if TYPE_CHECKING:
    from gptoss.rules.finding import Finding

rules = pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
LOWER_CASE = "cache_transceiver_config: {backend: ucx}"
LINE = """\
- repository: an/example
  path: a.py
  commit: 0123abc
  line: the words of the line
"""


def evidence(folder: Path, text: str) -> Evidence:
    path = folder / "E999.yaml"
    path.write_text(text)
    read_evidence.cache_clear()
    return read_evidence(path)


@rules
def test_an_error_has_evidence_that_a_person_can_look_up(rule: Rule) -> None:
    if rule.severity is Severity.ERROR:
        assert any(seen.quotes for seen in rule.evidence.seen), rule.source


@rules
def test_what_is_inferred_is_no_error(rule: Rule) -> None:
    if rule.evidence.inferred:
        assert rule.severity < Severity.ERROR


@rules
def test_a_rule_quotes_a_line_or_says_what_it_is_inferred_from(rule: Rule) -> None:
    evidence = rule.evidence
    assert evidence.inferred or any(seen.quotes for seen in evidence.seen), rule.source


@rules
def test_a_run_that_shows_it_is_a_test_of_ours(rule: Rule) -> None:
    assert all(Path(s.where).is_file() for s in rule.evidence.seen if s.kind == "run")


def test_every_file_of_evidence_belongs_to_a_rule() -> None:
    folders = {rule.file.parent.parent / "evidence" for rule in RULES.values()}
    files = {path for folder in folders for path in folder.glob("*")}
    assert {path.stem for path in files} == set(RULES)


@pytest.mark.parametrize(
    ("span", "release", "seen"),
    [
        ("Dynamo 1.1.1 to 1.3.1", "1.0.2", False),
        ("Dynamo 1.1.1 to 1.3.1", "1.3.1", True),
        ("Dynamo up to 1.1.1", "1.2.1", False),
        ("Dynamo 1.2.1", "1.2.1", True),
        ("TensorRT-LLM from 1.3.0rc19", "1.2.1", False),
        ("TensorRT-LLM from 1.3.0rc19", "1.3.1", True),
        ("TensorRT-LLM 1.3.0rc5.post1 to 1.3.0rc11", "1.0.2", True),
    ],
)
def test_a_span_tells_the_releases_in_it(
    span: str, release: str, seen: bool, tmp_path: Path
) -> None:
    found = evidence(tmp_path, f"seen:\n{LINE}  for: {span}\n")
    assert found.is_unseen_in(FACTS.releases[release]) is not seen


def findings(release: str) -> list[Finding]:
    example = read(f"# release: {release}\n# decode.yaml\n{LOWER_CASE}\n")
    found = run(deployment_of(example), FACTS, [RULES["E003"]]).findings
    return list(found)


def with_evidence(given: Evidence, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Rule, "evidence", property(lambda _rule: given))


def test_in_a_release_that_nobody_looked_at_a_finding_weighs_less_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_evidence(evidence(tmp_path, f"seen:\n{LINE}  for: Dynamo 1.2.1\n"), monkeypatch)
    (seen,), (unseen,) = findings("1.2.1"), findings("1.3.1")
    assert (seen.severity, unseen.severity) == (Severity.ERROR, Severity.WARNING)
    assert "seen with" not in seen.message
    assert unseen.message.endswith(" (seen with Dynamo 1.2.1)")


def test_a_rule_is_silent_in_a_release_that_it_does_not_hold_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_evidence(evidence(tmp_path, f"holds: Dynamo up to 1.2.1\nseen:\n{LINE}"), monkeypatch)
    assert findings("1.2.1")
    assert not findings("1.3.1")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("seen: []\n", "says neither where it was seen"),
        ("seen:\n- page: a\n", "is none of these"),
        (f"seen:\n{LINE}  for: 1.2.1\n", 'is not of the form "Dynamo 1.0.2 to 1.6.1"'),
        ("source: a\n", "has to hold seen"),
    ],
)
def test_evidence_in_another_form_is_refused(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=said):
        evidence(tmp_path, text)
