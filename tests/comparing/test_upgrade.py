"""``upgrade`` lists what changes on another release and writes what has one right answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gptoss.checking.checked import Checked
from gptoss.checking.checker import run
from gptoss.comparing.upgrade import Upgrade, as_json, as_text, upgrade_plan
from gptoss.facts.versions import version_number
from gptoss.sources.load import load
from gptoss.sources.request import Request
from gptoss.text import plain_yaml
from gptoss.text.errors import InputError
from tests.rules.examples import FACTS, read, text_of

if TYPE_CHECKING:
    from collections.abc import Sequence


START = "1.2.1"


def plan_of(source: Path | str, to: str) -> Upgrade:
    def check(release: str | None) -> Sequence[Checked]:
        loaded = load(Request(sources=(str(source),), release=release))
        return [Checked(d, run(d, loaded.facts)) for d in loaded.deployments]

    return upgrade_plan(check, [str(source)], to, FACTS)


def manifest(folder: Path, example: str) -> Path:
    path = folder / "deploy.yaml"
    path.write_text(text_of(read(f"# release: {START}\n{example}")), encoding="utf-8")
    return path


def test_image_tags_and_what_becomes_wrong_are_written(tmp_path: Path) -> None:
    mode = "# worker flags\n--disaggregation-mode prefill_and_decode"
    path = manifest(tmp_path, mode)
    before = path.read_text()
    upgrade = plan_of(path, "1.4.2")
    assert upgrade.start == ("1.2.1",)
    assert not upgrade.is_blocked
    assert [step.fix is not None for step in upgrade.steps if step.kind == "wrong"] == [True]
    assert path.read_text() == before
    upgrade.plan.write()
    assert path.read_text() == before.replace(":1.2.1", ":1.4.2").replace(
        "prefill_and_decode", "agg"
    )
    again = plan_of(path, "1.4.2")
    assert (again.start, again.plan.diff()) == (("1.4.2",), "")
    assert [step.kind for step in again.steps if step.kind != "release"] == []


def test_a_server_moves_to_the_image_of_the_tensorrt_llm_that_the_release_ships(
    tmp_path: Path,
) -> None:
    path = manifest(tmp_path, "# server.yaml\nstream_interval: 20")
    upgrade = plan_of(path, "1.4.2")
    upgrade.plan.write()
    assert "tensorrt-llm/release:1.3.0rc22" in path.read_text()
    assert ":1.3.0rc14" not in path.read_text()
    assert plan_of(path, "1.4.2").start == ("1.4.2",)


def test_what_changes_under_dynamo_does_not_concern_a_server(tmp_path: Path) -> None:
    path = manifest(tmp_path, "# server.yaml\nstream_interval: 20")
    told = as_text(plan_of(path, "1.6.1"))
    assert not any(word in told for word in ("NATS", "operator", "component name", "apiVersion"))


def test_a_flag_that_wins_only_from_then_on_is_told(tmp_path: Path) -> None:
    path = manifest(tmp_path, "# server flags\n--max_batch_size 64")
    told = [step.message for step in plan_of(path, "1.4.2").steps if step.kind == "wrong"]
    assert any("max_batch_size 720 in the engine YAML is not in force" in text for text in told)


def test_the_release_of_a_target_is_set_in_its_values_file(tmp_path: Path) -> None:
    values = tmp_path / "mine.yaml"
    shipped = Path("values/agg-gb200.yaml").read_text()
    values.write_text(shipped)
    upgrade = plan_of(values, "1.6.1")
    upgrade.plan.write()
    assert values.read_text() == shipped.replace("release: 1.3.1", "release: 1.6.1")
    assert any("the chart writes nvidia.com/v1beta1" in s.message for s in upgrade.steps)


def test_what_is_refused_there_comes_first_and_the_release_last(tmp_path: Path) -> None:
    example = "# worker flags\n--disaggregation-mode prefill_and_decode"
    kinds = [step.kind for step in plan_of(manifest(tmp_path, example), "1.6.1").steps]
    order = ["wrong", "broken", "default", "platform", "release"]
    assert sorted(kinds, key=order.index) == kinds
    assert set(kinds) == set(order)


def test_a_default_that_changes_is_told_only_where_nobody_sets_it(tmp_path: Path) -> None:
    flag = "--router-queue-threshold"
    left = plan_of(manifest(tmp_path, "# frontend flags\n--http-host 0.0.0.0"), "1.3.1")
    given = plan_of(manifest(tmp_path, f"# frontend flags\n{flag} 4"), "1.3.1")
    assert [flag in as_text(upgrade) for upgrade in (left, given)] == [True, False]
    key = "kv_cache_config.use_kv_cache_manager_v2"
    unset = plan_of(manifest(tmp_path, "# decode.yaml\nstream_interval: 20"), "1.4.2")
    pinned = "# worker.yaml\nkv_cache_config: {use_kv_cache_manager_v2: false}"
    assert f"{key} is not set; its default probably changes from false to auto" in as_text(unset)
    assert key not in as_text(plan_of(manifest(tmp_path, pinned), "1.4.2"))


@pytest.mark.parametrize(
    ("example", "to", "told"),
    [
        ("# frontend flags\n--router-mode kv", "1.6.1", "ZMQ by default"),
        ("# frontend flags\n--router-mode random", "1.6.1", None),
        ("# decode.yaml\n{}", "1.3.1", "CUDA 13 only"),
        ("# decode.yaml\n{}", "1.2.1", None),
        ("# decode.yaml\n{}", "1.5.1", "cannot be changed any more"),
        ("# decode.yaml\n{}", "1.4.2", "no longer installs NATS"),
    ],
)
def test_changes_of_the_platform_are_told_to_those_they_concern(
    tmp_path: Path, example: str, to: str, told: str | None
) -> None:
    text = as_text(plan_of(manifest(tmp_path, example), to))
    changes = ("ZMQ", "CUDA", "NATS", "cannot be changed")
    assert told in text if told else not any(word in text for word in changes[:1])


MENDED_ON_1_3 = {
    "tool-call-in-pieces",
    "tool-call-on-analysis",
    "effort-at-top",
    "listed-before-served",
    "tool-without-description",
}


@pytest.mark.parametrize(
    ("example", "to", "expected"),
    [
        ("# decode.yaml\nstream_interval: 20", "1.3.1", MENDED_ON_1_3),
        ("# decode.yaml\nstream_interval: 1", "1.3.1", MENDED_ON_1_3 - {"tool-call-in-pieces"}),
        (
            "# worker.yaml\nstream_interval: 20",
            "1.6.1",
            MENDED_ON_1_3 - {"listed-before-served"}
            | {"max-tokens-zero", "tool-message-without-call", "responses-reasoning-tokens"},
        ),
        ("# server.yaml\nstream_interval: 20", "1.6.1", set()),
        ("# decode.yaml\nstream_interval: 20", "1.2.1", set()),
    ],
)
def test_what_a_newer_release_mends_is_told_to_those_who_had_it(
    tmp_path: Path, example: str, to: str, expected: set[str]
) -> None:
    upgrade = plan_of(manifest(tmp_path, example), to)
    assert {known.id for known in upgrade.mended} == expected
    report = json.loads(as_json(upgrade))
    assert {known["id"] for known in report["mended"]} == expected
    assert all(known["what"] and known["source"] for known in report["mended"])
    assert (f"mended on {to}:" in as_text(upgrade)) is bool(expected)


def test_what_a_newer_release_does_wrong_is_a_step_and_so_is_the_way_back(tmp_path: Path) -> None:
    path = manifest(tmp_path, "# decode.yaml\nstream_interval: 20")
    there = {s.message for s in plan_of(path, "1.5.1").steps if s.kind == "broken"}
    assert there == {FACTS.known[name].what for name in (
        "responses-without-reasoning", "prompt-beyond-context",
    )}  # fmt: skip
    newer = path.read_text().replace("1.2.1", "1.3.1")
    path.write_text(newer)
    back = {s.message for s in plan_of(path, "1.2.1").steps if s.kind == "broken"}
    assert back == {FACTS.known[name].what for name in MENDED_ON_1_3}


def test_a_digest_is_not_replaced_by_a_tag(tmp_path: Path) -> None:
    path = manifest(tmp_path, "# decode.yaml\n{}")
    pinned = path.read_text().replace(
        "tensorrtllm-runtime:1.2.1", f"runtime:1.2.1@sha256:{'a' * 64}"
    )
    path.write_text(pinned)
    upgrade = plan_of(path, "1.3.1")
    assert "sha256" not in upgrade.plan.diff()
    assert "write the tag or digest of 1.3.1" in as_text(upgrade)


def test_what_nobody_can_write_blocks_the_way(tmp_path: Path) -> None:
    upgrade = plan_of(manifest(tmp_path, "# api: v1beta1"), "1.1.1")
    assert upgrade.is_blocked
    assert "[G010]" in as_text(upgrade)


def test_what_was_wrong_before_is_left_to_check(tmp_path: Path) -> None:
    upgrade = plan_of(manifest(tmp_path, "# decode\ncomponentType: main"), "1.3.1")
    assert "+      componentType" not in upgrade.plan.diff()
    assert "G001" not in as_text(upgrade)


def test_steps_are_told_to_programs_too(tmp_path: Path) -> None:
    report = json.loads(as_json(plan_of(manifest(tmp_path, "# decode.yaml\n{}"), "1.3.1")))
    assert (report["from"], report["to"]) == (["1.2.1"], "1.3.1")
    assert {step["kind"] for step in report["steps"]} >= {"platform", "release"}
    assert all(step["source"] and step["do"] for step in report["steps"])


def test_an_unknown_release_is_refused_with_those_that_are_known(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"9\.9\.9 is not known; it is one of 0\.5\.0"):
        plan_of(manifest(tmp_path, "# decode.yaml\n{}"), "9.9.9")


def test_every_change_of_the_platform_is_whole() -> None:
    changes = plain_yaml.load(Path("schema/upgrades.yaml").read_text())["changes"]
    conditions = {None, "kv-router", "disaggregated", "unversioned"}
    for change in changes:
        assert change.keys() - {"when"} == {"since", "what", "do", "source"}
        assert change.get("when") in conditions
    versions = [version_number(change["since"]) for change in changes]
    assert versions == sorted(versions)
