"""The rules about what Helm refuses and about values without effect, through real Helm."""

from pathlib import Path

import pytest

from gptoss.checking.checker import Result, run
from gptoss.facts.world import Facts
from gptoss.rules.rule import RULES, Rule
from gptoss.sources.chart.build import build_chart
from gptoss.sources.chart.helm import ChartSource, find_helm, render
from tests.chart.rendering import ROOT

V_RULES = [rule for rule in RULES.values() if rule.id.startswith("V")]
FACTS = Facts()


def judged(text: str, folder: Path) -> Result:
    """What rules say about a disaggregated target with an overlay."""
    overlay = folder / "overlay.yaml"
    overlay.write_text(text)
    files = (ROOT / "values" / "disagg-gb200.yaml", overlay)
    return run(build_chart(render(ChartSource("example", files), find_helm()), FACTS), FACTS)


def fired(text: str, folder: Path) -> set[tuple[str, str]]:
    """Rules that a values example fires, with the file they name."""
    found = judged(text, folder).findings
    return {
        (f.rule.id, Path(f.place.file).name)
        for f in found
        if f.rule in V_RULES or f.rule.severity > 1
    }


@pytest.mark.parametrize("rule", V_RULES, ids=lambda rule: rule.id)
def test_the_bad_example_fires_the_rule_alone_at_a_line_that_its_user_edits(
    rule: Rule, tmp_path: Path
) -> None:
    ((identifier, file),) = fired(rule.bad, tmp_path)
    assert identifier == rule.id
    assert file == "overlay.yaml"


@pytest.mark.parametrize("rule", V_RULES, ids=lambda rule: rule.id)
def test_the_good_example_and_the_near_miss_are_clean(rule: Rule, tmp_path: Path) -> None:
    assert fired(rule.good, tmp_path) == set()
    assert fired(rule.near, tmp_path) == set()


@pytest.mark.parametrize("rule", V_RULES, ids=lambda rule: rule.id)
def test_of_what_is_refused_no_other_rule_is_said_to_be_not_applied(
    rule: Rule, tmp_path: Path
) -> None:
    assert judged(rule.bad, tmp_path).not_applied == ()
