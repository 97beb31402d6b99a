"""What `make generate` says when facts do not go together."""

import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from generate import facts, flag_changes
from generate.facts import faults_of_facts
from gptoss.text import plain_yaml

ROOT = facts.ROOT
AT = "schema/releases.yaml: releases.1.7.0"
CHANGES = {"like": "1.6.1", "source": "a test", "complete": True}


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(ROOT / "schema", tmp_path / "schema")
    for module in (facts, flag_changes):
        monkeypatch.setattr(module, "ROOT", tmp_path)
    return tmp_path


def faults(copy: Path, **entry: Any) -> list[str]:
    """What is wrong once there is a release 1.7.0, like 1.6.1 but for some keys."""
    file = copy / "schema" / "releases.yaml"
    content = plain_yaml.load(file.read_text())
    content["releases"]["1.7.0"] = content["releases"]["1.6.1"] | {"trtllm": "1.3.0rc32"} | entry
    file.write_text(yaml.safe_dump(content, sort_keys=False))
    return faults_of_facts()


def test_the_facts_of_the_repository_go_together() -> None:
    assert faults_of_facts() == []


def test_a_release_without_flags_says_all_that_is_missing_and_where_to_get_it(copy: Path) -> None:
    told = "run tools/setup/cli_flags.py 1.7.0, or say in schema/releases.yaml under "
    assert faults(copy) == [
        f"{AT}: schema/cli/{program}-1.7.0.json is missing: {told}releases.1.7.0.flags how the "
        "release differs"
        for program in ("dynamo.trtllm", "dynamo.frontend")
    ]


def test_a_release_without_changes_has_the_flags_of_the_one_it_is_like(copy: Path) -> None:
    assert faults(copy, flags=CHANGES) == []


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        (
            "kvEventsFlag",
            "--publish",
            "kvEventsFlag is --publish, which dynamo.trtllm does not have",
        ),
        ("aggregatedMode", "both", "aggregatedMode is none of what --disaggregation-mode takes"),
        ("routerModes", ["kv"], "routerModes is not what --router-mode takes: device-aware"),
        ("enforceDisagg", "refused", "enforceDisagg is refused, but --enforce-disagg is automatic"),
    ],
)
def test_a_fact_that_the_release_s_own_flags_deny_is_told(
    copy: Path, key: str, value: Any, told: str
) -> None:
    (fault,) = faults(copy, flags=CHANGES, **{key: value})
    assert fault.startswith(f"{AT}: {told}")


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"like": "1.8.0"}, "flags: like is '1.8.0', which is no release before 1.7.0"),
        ({"source": ""}, "flags: source is '', not a text"),
        ({"rename": {}}, "flags: rename is no key"),
        (
            {"dynamo.trtllm": {"renamed": {"--no-such": "--flag"}}},
            "flags.dynamo.trtllm.renamed: dynamo.trtllm 1.6.1 has no --no-such",
        ),
        (
            {"dynamo.frontend": {"removed": ["--no-such"]}},
            "flags.dynamo.frontend.removed: dynamo.frontend 1.6.1 has no --no-such",
        ),
        (
            {"dynamo.frontend": {"added": {"--new": {"kind": "int", "type": "int"}}}},
            "flags.dynamo.frontend.added.--new: kind is nothing that is known of a flag",
        ),
        (
            {"dynamo.frontend": {"added": {"--new": {"default": 1}}}},
            "flags.dynamo.frontend.added.--new: type is missing",
        ),
    ],
)
def test_a_change_that_cannot_be_made_is_told(
    copy: Path, changes: dict[str, Any], told: str
) -> None:
    assert f"{AT}.{told}" in faults(copy, flags=CHANGES | changes)


def test_changes_are_laid_over_the_flags_of_the_release_before(copy: Path) -> None:
    changes = {
        "renamed": {"--publish-kv-events": "--publish-kv-cache-events"},
        "removed": ["--namespace"],
        "added": {"--new": {"type": "int", "default": 3}},
        "changed": {"--request-plane": {"default": "nats"}},
    }
    assert faults(copy, flags=CHANGES | {"complete": False, "dynamo.trtllm": changes}) == [
        f"{AT}: kvEventsFlag is --publish-kv-events, which dynamo.trtllm does not have"
    ]
    releases = plain_yaml.load((copy / "schema" / "releases.yaml").read_text())["releases"]
    made = flag_changes.changed_document("dynamo.trtllm", "1.7.0", releases)
    assert made["flags"]["--publish-kv-cache-events"]["aliases"] == ["--no-publish-kv-cache-events"]
    assert made["flags"]["--new"] == {"type": "int", "default": 3}
    assert made["flags"]["--request-plane"]["default"] == "nats"
    assert not {"--publish-kv-events", "--namespace"} & made["flags"].keys()
    assert (made["release"], made["exact"]) == ("1.7.0", False)
    assert made["source"] == "1.6.1, and what 1.7.0 changed (a test)"


def test_releases_stand_from_old_to_new_and_the_default_is_one_of_them(copy: Path) -> None:
    file = copy / "schema" / "releases.yaml"
    content = plain_yaml.load(file.read_text())
    content["releases"]["1.0.2"] = content["releases"].pop("1.0.2")
    file.write_text(yaml.safe_dump(content | {"default": "1.9.0"}, sort_keys=False))
    assert faults_of_facts() == [
        "schema/releases.yaml: default is 1.9.0, which is none of the releases",
        "schema/releases.yaml: releases: 1.0.2 stands after 1.6.1; the oldest comes first",
    ]
