"""A deployment is compared with what is installed under its name."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gptoss.checking.against import with_installed
from gptoss.checking.checker import run
from gptoss.checking.judging import judged
from gptoss.sources.request import Request
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
        ("100Gi", "0.2Ti", {"G151"}),
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


JOB = """# document
apiVersion: batch/v1
kind: Job
metadata: {{name: nightly{}}}
spec:
  template:
    spec:
      restartPolicy: Never
      {}
      containers:
        - {{name: main, image: "example.com/nightly:1.0", resources: {{requests: {{cpu: {}}}}}}}
"""


def rules(before: str, after: str) -> set[str]:
    old, new = (deployment_of(read(text)) for text in (before, after))
    (paired,) = with_installed([new], [old])
    return {finding.rule.id for finding in run(paired, FACTS).findings if finding.rule.id[0] == "G"}


TOLERATES = "tolerations: [{key: batch, operator: Exists}]"


def test_a_job_that_nobody_knows_keeps_its_template_too() -> None:
    plain = JOB.format("", "", "1")
    assert "G054" in rules(plain, JOB.format("", TOLERATES, "1"))
    assert "G054" in rules(JOB.format("", TOLERATES, "1"), plain)
    assert "G054" not in rules(plain, JOB.format("-2", TOLERATES, "1"))


def test_what_the_api_server_filled_in_is_no_change() -> None:
    stored = JOB.format(", uid: 4f0f", "schedulerName: default-scheduler", "1000m")
    stored = stored.replace(", image:", ", terminationMessagePath: /dev/log, image:")
    assert "G054" not in rules(stored, JOB.format("", "", "1"))
    assert "G054" in rules(stored, JOB.format("", TOLERATES, "1"))
    assert "G054" in rules(stored, JOB.format("", "", "2"))


SERVER = "# server\nspec: {{selector: {{matchLabels: {{app: gpt-oss{}}}}}}}"


def test_the_selector_of_a_server_cannot_change() -> None:
    assert "G063" in rules(SERVER.format(""), SERVER.format(", tier: gpu"))
    assert "G063" not in rules(SERVER.format(""), SERVER.format(""))


def test_a_release_that_changes_its_runtime_is_met_under_its_other_name() -> None:
    server = deployment_of(read("# server.yaml\n{}"))
    for new, old in ((server, CLEAN), (CLEAN, server)):
        (paired,) = with_installed([new], [old])
        assert paired.installed is old
        assert "G065" in {finding.rule.id for finding in run(paired, FACTS).findings}


def test_a_name_that_the_selector_holds_is_told_where_it_is_set() -> None:
    target = "serve-h100-2"
    (checked,) = judged(Request((target,), settings=("nameOverride=chat",)), target)
    (finding,) = [each for each in checked.result.findings if each.rule.id == "G063"]
    assert str(finding.place) == "--set nameOverride=chat"


CLAIM = """# document
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {{name: extra{}}}
spec: {{accessModes: [ReadWriteMany], resources: {{requests: {{storage: {}}}}}{}}}
"""
CLASS = ", storageClassName: fast"
SENT = "{manager: helm, fieldsV1: {'f:spec': {'f:storageClassName': {}}}}"
SENT_BY_HELM = f", managedFields: [{SENT}]"


def claims(before: tuple[str, str, str], after: tuple[str, str]) -> set[str]:
    """The rules that fire for a claim with this metadata, size and class before and after."""
    return rules(CLAIM.format(*before), CLAIM.format("", *after))


def test_a_class_that_was_written_once_cannot_be_left_out_again() -> None:
    assert "G055" in claims(("", "1Gi", CLASS), ("1Gi", ""))
    assert "G055" in claims((", uid: 4f0f" + SENT_BY_HELM, "1Gi", CLASS), ("1Gi", ""))


def test_a_class_that_the_cluster_filled_in_is_no_change() -> None:
    by_cluster = SENT_BY_HELM.replace("storageClassName", "accessModes")
    bound = SENT_BY_HELM.replace("helm", "kube-controller-manager")
    for metadata in (", uid: 4f0f", ", uid: 4f0f" + by_cluster, ", uid: 4f0f" + bound):
        assert claims((metadata, "1Gi", CLASS), ("1Gi", "")) == set()


def test_a_class_that_is_named_afterwards_is_known_only_from_the_cluster() -> None:
    assert claims(("", "1Gi", ""), ("1Gi", CLASS)) == {"G150"}
    assert claims((", uid: 4f0f", "1Gi", CLASS), ("1Gi", CLASS)) == set()
    assert "G055" in claims((", uid: 4f0f", "1Gi", ", storageClassName: slow"), ("1Gi", CLASS))


def test_a_claim_grows_where_its_class_lets_it() -> None:
    assert claims(("", "1Gi", ""), ("2Gi", "")) == {"G151"}
    assert claims((", uid: 4f0f", "1Gi", CLASS), ("2Gi", "")) == {"G151"}
    # A volume that was there before has no class.
    assert claims((", uid: 4f0f", "1Gi", ', storageClassName: ""'), ("2Gi", "")) == {"G152"}


def test_the_volumes_that_a_claim_may_take_cannot_change() -> None:
    chosen = ", selector: {{matchLabels: {{disk: {}}}}}"
    fast, slow = chosen.format("fast"), chosen.format("slow")
    assert claims(("", "1Gi", fast), ("1Gi", slow)) == {"G063"}
    assert claims((", uid: 4f0f", "1Gi", fast), ("1Gi", fast)) == set()
