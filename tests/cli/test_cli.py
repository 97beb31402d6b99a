"""The command as people use it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from click.testing import CliRunner, Result

from gptoss import rules  # noqa: F401 (declares the rules)
from gptoss.cli import main
from gptoss.facts import folders
from gptoss.facts.world import Facts
from gptoss.rules.rule import RULES
from gptoss.sources.chart.helm import find_helm
from gptoss.text.errors import InputError

TARGETS = [
    "agg-b200-node-tuned",
    "agg-b200-tuned",
    "agg-gb200",
    "disagg-b200",
    "disagg-b200-node",
    "disagg-b200-node-tuned",
    "disagg-b200-tuned",
    "disagg-gb200",
    "disagg-gb200-tuned",
    "eval-dep4-b200",
    "eval-dep8-b200",
    "eval-tp4-b200",
    "eval-tp8-b200",
    "serve-h100-2",
    "serve-latency-b200",
    "serve-latency-gb200",
    "serve-throughput-b200",
    "serve-throughput-gb200",
]
SWEEPING = [
    name
    for name in TARGETS
    if name.startswith(("agg-b200-tuned", "serve-latency", "serve-throughput"))
]
OVERLAYS = {
    "eval-high-effort-dep": ["eval-dep4-b200", "eval-dep8-b200"],
    "eval-high-effort-tp": ["eval-tp4-b200", "eval-tp8-b200"],
    "quant-w4a8-mxfp4-mxfp8": [name for name in TARGETS if "b200" in name],
}
FACTS = Facts()
# What other releases have against settings that are right for the one that targets name: tool calls
# that are lost up to 1.2 (S024), an engine that stops in 1.1 (E032) or may hang between prefill and
# decode in 1.0 (D018), a kernel that is slow in 1.0 (M009) and deprecated from 1.5 on (M005).
ELSEWHERE = {
    version: {
        rule
        for rule, holds in (
            ("S024", release.number < (1, 3)),
            ("D018", release.number[:2] == (1, 0)),
            ("M009", release.number[:2] == (1, 0)),
            ("E032", release.number[:2] == (1, 1)),
            ("M005", release.number >= (1, 5)),
        )
        if holds
    }
    for version, release in FACTS.releases.items()
}
AS_FOUND = str(folders.root() / "examples" / "as-found")


def run(*arguments: str, stdin: str | bytes | None = None) -> Result:
    return CliRunner().invoke(main, list(arguments), input=stdin, catch_exceptions=False)


def reported(*arguments: str, stdin: str | None = None) -> dict[str, Any]:
    result = run("check", *arguments, "--format", "json", stdin=stdin)
    report: dict[str, Any] = json.loads(result.stdout)
    return report


@dataclass(frozen=True)
class Shipped:
    """What is said of every target: the summary, and the report of the same run."""

    summary: list[str]
    report: dict[str, Any]


@cache
def shipped() -> Shipped:
    with TemporaryDirectory() as folder:
        file = Path(folder, "report.json")
        lines = run("check", "--summary", "--output", str(file)).stdout.splitlines()
        return Shipped(lines, json.loads(file.read_text()))


@pytest.mark.parametrize("release", FACTS.releases)
def test_no_shipped_target_has_an_error_or_a_warning_on_its_release(release: str) -> None:
    is_their_own = release == FACTS.default_release.version
    report = shipped().report if is_their_own else reported("--release", release)
    serious = [f for f in report["findings"] if f["severity"] != "info"]
    assert [f for f in serious if f["severity"] == "error"] == []
    assert {f["rule"] for f in serious} <= ELSEWHERE[release]


def test_check_without_sources_checks_every_target_with_every_overlay_made_for_it() -> None:
    expected = []
    for target in TARGETS:
        expected.append(target)
        expected += [f"{target} + {name}" for name, fits in OVERLAYS.items() if target in fits]
    assert shipped().report["checked"] == expected


def test_the_summary_has_one_row_a_target_and_fits_a_hundred_and_twenty_columns() -> None:
    lines = shipped().summary
    assert len(lines) == 1 + len(TARGETS) + sum(len(fits) for fits in OVERLAYS.values())
    assert max(len(line) for line in lines) <= 120
    (first,) = [line for line in lines if line.startswith("agg-gb200")]
    assert "3,600" in first
    assert "36,000" in first
    (sweep,) = [line for line in lines if line.startswith("serve-throughput-gb200")]
    assert "32…2,880" in sweep
    assert "160…14,400" in sweep


def test_the_summary_counts_the_deployments_of_its_table_and_shows_no_notes_above_it() -> None:
    asked = ("agg-gb200", "disagg-gb200", "--set", "workload.concurrencyPerGpu=3000")
    text = run("check", *asked, "--summary").stdout
    assert "2 deployments checked: 2 warnings\n" in text
    assert ": info: " not in text
    assert len(text.partition("findings\n")[2].splitlines()) == 2


def test_the_summary_leaves_a_report_for_programs_alone() -> None:
    result = run("check", AS_FOUND, "--summary", "--format", "json")
    assert json.loads(result.stdout)["findings"]


def test_findings_have_every_field_of_the_format() -> None:
    report = reported(AS_FOUND)
    assert set(report) == {"checked", "findings", "suppressed", "not_applied"}
    keys = {
        "rule",
        "name",
        "severity",
        "message",
        "subjects",
        "hint",
        "file",
        "line",
        "column",
        "also",
        "fixable",
        "source",
    }
    for finding in report["findings"]:
        assert set(finding) == keys
        assert finding["rule"] in RULES
        for also in finding["also"]:
            assert set(also) == {"file", "line", "column", "message", "same"}


def test_a_manifest_s_mistakes_are_named_at_their_lines() -> None:
    found = {
        (Path(place["file"]).name, place["line"], finding["rule"])
        for finding in reported(AS_FOUND)["findings"]
        for place in (finding, *finding["also"])
    }
    lines = (Path(AS_FOUND) / "deploy.yaml").read_text().splitlines()
    main_lines = [n for n, line in enumerate(lines, 1) if "componentType: main" in line]
    assert {("deploy.yaml", line, "G001") for line in main_lines} <= found


def test_text_shows_place_severity_message_rule_source_line_caret_and_hint() -> None:
    lines = run("check", AS_FOUND).stdout.splitlines()
    block = lines[next(n for n, line in enumerate(lines) if "[G001]" in line) :]
    assert block[0].endswith("so the worker is never discovered [G001]")
    assert ": error: " in block[0]
    assert block[1].strip() == "componentType: main"
    assert block[2].strip() == "^" * len("componentType") + " hint: write componentType: worker"
    assert block[3].endswith("deploy.yaml:82:7: Decode: the same")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("check", "disagg-gb200"), 0),
        (("check", "disagg-gb200", "--fail-on", "info"), 1),
        (("check", AS_FOUND), 1),
        (("check", "nothing-of-the-kind"), 2),
        (("check", "--no-such-option"), 2),
    ],
)
def test_exit_codes(arguments: tuple[str, ...], code: int) -> None:
    assert run(*arguments).exit_code == code


def test_what_helm_refuses_is_an_error_at_the_values_line(tmp_path: Path) -> None:
    overlay = tmp_path / "mine.yaml"
    overlay.write_text("workers:\n  decode:\n    engine:\n      max_batchsize: 1\n")
    report = reported("disagg-gb200", "-f", str(overlay))
    (finding,) = report["findings"]
    assert (finding["rule"], finding["line"], finding["column"]) == ("V001", 4, 7)
    assert "max_batchsize" in finding["message"]


def test_a_finding_about_an_overlay_points_at_the_overlay(tmp_path: Path) -> None:
    overlay = tmp_path / "mine.yaml"
    overlay.write_text("# smaller\nworkers:\n  decode:\n    engine: {max_batch_size: 512}\n")
    report = reported("disagg-gb200", "-f", str(overlay))
    places = {(f["rule"], Path(f["file"]).name, f["line"]) for f in report["findings"]}
    assert "mine.yaml" in {file for _, file, _ in places} | {
        Path(a["file"]).name for f in report["findings"] for a in f["also"]
    }


def test_manifests_are_read_from_standard_input() -> None:
    text = "\n---\n".join(path.read_text() for path in sorted(Path(AS_FOUND).glob("*.yaml")))
    report = reported("-", stdin=text)
    assert "G001" in {finding["rule"] for finding in report["findings"]}
    assert {finding["file"] for finding in report["findings"]} == {"<stdin>"}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "this is empty; understood are a values file of the chart, "),
        (b"a: [1", "not valid YAML"),
        (b"\xff\xfe\x00", "UTF-8"),
        (b"kind: Pod\napiVersion: v1\n", "there is no DynamoGraphDeployment"),
        (b"- 1\n- 2\n", "it is not clear what this is; understood are "),
        (b"a: &a [*a]\n", "contains itself"),
        (b"[" * 200, "YAML"),
    ],
)
def test_unreadable_input_gets_one_line_and_exit_code_2(content: bytes, said: str) -> None:
    result = run("check", "-", stdin=content)
    assert result.exit_code == 2
    assert said in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("check", "disag-gb200"), "did you mean disagg-gb200?"),
        (("check", "quant-w4a8-mxfp4-mxfp8"), "is an overlay; lay it over a target"),
        (("check", "disagg-gb200", "-f", "none.yaml"), "-f none.yaml: there is no such file"),
        (("check", "disagg-gb200", "--release", "9.9.9"), "release 9.9.9 is not known"),
        (("check", AS_FOUND, "--set", "a=b"), "-f and --set are for targets"),
        (("explain", "D099"), "there is no rule D099; did you mean D0"),
        (("bench", str(Path(AS_FOUND) / "deploy.yaml")), "has no benchmark"),
    ],
)
def test_a_wrong_command_line_says_what_to_do(arguments: tuple[str, ...], said: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert said in result.stderr


def test_a_values_file_that_is_no_map_is_refused(tmp_path: Path) -> None:
    values = tmp_path / "values.yaml"
    values.write_text("- 1\n")
    result = run("check", str(values))
    assert result.exit_code == 2
    assert "Traceback" not in result.stderr


def test_without_helm_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gptoss.sources.chart.helm.folders.root", lambda: Path("/nowhere"))
    monkeypatch.setenv("PATH", "")
    with pytest.raises(InputError, match=r"Helm is not on the PATH; install Helm 3\.14"):
        find_helm()


@pytest.mark.parametrize("target", [name for name in TARGETS if name not in SWEEPING])
def test_bench_gives_the_numbers_of_the_chart_s_job(target: str) -> None:
    from tests.chart.rendering import objects, one

    plan = json.loads(run("bench", target, "--format", "json").stdout)
    job = one("Job", objects(target, "benchmark.enabled=true"), "benchmark")
    template = job["spec"]["template"]
    # benchmark.py takes what is known of the target, then the command.
    known, _, *words = template["spec"]["containers"][0]["args"]
    assert (known, plan["argv"]) == ("--target", words)
    assert template["metadata"]["annotations"]["gpt-oss/gpus"] == str(plan["gpus"])
    flags = {"concurrency": "--concurrency", "requests": "--request-count"}
    for key, flag in flags.items():
        assert plan["argv"][plan["argv"].index(flag) + 1] == str(plan[key])
    assert plan["concurrency"] == plan["concurrencyPerGpu"] * plan["gpus"]
    assert plan["concurrency"] <= plan["capacity"]


def test_bench_counts_the_gpus_that_workers_have_and_not_what_the_job_says() -> None:
    plan = json.loads(run("bench", AS_FOUND, "--format", "json").stdout)
    assert (plan["gpus"], plan["concurrency"], plan["requests"]) == (5, 1280, 12800)
    assert plan["job"] == {"gpus": 6, "concurrency": 1536, "requests": 15360}


def test_show_says_who_sets_what_and_what_it_beats() -> None:
    shown = json.loads(run("show", AS_FOUND, "--format", "json").stdout)
    decode = next(worker for worker in shown["workers"] if worker["name"] == "Decode")
    (batch,) = [s for s in decode["settings"] if s["key"] == "max_batch_size"]
    assert (batch["value"], batch["set_by"]["layer"]) == (1024, "engine YAML")
    (beaten,) = batch["beat"]
    assert (beaten["spelling"], beaten["value"], beaten["layer"]) == (
        "--max-batch-size",
        512,
        "flag",
    )
    assert shown["gpus"] == 5
    assert shown["capacity"] == 1024


def test_show_of_every_target_fits_a_hundred_and_ten_columns() -> None:
    for target in TARGETS:
        assert max(len(line) for line in run("show", target).stdout.splitlines()) <= 110


def test_secrets_are_never_printed(tmp_path: Path) -> None:
    text = (Path(AS_FOUND) / "deploy.yaml").read_text()
    secret = "hf_" + "a1B2" * 9
    named = "plain-but-secret"
    manifest = tmp_path / "deploy.yaml"
    manifest.write_text(
        text.replace(
            "            - {name: HF_HOME, value: /opt/models}",
            f"            - {{name: HF_TOKEN, value: {named}}}\n"
            f"            - {{name: OTHER, value: {secret}}}",
        )
    )
    for command in ("check", "show"):
        for form in ("text", "json"):
            output = run(command, str(manifest), "--format", form).output
            assert secret not in output
            assert named not in output


@pytest.mark.parametrize("rule", sorted(RULES))
def test_explain_tells_what_why_source_bad_and_good(rule: str) -> None:
    text = run("explain", rule).stdout
    declared = RULES[rule]
    letters = "".join(text.split())
    stated = [str(seen) for seen in declared.evidence.seen]
    for part in (declared.id, declared.name, declared.summary, *stated):
        assert "".join(part.split()) in letters
    for example in (declared.bad, declared.good):
        assert all(line.strip() in text for line in example.splitlines())


def test_targets_lists_targets_and_overlays_with_their_purpose() -> None:
    rows = json.loads(run("targets", "--format", "json").stdout)
    assert {row["name"]: row["kind"] for row in rows} == {
        **dict.fromkeys(TARGETS, "target"),
        **dict.fromkeys(OVERLAYS, "overlay"),
    }
    assert all(row["description"] for row in rows)
    assert max(len(line) for line in run("targets").stdout.splitlines()) <= 100


def test_help_groups_the_commands_by_what_one_wants() -> None:
    lines = run("--help").stdout.splitlines()
    titles = ("Before installing:", "Writing files:", "While it runs:", "Reading on:")
    before, writing, running, reading = (lines.index(title) for title in titles)
    where = {words[0]: number for number, line in enumerate(lines) if (words := line.split())}
    assert before < where["check"] < writing < where["render"] < running < where["smoke"] < reading
    assert reading < where["explain"]
    assert set(main.commands) <= set(where)


@pytest.mark.parametrize("command", sorted(main.commands))
def test_every_command_s_help_has_an_example(command: str) -> None:
    assert "Example" in run(command, "--help").stdout


def test_a_fix_is_shown_by_diff_made_by_fix_and_made_once(tmp_path: Path) -> None:
    for file in Path(AS_FOUND).glob("*.yaml"):
        (tmp_path / file.name).write_text(file.read_text())
    before = (tmp_path / "deploy.yaml").read_text()
    shown = run("check", str(tmp_path), "--diff")
    assert "+      componentType: worker" in shown.stdout
    assert (tmp_path / "deploy.yaml").read_text() == before
    run("check", str(tmp_path), "--fix")
    after = (tmp_path / "deploy.yaml").read_text()
    assert "componentType: main" not in after
    assert after.splitlines()[:4] == before.splitlines()[:4]
    assert run("check", str(tmp_path), "--diff").stdout == ""


def test_standard_input_cannot_be_fixed() -> None:
    result = run("check", "-", "--fix", stdin="kind: X")
    assert result.exit_code == 2
    assert "standard input cannot be fixed" in result.stderr


def test_an_engine_file_alone_is_checked_with_what_is_told_about_it() -> None:
    file = str(folders.root() / "engine_configs" / "disagg-gb200" / "decode.yaml")
    report = reported(
        file, "--release", "1.2.1", "--gpu", "h100", "--gpus", "2", "--role", "decode"
    )
    assert {"P001", "M002"} <= {finding["rule"] for finding in report["findings"]}
    assert "only an engine YAML is given" in {item["reason"] for item in report["not_applied"]}


def test_options_of_an_engine_file_alone_do_not_go_with_targets() -> None:
    result = run("check", "disagg-gb200", "--gpu", "b200")
    assert result.exit_code == 2
    assert "are for an engine file alone" in result.stderr


def test_a_change_is_compared_with_what_is_installed(tmp_path: Path) -> None:
    text = (Path(AS_FOUND) / "deploy.yaml").read_text()
    changed = tmp_path / "new.yaml"
    changed.write_text(text.replace("    Decode:\n", "    Decoder:\n"))
    report = reported(str(changed), "--against", str(Path(AS_FOUND) / "deploy.yaml"))
    assert "G050" in {finding["rule"] for finding in report["findings"]}


def test_several_reports_are_written_in_one_run(tmp_path: Path) -> None:
    sarif, junit = tmp_path / "a.sarif", tmp_path / "b.xml"
    run("check", AS_FOUND, "--output", str(sarif), "--output", str(junit))
    assert json.loads(sarif.read_text())["version"] == "2.1.0"
    assert junit.read_text().startswith("<?xml")


def test_upgrade_lists_steps_and_writes_the_release(tmp_path: Path) -> None:
    values = tmp_path / "mine.yaml"
    values.write_text((folders.root() / "values" / "disagg-gb200.yaml").read_text())
    steps = json.loads(run("upgrade", str(values), "--to", "1.6.1", "--format", "json").stdout)
    assert steps["to"] == "1.6.1"
    assert all(step["source"] for step in steps["steps"])
    run("upgrade", str(values), "--to", "1.6.1", "--write")
    assert "release: 1.6.1" in values.read_text()


def test_the_engine_schema_of_a_release_is_printed() -> None:
    schema = json.loads(run("schema", "engine", "--release", "1.4.2").stdout)
    assert "max_batch_size" in schema["properties"]


def test_rules_lists_every_rule_within_a_hundred_columns() -> None:
    lines = run("rules").stdout.splitlines()
    assert max(len(line) for line in lines) <= 100
    assert {line.split()[0] for line in lines if not line.startswith(" ")} == set(RULES)
