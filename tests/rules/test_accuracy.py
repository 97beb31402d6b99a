"""The limits of the accuracy table hold for the targets that are made for it."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from gptoss.cli import main

IMAGE = "accuracy.image=registry.internal/evals:0.0.9"
TARGETS = ("eval-dep8-b200", "eval-dep4-b200", "eval-tp8-b200", "eval-tp4-b200")


def found(target: str, *options: str) -> set[str]:
    """Rules about evaluations that fire on a target whose evaluation is on."""
    settings = ("--set", "accuracy.enabled=true", "--set", IMAGE)
    result = CliRunner().invoke(
        main, ["check", target, *options, *settings, "--format", "json"], catch_exceptions=False
    )
    rules = {finding["rule"] for finding in json.loads(result.stdout)["findings"]}
    return {rule for rule in rules if rule.startswith("A")}


def overlay(target: str) -> tuple[str, str]:
    return "-f", f"values/eval-high-effort-{target.split('-')[1][:-1]}.yaml"


@pytest.mark.parametrize("target", TARGETS)
def test_a_target_of_the_table_holds_the_answers_of_its_efforts(target: str) -> None:
    assert found(target) == set()
    assert found(target, *overlay(target)) == set()


@pytest.mark.parametrize("target", TARGETS)
def test_high_effort_on_the_settings_for_low_effort_is_warned_about(target: str) -> None:
    high = ("--set", "accuracy.reasoningEfforts={low,high}")
    assert found(target, *high) == {"A002", "A003"}


def test_a_target_of_short_answers_is_warned_about() -> None:
    assert found("disagg-gb200") == {"A001", "A002", "A003"}
