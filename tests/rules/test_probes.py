"""How long a worker may load, and what stands in for what a manifest leaves out."""

from __future__ import annotations

import pytest

from gptoss.checking.checker import run
from tests.rules.examples import FACTS, deployment_of, read


def rules_fired(text: str) -> list[str]:
    return [finding.rule.id for finding in run(deployment_of(read(text)), FACTS).findings]


@pytest.mark.parametrize(
    ("probe", "fires"),
    [
        ("{initialDelaySeconds: 1500, periodSeconds: 30}", True),
        ("{initialDelaySeconds: 1800}", False),
        ("{periodSeconds: 60, failureThreshold: 30}", False),
        ("{failureThreshold: 179}", True),
        ("{failureThreshold: 180}", False),
        ("{}", True),
    ],
)
def test_a_startup_probe_has_to_last_half_an_hour(probe: str, fires: bool) -> None:
    text = f"# decode\nextraPodSpec: {{mainContainer: {{startupProbe: {probe}}}}}\n"
    assert rules_fired(text) == (["G040"] if fires else [])


def test_a_liveness_probe_counts_where_the_operator_adds_no_startup_probe() -> None:
    probe = "extraPodSpec: {mainContainer: {livenessProbe: {periodSeconds: 10}}}"
    assert "G040" in rules_fired(f"# worker\ncomponentType: main\n{probe}\n")
    assert rules_fired(f"# worker\n{probe}\n") == []


def test_shared_memory_that_is_switched_off_is_none() -> None:
    assert rules_fired("# decode\nsharedMemory: {size: null, disabled: true}\n") == ["G043"]
    assert rules_fired("# decode\nsharedMemory: null\n") == []
