"""Every rule keeps the promises that its documentation makes."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from gptoss.checking.checker import run
from gptoss.rules.examples import read_examples
from gptoss.rules.family import family_of
from gptoss.rules.rule import RULES, Need, Rule, Severity
from gptoss.rules.rule import rule as declare
from gptoss.rules.subjects import DEPLOYMENT, WORKERS, Subject
from tests.rules.examples import FACTS, Example, deployment_of, read

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from gptoss.deployment.model import Deployment, Worker
    from gptoss.facts.world import Release
    from gptoss.rules.finding import Finding
    from gptoss.rules.rule import Said

rules = pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
# Rules about values files have examples that only the chart can judge; those of suppressions run in
# tests/test_suppressions.py.
ON_MANIFESTS = [
    rule
    for rule in RULES.values()
    if not rule.bad.startswith("# values") and not rule.id.startswith("Z")
]
NEEDY = [rule for rule in ON_MANIFESTS if rule.needs]
rules_on_manifests = pytest.mark.parametrize("rule", ON_MANIFESTS, ids=[r.id for r in ON_MANIFESTS])


def findings(example: Example) -> tuple[Finding, ...]:
    return run(deployment_of(example), FACTS).findings


def told(found: tuple[Finding, ...]) -> dict[str, list[str]]:
    by_rule: dict[str, list[str]] = {}
    for finding in found:
        by_rule.setdefault(finding.rule.id, []).append(f"{finding.place}: {finding.message}")
    return by_rule


def test_a_clean_server_has_no_findings() -> None:
    assert told(findings(read("# server.yaml\nstream_interval: 20\n"))) == {}


@pytest.mark.parametrize("worker", [True, False], ids=["aggregated", "disaggregated"])
@pytest.mark.parametrize("api", ["v1alpha1", "v1beta1"])
def test_a_clean_deployment_has_no_findings(worker: bool, api: str) -> None:
    text = "# worker.yaml\nstream_interval: 20\n" if worker else "# decode.yaml\n{}\n"
    assert told(findings(read(f"# api: {api}\n{text}"))) == {}


@rules_on_manifests
def test_the_bad_example_fires_the_rule_and_no_other(rule: Rule) -> None:
    example = read(rule.bad)
    found = told(findings(example))
    assert set(found) == {rule.id} | example.also, found


@rules_on_manifests
def test_the_good_example_is_clean(rule: Rule) -> None:
    example = read(rule.good)
    found = told(findings(example))
    assert set(found) == example.also, found


@rules_on_manifests
def test_the_near_miss_stays_silent(rule: Rule) -> None:
    example = read(rule.near)
    found = told(findings(example))
    assert set(found) == example.also, found


# v1beta1 has none of the fields that these are about, or is what the last is about.
ONLY_V1ALPHA1 = ("G002", "G007", "G076", "G064")
IN_BOTH = [rule for rule in ON_MANIFESTS if rule.id not in ONLY_V1ALPHA1]


@pytest.mark.parametrize("rule", IN_BOTH, ids=[r.id for r in IN_BOTH])
def test_a_rule_sees_the_same_in_v1beta1(rule: Rule) -> None:
    example = read(rule.bad)
    example.directives["api"] = "v1beta1"
    assert rule.id in told(findings(example))


@rules
def test_a_rule_is_documented(rule: Rule) -> None:
    for text in (rule.summary, rule.reason, rule.source, rule.bad, rule.good, rule.near):
        assert text.strip()
    assert rule.summary.endswith(".")
    assert "\n" not in rule.summary


@rules
def test_id_and_name_follow_the_family(rule: Rule) -> None:
    assert re.fullmatch(r"[A-Z]\d{3}", rule.id)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", rule.name)
    assert rule.id[0] == rule.family.letter
    assert rule.check.__name__ == rule.name.replace("-", "_")


def test_a_rule_with_the_letter_of_another_family_is_refused() -> None:
    with pytest.raises(ValueError, match=r"G999 .* whose rules begin with D; .* such as D999"):
        family_of("gptoss.rules.disaggregation.roles", "G999")
    with pytest.raises(ValueError, match=r"D999 .* has no FAMILY; declare one in its __init__.py"):
        family_of("gptoss.rules.fixes", "D999")


def test_a_function_that_takes_what_its_rule_cannot_get_is_refused() -> None:
    def surprising(worker: Worker, release: Release) -> Iterator[Said]:
        raise NotImplementedError

    surprising.__module__ = "gptoss.rules.disaggregation.roles"

    def declared(of: Subject, *needs: Need) -> None:
        name, severity = "of-a-test", Severity.ERROR
        declare("D999", name, severity, of=of, needs=needs)(surprising)

    with pytest.raises(ValueError, match="D999 takes worker, but can take only deployment: Depl"):
        declared(DEPLOYMENT, Need.RELEASE)
    with pytest.raises(ValueError, match=r"D999 takes release; add Need.RELEASE to its needs"):
        declared(WORKERS)
    assert "D999" not in RULES


def test_every_file_of_examples_belongs_to_a_rule() -> None:
    folders = {rule.file.parent for rule in RULES.values()}
    files = {path for folder in folders for path in folder.glob("*")}
    assert files == {rule.file for rule in RULES.values()}


def test_a_file_of_examples_that_lacks_one_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "D999.txt"
    path.write_text("# bad\n# decode\nreplicas: 2\n\n# good\n# decode\nreplicas: 1\n")
    with pytest.raises(ValueError, match=r"D999.txt has no # near; write each above its example"):
        read_examples(path)
    path.write_text(path.read_text() + "# near\n{}\n")
    expected = ("# decode\nreplicas: 2", "# decode\nreplicas: 1", "{}")
    read_examples.cache_clear()
    assert read_examples(path) == expected


def test_families_are_told_apart() -> None:
    families = {rule.family for rule in RULES.values()}
    assert len({family.letter for family in families}) == len(families)
    assert len({family.order for family in families}) == len(families)


def test_names_are_unique() -> None:
    assert max(Counter(rule.name for rule in RULES.values()).values()) == 1


@rules_on_manifests
def test_findings_read_well(rule: Rule) -> None:
    for finding in findings(read(rule.bad)):
        assert finding.message.strip() == finding.message
        assert "\n" not in finding.message + finding.hint
        assert not finding.message.endswith(".")
        assert finding.hint
        assert not finding.hint.endswith((".", "\n"))
        assert all(also.message for also in finding.also)
        assert "None" not in finding.message + finding.hint
        assert finding.place.file == "example.yaml"
        assert finding.place not in [also.place for also in finding.also]


@pytest.mark.parametrize("rule", NEEDY, ids=[r.id for r in NEEDY])
def test_a_rule_that_lacks_its_facts_says_nothing(rule: Rule) -> None:
    deployment = deployment_of(read(rule.bad))
    for need in rule.needs:
        blind = _without(deployment, need)
        result = run(blind, FACTS, [rule])
        assert result.findings == ()
        assert need.value in " ".join(n.reason for n in result.not_applied)


def _without(deployment: Deployment, need: Need) -> Deployment:
    match need:
        case Need.MODEL:
            return replace(deployment, model=None)
        case Need.RELEASE:
            return replace(deployment, release=None)
        case Need.GPU:
            return replace(
                deployment, workers=tuple(replace(w, gpu=None) for w in deployment.workers)
            )
        case Need.ENGINE:
            blind = tuple(replace(w, engine_known=False) for w in deployment.workers)
            return replace(deployment, workers=blind)
