"""What is said of replicas that a scaling adapter owns, before and after it is switched on."""

from __future__ import annotations

from gptoss.checking.checker import run
from gptoss.rules.rule import RULES
from tests.rules.examples import FACTS, deployment_of, read

ON = "# against: it\n# decode\nreplicas: null\nscalingAdapter: {enabled: true}\n---\n"
BUDGET = """\
# document
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: decode}
spec: {KEPT, selector: {matchLabels: {nvidia.com/selector: gpt-oss-decode}}}
"""


def told(rule: str, text: str) -> list[str]:
    """What a rule says of an example, with what to do about it."""
    found = run(deployment_of(read(text)), FACTS, [RULES[rule]]).findings
    return [f"{finding.message}; {finding.hint}" for finding in found]


def test_replicas_left_out_are_kept_where_the_adapter_was_on_before() -> None:
    installed = "# installed decode\nreplicas: 3\nscalingAdapter: {enabled: true}"
    assert told("G057", ON + installed) == []


def test_replicas_left_out_while_the_adapter_is_switched_on_ask_for_one() -> None:
    (said,) = told("G057", f"{ON}# installed decode\nreplicas: 4")
    assert "changes from 4 replicas to 1" in said
    assert "with replicas: 1 before its adapter is switched on" in said
    assert told("G057", f"{ON}# installed decode\nreplicas: 1") == []


def test_replicas_are_left_to_an_adapter_without_a_word_and_to_the_operator_with_one() -> None:
    assert told("G006", "# decode\nreplicas: null\nscalingAdapter: {enabled: true}") == []
    assert told("G006", "# decode\nreplicas: null\nscalingAdapter: {enabled: false}") != []


def test_a_budget_is_judged_by_the_pods_that_there_are() -> None:
    for kept, stops in {
        "minAvailable: 1": True,
        "minAvailable: 100%": True,
        "maxUnavailable: 0": True,
        "maxUnavailable: 0%": True,
        "minAvailable: 50%": False,
        "maxUnavailable: 1": False,
    }.items():
        assert bool(told("G125", BUDGET.replace("KEPT", kept))) is stops, kept
    two = f"# decode\nreplicas: 2\n---\n{BUDGET.replace('KEPT', 'minAvailable: 1')}"
    assert told("G125", two) == []
