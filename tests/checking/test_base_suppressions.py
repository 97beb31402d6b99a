"""A change cannot silence its own findings: only suppressions of the base count."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from gptoss.checking.base_suppressions import not_in_base
from gptoss.checking.written_suppressions import Suppression
from gptoss.cli import main
from gptoss.text.places import Place
from tests.rules.examples import read
from tests.rules.examples import text_of as example_text

BAD = """\
# decode.yaml
cache_transceiver_config: {max_tokens_in_buffer: 11010}
"""
BUFFER = "max_tokens_in_buffer: 11010"
COMMENT = " # gptoss: ignore D003 because measured"
FILE = "deploy/graph.yaml"
CONFIG = "ignore:\n  D003: {reason: measured, path: deploy/*}\n"


@pytest.fixture(autouse=True)
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository whose branch main has a deployment with a fault, which a change is made to."""
    checkout = tmp_path / "checkout"
    (checkout / "deploy").mkdir(parents=True)
    monkeypatch.chdir(checkout)
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    Path(FILE).write_text(example_text(read(BAD)))
    git("init", "-q", "-b", "main")
    merged()
    return checkout


def git(*arguments: str) -> None:
    author = ["-c", "user.name=somebody", "-c", "user.email=somebody@example.com"]
    subprocess.run(["git", *author, *arguments], check=True, capture_output=True)


def merged() -> None:
    git("add", "-A")
    git("commit", "-qm", "base", "--allow-empty")


def edited(old: str, new: str, file: str = FILE) -> None:
    text = Path(file).read_text()
    assert old in text
    Path(file).write_text(text.replace(old, new))


def found(which: str = "base:main", source: str = "deploy") -> list[tuple[str, int]]:
    """Rules and lines of what is found in the folder, but for what the fault is not about."""
    arguments = ["check", source, "--format", "json", "--suppressions", which]
    result = CliRunner().invoke(main, arguments, catch_exceptions=False)
    told: dict[str, Any] = json.loads(result.stdout)
    rules = ("D003", "Z001", "Z002", "Z004")
    return [(f["rule"], f["line"]) for f in told["findings"] if f["rule"] in rules]


def line_of(text: str) -> int:
    lines = Path(FILE).read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def annotated(*where: str) -> None:
    """Gives the graph, or a component's pod, the annotation that suppresses."""
    documents = list(yaml.safe_load_all(Path(FILE).read_text()))
    graph = next(each for each in documents if each["kind"] == "DynamoGraphDeployment")
    at = graph
    for key in where:
        at = at.setdefault(key, {})
    at.setdefault("annotations", {})["gptoss/ignore.D003"] = "measured"
    Path(FILE).write_text(yaml.safe_dump_all(documents, sort_keys=False))


def comment() -> None:
    edited(BUFFER, BUFFER + COMMENT)


def whole_file() -> None:
    text = Path(FILE).read_text()
    Path(FILE).write_text(COMMENT.replace("ignore", "ignore-file").strip() + "\n" + text)


def annotation() -> None:
    annotated("metadata")


def configuration() -> None:
    Path(".gptoss.yaml").write_text(CONFIG)


def project() -> None:
    entry = 'D003 = {reason = "measured", path = "deploy/*"}'
    Path("pyproject.toml").write_text(f"[tool.gptoss.ignore]\n{entry}\n")


WAYS = (comment, whole_file, annotation, configuration, project)


@pytest.mark.parametrize("suppress", WAYS)
def test_a_suppression_that_a_change_brings_along_does_not_count(suppress: Any) -> None:
    suppress()
    assert found("all") == []
    for which in ("base:main", "none"):
        told = found(which)
        assert sorted(rule for rule, _ in told) == ["D003", "Z004"], which


@pytest.mark.parametrize("suppress", WAYS)
def test_a_suppression_of_the_base_counts_on_whichever_line(suppress: Any) -> None:
    suppress()
    merged()
    Path(FILE).write_text("# moved\n\n" + Path(FILE).read_text())
    assert found() == []
    assert found("none") != []


def test_a_folder_can_be_the_base_and_is_never_taken_for_a_revision(
    checkout: Path, tmp_path: Path
) -> None:
    comment()
    shutil.copytree(checkout, tmp_path / "merged")
    assert found(f"base:{tmp_path / 'merged'}") == []
    assert found("base:../merged") == []
    # Nor a revision for a folder, which the change may bring along.
    shutil.copytree(tmp_path / "merged" / "deploy", "main/deploy")
    assert [rule for rule, _ in found("base:main")] == ["D003", "Z004"]


def test_a_reason_is_no_ticket_for_a_wider_scope() -> None:
    comment()
    merged()
    edited(BUFFER + COMMENT, BUFFER)
    whole_file()
    assert [rule for rule, _ in found()] == ["Z004", "D003"]


def test_an_annotation_cannot_move_from_a_pod_to_the_graph() -> None:
    annotated("spec", "services", "Frontend", "extraPodMetadata")
    merged()
    annotated("metadata")
    assert {rule for rule, _ in found()} - {"Z002"} == {"D003", "Z004"}


def test_entries_of_the_configuration_cannot_be_widened() -> None:
    configuration()
    merged()
    Path(".gptoss.yaml").write_text("ignore:\n  D003: measured\n")
    assert [rule for rule, _ in found()] == ["Z004", "D003"]


def test_a_suppression_counts_as_often_as_the_base_has_it() -> None:
    comment()
    merged()
    text = Path(FILE).read_text()
    (other := Path("deploy/other.yaml")).write_text(text.replace("name: ", "name: other-"))
    assert {rule for rule, _ in found()} == {"D003", "Z004"}
    other.unlink()
    Path(FILE).write_text(f"{text}---\n{text.replace('name: ', 'name: other-')}")
    told = [rule for rule, _ in found() if rule in ("D003", "Z004")]
    assert told == ["D003", "Z004"]


