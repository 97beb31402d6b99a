"""schema/engine/validators.yaml names fields, versions and rules that exist."""

from typing import Any

import pytest

from generate.engine_schema import ENGINE, compact_facts, read_yaml
from gptoss import rules as _rules  # noqa: F401 (declares the rules)
from gptoss.rules.rule import RULES

VALIDATORS: dict[str, Any] = read_yaml(ENGINE / "validators.yaml")["validators"]
SOURCES = read_yaml(ENGINE / "fields.yaml")["sources"]
COMPACT = compact_facts()
each = pytest.mark.parametrize("name", VALIDATORS)


@each
def test_a_validator_guards_a_field_and_names_versions_that_were_read(name: str) -> None:
    validator = VALIDATORS[name]
    assert validator["field"] in COMPACT["fields"]
    assert set(validator["read"]) <= SOURCES.keys()
    assert validator["severity"] in ("error", "warning", "silent")
    assert validator["when"]
    assert validator["then"]
    assert validator["read"] or validator["source"]


@each
def test_a_validator_names_a_rule_that_exists(name: str) -> None:
    assert VALIDATORS[name].get("rule", "E001") in RULES


def test_the_checker_knows_where_each_validator_was_read() -> None:
    assert COMPACT["validators"] == {name: each["read"] for name, each in VALIDATORS.items()}
