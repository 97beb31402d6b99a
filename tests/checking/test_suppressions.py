"""Findings are suppressed with a reason, and suppressions themselves are judged."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from gptoss.checking import suppressions
from gptoss.checking.checked import Checked
from gptoss.checking.checker import Result, run
from gptoss.checking.config import Config, find_config
from gptoss.checking.suppressions import apply_all
from gptoss.cli import main
from gptoss.rules.finding import Finding
from gptoss.rules.rule import RULES, Rule
from gptoss.sources.kubernetes.build import build
from gptoss.text import plain_yaml
from gptoss.text.errors import InputError
from gptoss.text.files import text_of
from gptoss.text.places import Place
from gptoss.text.yaml_tree import parse_documents
from tests.rules.examples import FACTS, read
from tests.rules.examples import text_of as example_text
from tests.rules.patches import dump

if TYPE_CHECKING:
    from pathlib import Path

FILE = "example.yaml"
BAD = """\
# decode.yaml
cache_transceiver_config: {max_tokens_in_buffer: 11010}
---
# prefill.yaml
cache_transceiver_config: {max_tokens_in_buffer: 11010}
"""
BUFFER = "max_tokens_in_buffer: 11010"
NOTHING = Config()


def checked(text: str, config: Config = NOTHING) -> Result:
    deployment = build(parse_documents(text, FILE), FILE, FACTS)
    result = run(deployment, FACTS)
    (item,) = apply_all(
        [Checked(deployment, result)], config, lambda file: text if file == FILE else None
    )
    return item.result


def rules_of(result: Result) -> list[str]:
    return sorted({finding.rule.id for finding in result.findings})


def suppressed(result: Result) -> list[tuple[str, str]]:
    return [(s.finding.rule.id, s.reason) for s in result.suppressed]


@pytest.fixture(scope="module")
def manifest() -> str:
    text = example_text(read(BAD))
    assert rules_of(checked(text)) == ["D003"]
    assert text.count(BUFFER) == 2
    return text


def with_comment(text: str, comment: str, above: bool, every: bool = True) -> str:
    """The text with a comment at or above the lines of the buffer."""
    lines: list[str] = []
    for line in text.splitlines():
        meant = BUFFER in line and (every or not any(comment in before for before in lines))
        if meant and above:
            lines.append(" " * (len(line) - len(line.lstrip())) + comment)
        lines.append(f"{line}  {comment}" if meant and not above else line)
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("above", [True, False], ids=["above", "on the line"])
@pytest.mark.parametrize(
    "comment",
    [
        "# gptoss: ignore D003 because measured",
        "# gptoss: ignore d003 because measured",
        "#gptoss:ignore D003: measured",
        "# gptoss: ignore D003 measured",
        "# gptoss: ignore transceiver-buffer-not-whole-blocks because measured",
    ],
)
def test_a_comment_suppresses_at_its_line_or_the_next(
    manifest: str, comment: str, above: bool
) -> None:
    result = checked(with_comment(manifest, comment, above))
    assert rules_of(result) == []
    assert suppressed(result) == [("D003", "measured")] * 2


def test_a_comment_suppresses_nothing_elsewhere(manifest: str) -> None:
    result = checked(with_comment(manifest, "# gptoss: ignore D003 because x", True, every=False))
    assert rules_of(result) == ["D003"]
    assert len(result.suppressed) == 1


def test_comments_stack_above_a_line(manifest: str) -> None:
    text = with_comment(manifest, "# plain words", above=True)
    text = text.replace("# plain words", "# gptoss: ignore D003 because x\n      # plain words")
    assert suppressed(checked(text)) == [("D003", "x")] * 2


def test_a_comment_for_the_file_suppresses_everywhere_in_it(manifest: str) -> None:
    result = checked(f"# gptoss: ignore-file D003 because measured\n{manifest}")
    assert rules_of(result) == []
    assert suppressed(result) == [("D003", "measured")] * 2


def test_each_of_several_rules_is_judged_by_itself(manifest: str) -> None:
    comment = "# gptoss: ignore D003, K001 because measured"
    text = with_comment(manifest, comment, above=False, every=False)
    result = checked(with_comment(text, comment, above=False, every=False))
    assert rules_of(result) == ["D003", "Z002"]
    (unused,) = [f for f in result.findings if f.rule.id == "Z002"]
    line = text.splitlines()[unused.place.line - 1]
    assert line[unused.place.column - 1 :].startswith("K001")
    assert unused.message == "K001 is suppressed here, but finds nothing"


def test_without_a_reason_nothing_is_suppressed(manifest: str) -> None:
    result = checked(f"# gptoss: ignore-file D003\n{manifest}")
    assert rules_of(result) == ["D003", "Z001"]
    assert result.suppressed == ()
    (said,) = [f for f in result.findings if f.rule.id == "Z001"]
    assert said.hint == "write # gptoss: ignore-file D003 because … with the reason"


@pytest.mark.parametrize(
    ("names", "message", "hint"),
    [
        ("D03 because x", "there is no rule D03", "did you mean D0"),
        ("because x", "the suppression names no rule", "name the rule"),
        ("", "the suppression names no rule", "name the rule"),
        ("V001 because x", "V001 cannot be suppressed", "mend"),
        ("Z002 because x", "Z002 cannot be suppressed", "mend"),
    ],
)
def test_a_suppression_of_no_rule_is_reported(
    manifest: str, names: str, message: str, hint: str
) -> None:
    result = checked(f"# gptoss: ignore-file {names}\n{manifest}")
    assert rules_of(result) == ["D003", "Z003"]
    (said,) = [f for f in result.findings if f.rule.id == "Z003"]
    assert said.message == message
    assert said.hint.startswith(hint)


def test_words_that_only_look_like_it_suppress_nothing(manifest: str) -> None:
    text = f"# gptoss: ignored D003 because x\n# see gptoss: ignore-file D003 because x\n{manifest}"
    assert rules_of(checked(text)) == ["D003"]


def test_a_comment_above_a_command_covers_its_continued_lines() -> None:
    script = (
        "# gptoss: ignore C001 because the flag is for the eye only\n"
        "python3 -m dynamo.trtllm \\\n"
        "  --model-path openai/gpt-oss-120b \\\n"
        "  --extra-engine-args /opt/gpt-oss/worker.yaml \\\n"
        "  --max-batch-size 512\n"
    )
    documents = list(plain_yaml.load_all(example_text(read("# worker.yaml\nstream_interval: 20"))))
    graph = next(d for d in documents if d["kind"] == "DynamoGraphDeployment")
    container = graph["spec"]["services"]["worker"]["extraPodSpec"]["mainContainer"]
    container |= {"command": ["/bin/sh", "-c"], "args": [script]}
    result = checked("---\n".join(dump(document) for document in documents))
    assert ("C001", "the flag is for the eye only") in suppressed(result)
    assert "C001" not in rules_of(result)


def annotated(reason: str | None, on: str) -> str:
    documents = list(plain_yaml.load_all(example_text(read(BAD))))
    graph = next(d for d in documents if d["kind"] == "DynamoGraphDeployment")
    holder = graph["metadata"]
    if on != "graph":
        holder = graph["spec"]["services"][on]["extraPodMetadata"]
    holder.setdefault("annotations", {})["gptoss/ignore.D003"] = reason
    return "---\n".join(dump(document) for document in documents)


def test_an_annotation_of_the_graph_suppresses_in_the_whole_deployment() -> None:
    result = checked(annotated("measured", "graph"))
    assert rules_of(result) == []
    assert suppressed(result) == [("D003", "measured")] * 2


def test_an_annotation_of_a_pod_suppresses_in_its_component_only() -> None:
    result = checked(annotated("measured", "decode"))
    assert suppressed(result) == [("D003", "measured")]
    assert rules_of(result) == ["D003"]


def test_an_annotation_without_a_reason_is_reported() -> None:
    result = checked(annotated("", "graph"))
    assert rules_of(result) == ["D003", "Z001"]


def configured(tmp_path: Path, name: str, text: str) -> Config:
    (tmp_path / name).write_text(text)
    return find_config(tmp_path)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".gptoss.yaml", "ignore:\n  D003: measured\n"),
        (".gptoss.yaml", "ignore:\n  D003: {reason: measured, path: 'exam*.yaml'}\n"),
        (".gptoss.yaml", "ignore: {D003: {reason: measured, path: [a.yaml, '*example.yaml']}}\n"),
        ("pyproject.toml", '[tool.gptoss.ignore]\nD003 = "measured"\n'),
        ("pyproject.toml", '[tool.gptoss.ignore.D003]\nreason = "measured"\npath = "*.yaml"\n'),
    ],
)
def test_the_configuration_suppresses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, manifest: str, name: str, text: str
) -> None:
    monkeypatch.chdir(tmp_path)
    result = checked(manifest, configured(tmp_path, name, text))
    assert rules_of(result) == []
    assert suppressed(result) == [("D003", "measured")] * 2
    assert {s.place.file for s in result.suppressed} == {name}


@pytest.mark.parametrize(
    ("name", "text", "line", "column"),
    [
        (".gptoss.yaml", "# why\nignore:\n  D003:\n", 3, 3),
        ("pyproject.toml", '[project]\nD003 = "x"\n[tool.gptoss.ignore]\nD003 = ""\n', 4, 1),
        ("pyproject.toml", "[tool.gptoss.ignore.D003]\npath = '*'\n", 1, 21),
    ],
)
def test_an_entry_without_a_reason_is_reported_at_its_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    manifest: str,
    name: str,
    text: str,
    line: int,
    column: int,
) -> None:
    monkeypatch.chdir(tmp_path)
    result = checked(manifest, configured(tmp_path, name, text))
    assert rules_of(result) == ["D003", "Z001"]
    (said,) = [f for f in result.findings if f.rule.id == "Z001"]
    assert said.place == (name, line, column)


def test_the_configuration_of_other_files_holds_for_none_of_these(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, manifest: str
) -> None:
    monkeypatch.chdir(tmp_path)
    text = "ignore: {D003: {reason: x, path: lab/*.yaml}}\n"
    assert rules_of(checked(manifest, configured(tmp_path, ".gptoss.yaml", text))) == ["D003"]


def test_the_nearest_configuration_up_to_the_repository_s_top_counts(tmp_path: Path) -> None:
    inner = tmp_path / "top" / "values"
    inner.mkdir(parents=True)
    (tmp_path / ".gptoss.yaml").write_text("ignore: {D003: outside}\n")
    (tmp_path / "top" / ".git").mkdir()
    (inner / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert find_config(inner).ignores == ()
    (tmp_path / "top" / "pyproject.toml").write_text("[tool.gptoss.ignore]\nD003 = 'inside'\n")
    assert [ignore.reason for ignore in find_config(inner).ignores] == ["inside"]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        (".gptoss.yaml", "ignored: {}\n", ":1:1: the configuration has no key ignored"),
        (".gptoss.yaml", "- 1\n", "the configuration must be a map"),
        (".gptoss.yaml", "ignore: [D003]\n", "ignore must be a map of rules to reasons"),
        (".gptoss.yaml", "ignore: {D003: 3}\n", "ignore.D003 must be a map with reason and path"),
        (".gptoss.yaml", "ignore: {D003: {reason: [x]}}\n", "reason and path must be text"),
        (".gptoss.yaml", "a: [", "not valid YAML"),
        ("pyproject.toml", "[tool.gptoss]\nignore = ", "not valid TOML"),
        ("pyproject.toml", "[tool.gptoss.ignore]\nD003 = {why = 'x'}\n", "has no key why"),
    ],
)
def test_a_broken_configuration_says_where_and_what(
    tmp_path: Path, name: str, text: str, said: str
) -> None:
    with pytest.raises(InputError, match=name.replace(".", r"\.")) as caught:
        configured(tmp_path, name, text)
    assert said in str(caught.value)


def deployments(texts: dict[str, str]) -> list[Checked]:
    built = [build(parse_documents(text, file), file, FACTS) for file, text in texts.items()]
    return [Checked(deployment, run(deployment, FACTS)) for deployment in built]


def test_a_suppression_that_one_of_several_deployments_needs_is_not_unused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, manifest: str
) -> None:
    monkeypatch.chdir(tmp_path)
    config = configured(tmp_path, ".gptoss.yaml", "ignore: {D003: measured}\n")
    clean = manifest.replace("11010", "11008")
    both = apply_all(deployments({"a.yaml": manifest, "b.yaml": clean}), config, lambda _: None)
    assert [rules_of(item.result) for item in both] == [[], []]
    (alone,) = apply_all(deployments({"b.yaml": clean}), config, lambda _: None)
    assert rules_of(alone.result) == ["Z002"]


def test_a_rule_that_could_not_be_applied_leaves_its_suppression_alone(manifest: str) -> None:
    text = f"# gptoss: ignore-file P009 because measured\n{manifest}"
    assert rules_of(checked(text)) == ["D003", "Z002"]
    unplaced = text.replace("nvidia.com/gpu.product: NVIDIA-GB200", "zone: a")
    assert "Z002" not in rules_of(checked(unplaced))


def test_each_file_is_read_once_and_only_files_are(manifest: str) -> None:
    asked: list[str] = []

    def read_text(file: str) -> str:
        asked.append(file)
        return manifest

    items = deployments({FILE: manifest, "other.yaml": manifest})
    apply_all([*items, *items], NOTHING, read_text)
    assert sorted(asked) == [FILE, "other.yaml"]


def test_what_is_no_file_has_no_text(tmp_path: Path) -> None:
    binary = tmp_path / "x.yaml"
    binary.write_bytes(b"\xff\xfe")
    named = ("<nothing>", "--set a=b", str(tmp_path / "none.yaml"), str(tmp_path), str(binary))
    assert [text_of(file) for file in named] == [None] * 5


def test_without_suppressions_the_result_is_the_same_object(manifest: str) -> None:
    (item,) = deployments({FILE: manifest})
    (same,) = apply_all([item], NOTHING, lambda _: manifest)
    assert same.result is item.result


Z = [rule for rule in RULES.values() if rule.id.startswith("Z")]


@pytest.mark.parametrize("rule", Z, ids=[rule.id for rule in Z])
def test_the_examples_of_the_rules_about_suppressions_hold(rule: Rule) -> None:
    bad = read(rule.bad)
    assert set(rules_of(checked(example_text(bad)))) == {rule.id} | bad.also
    assert rules_of(checked(example_text(read(rule.good)))) == []
    assert rules_of(checked(example_text(read(rule.near)))) == []


def test_comments_count_in_manifests_on_standard_input(manifest: str) -> None:
    reason = f"{BUFFER}  # gptoss: ignore D003 because measured"
    text = manifest.replace(BUFFER, reason)
    result = CliRunner().invoke(main, ["check", "-", "--format", "json"], input=text)
    report = json.loads(result.stdout)
    assert report["findings"] == []
    assert [found["rule"] for found in report["suppressed"]] == ["D003", "D003"]


def test_findings_on_standard_input_show_their_line(manifest: str) -> None:
    result = CliRunner().invoke(main, ["check", "-"], input=manifest)
    assert f"{BUFFER}\n" in result.stdout


def test_standard_input_is_not_compared_with_itself() -> None:
    result = CliRunner().invoke(main, ["check", "-", "--against", "-"], input="a: 1")
    assert result.exit_code == 2
    assert "read only once" in result.stderr


def test_a_comment_block_is_about_the_line_after_it_as_far_as_that_goes_on() -> None:
    block = "# gptoss: ignore D003 because measured\n" + "# and more\n" * 3
    text = f"{block}run \\\n  --a \\\n  --b\nnext # gptoss: ignore M002 because so\n"
    said = [*suppressions._comments(text, FILE)]
    at = [Finding(RULES["D003"], Place(FILE, line), "", "") for line in range(1, 10)]
    covered = [[f.place.line for f in at if each.covers(f)] for each in said]
    assert covered == [[5, 6, 7], [8]]


def test_the_comments_of_a_file_suppress_a_bounded_number_of_rules() -> None:
    names = ",".join(f"ab{n}" for n in range(suppressions.MAX_IN_FILE + 1))
    with pytest.raises(InputError, match=r"more than 1,000 rules are suppressed") as caught:
        checked(example_text(read(BAD)) + f"\n# gptoss: ignore {names} because so\n")
    assert caught.value.place is not None


def test_the_nearest_rule_is_looked_for_once_a_name_and_not_for_long_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []

    def matches(name: str, _known: object, _count: int) -> list[str]:
        asked.append(name)
        return []

    monkeypatch.setattr("difflib.get_close_matches", matches)
    suppressions._nearest.cache_clear()
    lines = "# gptoss: ignore qq77 because so\n" * 5 + f"# gptoss: ignore {'q' * 500} because\n"
    result = checked(f"{lines}{example_text(read(BAD))}")
    suppressions._nearest.cache_clear()
    assert asked == ["QQ77"]
    assert len([f for f in result.findings if f.rule.id == "Z003"]) == 6