def test_what_is_unused_or_without_a_reason_is_said_as_ever() -> None:
    edited(BUFFER, f"{BUFFER} # gptoss: ignore D003")
    assert [rule for rule, _ in found()] == ["D003", "Z001"]
    edited(BUFFER, "max_tokens_in_buffer: 11008")
    edited("# gptoss: ignore D003", COMMENT.strip())
    assert [rule for rule, _ in found()] == ["Z002"]


def test_the_report_says_which_do_not_count_and_where() -> None:
    comment()
    at = line_of(BUFFER)
    assert ("Z004", at) in found()
    result = CliRunner().invoke(main, ["check", "deploy", "--suppressions", "base:main"])
    assert "the suppression of D003 does not count: the base does not have it" in result.stdout
    assert f"{FILE}:{at}:" in result.stdout
    assert result.exit_code == 1
    assert CliRunner().invoke(main, ["check", "deploy"]).exit_code == 0


@pytest.mark.parametrize(
    ("which", "said"),
    [
        ("some", "say all, none, base:REVISION, or"),
        ("base:", "say all, none, base:REVISION, or"),
        ("base:nowhere", "has no such revision; fetch it"),
        ("base:--help", "has no such revision"),
        ("base:main:deploy", "has no such revision"),
        ("base:./nowhere", "there is no such folder"),
    ],
)
def test_a_base_that_is_not_there_is_no_silent_pass(which: str, said: str) -> None:
    result = CliRunner().invoke(main, ["check", "deploy", "--suppressions", which])
    assert (result.exit_code, said in result.stderr) == (2, True), result.stderr


def test_a_tag_is_not_taken_for_the_branch_that_it_is_called_as() -> None:
    comment()
    git("switch", "-qc", "change")
    merged()
    git("tag", "main")
    for which in ("base:main", "base:main~0"):
        result = CliRunner().invoke(main, ["check", "deploy", "--suppressions", which])
        assert (result.exit_code, "a branch and a tag may be meant" in result.stderr) == (2, True)
    assert {rule for rule, _ in found("base:refs/heads/main")} == {"D003", "Z004"}


def test_a_link_does_not_borrow_the_suppressions_of_what_it_leads_to() -> None:
    comment()
    Path("elsewhere.yaml").write_text(Path(FILE).read_text())
    git("checkout", "-q", FILE)
    merged()
    Path(FILE).unlink()
    Path(FILE).symlink_to("../elsewhere.yaml")
    assert {rule for rule, _ in found()} == {"D003", "Z004"}
    merged()
    assert found() == []
    edited("because measured", "because I say so", "elsewhere.yaml")
    assert {rule for rule, _ in found()} == {"D003", "Z004"}


def test_a_link_does_not_make_the_configuration_of_another_folder_hold_here() -> None:
    Path("lab").mkdir()
    Path("lab/gptoss.yaml").write_text(CONFIG)
    merged()
    Path(".gptoss.yaml").symlink_to("lab/gptoss.yaml")
    assert [rule for rule, _ in found()] == ["Z004", "D003"]
    merged()
    assert found() == []


def test_a_configuration_that_does_not_hold_in_the_base_is_not_uncovered() -> None:
    Path(".gptoss.yaml").write_text("ignore: {}\n")
    project()
    merged()
    assert [rule for rule, _ in found()] == ["D003"]
    Path(".gptoss.yaml").unlink()
    assert [rule for rule, _ in found()] == ["D003", "Z004"]


def test_an_annotation_cannot_move_to_another_element_of_a_list() -> None:
    documents = "kind: A\nworkers:\n{}"
    worker = "- name: {}\n  annotations: {{gptoss/ignore.D003: measured}}\n"
    before, after = (documents.format(worker.format(name)) for name in ("one", "two"))
    place = Place("a.yaml", 4, 17)
    suppression = Suppression("D003", "measured", place, "", "annotation", lambda _: True)
    for text, new in ((before, set()), (after, {suppression})):
        assert not_in_base([suppression], {"a.yaml": text}.get, lambda _: before) == new


def test_a_file_that_is_called_like_an_argument_is_a_file() -> None:
    annotation()
    Path(FILE).rename("--set x.yaml")
    assert {rule for rule, _ in found(source=".")} == {"D003", "Z004"}


def test_paths_of_the_configuration_are_compared_one_by_one() -> None:
    Path(".gptoss.yaml").write_text("ignore:\n  D003: {reason: measured, path: my deploy/*}\n")
    merged()
    Path(".gptoss.yaml").write_text("ignore:\n  D003: {reason: measured, path: [my, deploy/*]}\n")
    assert [rule for rule, _ in found()] == ["Z004", "D003"]


def test_git_runs_nothing_that_the_checkout_brings(checkout: Path) -> None:
    comment()
    Path(".gitattributes").write_text("* filter=own diff=own\n")
    merged()
    ran = checkout.parent / "ran"
    for key in ("filter.own.smudge", "diff.own.textconv", "core.fsmonitor", "core.pager"):
        git("config", key, f"touch {ran};cat")
    program = Path("git")
    program.write_text(f"#!/bin/sh\ntouch {ran}\n")
    program.chmod(0o755)
    path = os.pathsep.join(["", ".", os.environ["PATH"]])
    result = CliRunner().invoke(
        main, ["check", "deploy", "--suppressions", "base:main"], env={"PATH": path}
    )
    assert result.exit_code == 0, result.output
    assert not ran.exists()
