"""The fix of a rule mends its bad example, keeps everything else, and is made once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gptoss.checking.checked import Checked, findings_of
from gptoss.checking.checker import run
from gptoss.fixing.rounds import FixPlan, plan_fixes
from gptoss.rules.rule import RULES, Rule
from gptoss.sources.given import GivenFile
from gptoss.sources.kubernetes import build
from tests.rules.examples import FACTS, Example, deployment_of, read, text_of

if TYPE_CHECKING:
    from pathlib import Path

    from gptoss.rules.finding import Finding

# Rules whose own example has no fix: the right key is there already, or the right value is unclear.
OTHERS = {
    "E001": "# release: 1.2.1\n# decode.yaml\nkv_cache_config: {tokens_per_blocks: 32}",
    "E002": "# release: 1.4.2\n# decode.yaml\nprint_iter_logs: true",
    "E004": "# release: 1.4.2\n# decode.yaml\ncache_transceiver_config: {backend: ucx}",
}


def _example(rule: Rule) -> Example:
    return read(OTHERS.get(rule.id, rule.bad))


def _has_fix(rule: Rule, example: Example) -> bool:
    found = run(deployment_of(example), FACTS).findings
    return any(finding.fixes for finding in found if finding.rule.id == rule.id)


FIXABLE = [rule for rule in RULES.values() if rule.fixable]
# Those of values files and suppressions have examples that are judged elsewhere, and no fixes.
UNFIXABLE = [rule for rule in RULES.values() if not rule.fixable and rule.id[0] not in "VZ"]


def plan_of(path: Path, example: Example) -> FixPlan:
    def check() -> list[Checked]:
        documents = GivenFile(path).trees
        release = example.directives.get("release")
        deployment = build.build(documents, str(path), FACTS, release=release)
        return [Checked(deployment, run(deployment, FACTS))]

    return plan_fixes(check, [str(path)])


@pytest.mark.parametrize("rule", FIXABLE, ids=[rule.id for rule in FIXABLE])
def test_a_rule_that_is_declared_fixable_gives_its_example_a_fix(rule: Rule) -> None:
    assert _has_fix(rule, _example(rule))


@pytest.mark.parametrize("rule", UNFIXABLE, ids=[rule.id for rule in UNFIXABLE])
def test_a_rule_that_is_not_declared_fixable_gives_no_fix(rule: Rule) -> None:
    assert not _has_fix(rule, _example(rule))


def _of(rule: Rule, plan: FixPlan) -> list[Finding]:
    return [finding for finding in findings_of(plan.checked) if finding.rule.id == rule.id]


@pytest.mark.parametrize("rule", FIXABLE, ids=[rule.id for rule in FIXABLE])
def test_a_fix_mends_the_bad_example_and_is_made_once(rule: Rule, tmp_path: Path) -> None:
    example, path = _example(rule), tmp_path / "deploy.yaml"
    text = text_of(example)
    commented = "\n".join(
        f"{line}  # c{number}" if _takes_comment(line) else line
        for number, line in enumerate(text.split("\n"))
    )
    path.write_text(commented, encoding="utf-8")
    plan = plan_of(path, example)
    assert plan.fixed, plan.left
    assert _of(rule, plan) == []
    assert path.read_text(encoding="utf-8") == commented
    plan.write()
    mended = path.read_text(encoding="utf-8").split("\n")
    assert plan.diff()
    gone = [line for line in commented.split("\n") if line not in mended]
    assert 0 <= len(gone) <= 2 * len(plan.fixed) + 2, gone
    again = plan_of(path, example)
    assert again.changed == []
    assert again.diff() == ""


def _takes_comment(line: str) -> bool:
    plain = line.strip() and not line.rstrip().endswith(("|", "|-", "|+", ">"))
    return bool(plain) and line != "---" and "'" not in line
