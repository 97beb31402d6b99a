"""A deployment is compared with what is installed under its name."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gptoss.checking.against import with_installed
from gptoss.checking.checker import run
from gptoss.text.errors import InputError
from tests.rules.examples import FACTS, deployment_of, read

CLEAN = deployment_of(read("# decode.yaml\n{}"))


def test_a_deployment_compared_with_itself_has_no_findings() -> None:
    (paired,) = with_installed([CLEAN], [CLEAN])
    assert paired.installed is CLEAN
    assert run(paired, FACTS).findings == ()


def test_each_deployment_meets_the_installed_one_of_its_name() -> None:
    other = replace(CLEAN, name="other")
    paired = with_installed([CLEAN, other], [replace(CLEAN, source="old")])
    assert [d.installed.source if d.installed else None for d in paired] == ["old", None]


def test_nothing_to_compare_with_is_said() -> None:
    with pytest.raises(InputError, match=r"gpt-oss is not among .* \(other\); .* --name other$"):
        with_installed([CLEAN], [replace(CLEAN, name="other")])


@pytest.mark.parametrize(
    ("before", "after", "rules"),
    [
        ("100Gi", "100Gi", set()),
        ("100Gi", "0.2Ti", set()),
        ("100Gi", "100G", {"G055"}),
        ("100Gi", "much", set()),
    ],
)
def test_a_claim_may_only_grow(before: str, after: str, rules: set[str]) -> None:
    claim = (
        "# document\napiVersion: v1\nkind: PersistentVolumeClaim\n"
        "metadata: {{name: extra}}\nspec: {{resources: {{requests: {{storage: {}}}}}}}"
    )
    old, new = (deployment_of(read(claim.format(size))) for size in (before, after))
    (paired,) = with_installed([new], [old])
    assert {finding.rule.id for finding in run(paired, FACTS).findings} == rules
