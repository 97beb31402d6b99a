"""The page stands alone, and shows text as text whatever it contains."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from gptoss.benchmarking.as_markdown import escaped
from gptoss.benchmarking.charts import pareto
from gptoss.benchmarking.run_report import read_report
from gptoss.benchmarking.runs import Point, Run
from gptoss.benchmarking.timeline import Ended, binned
from gptoss.benchmarking.writing_reports import rendered
from gptoss.cli import main
from tests.benchmarking.folders_of_runs import DATA, VERSIONS, run_folder

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = "<script>alert(1)</script>\"'&|`"
ADDRESS = re.compile(r"(?:https?:)?//[\w.-]+|url\(|@import", re.IGNORECASE)
NAMESPACE = "http://www.w3.org/2000/svg"
LOADING = {"src", "href", "srcset", "data", "action", "poster", "background"}
VOID = {"meta", "link", "br", "img", "input", "hr"}


class Page(HTMLParser):
    """What a page loads, and whether every element is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loads: list[str] = []
        self.tags: set[str] = set()
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.loads += [f"{tag} {name}={value}" for name, value in attrs if name in LOADING]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("kind", ["single", "sweep", "runs", "errors"])
def test_the_page_needs_nothing_from_anywhere(kind: str) -> None:
    folders = [DATA / version / kind for version in VERSIONS]
    page = rendered(read_report(folders[:-1], folders[-1]), "html")
    parsed = Page(page)
    assert parsed.loads == []
    assert parsed.open == []
    assert not parsed.tags & {"script", "link", "iframe", "img", "object", "embed"}
    assert ADDRESS.findall(page.replace(NAMESPACE, "")) == []


def test_names_settings_and_causes_are_shown_and_never_run(tmp_path: Path) -> None:
    settings = {HOSTILE: HOSTILE}
    one = run_folder(tmp_path / "<b>one", target=HOSTILE, settings=settings)
    other = run_folder(tmp_path / "other", "errors", model=HOSTILE, steps=None)
    report = read_report([one, other])
    page = rendered(report, "html")
    assert "script" not in Page(page).tags
    assert "&lt;script&gt;" in page
    markdown = rendered(report, "markdown")
    assert "<script>" not in markdown.replace("\\<", "")


def test_problems_stand_above_all_charts() -> None:
    page = rendered(read_report([DATA / "0.13.0" / "errors"]), "html")
    assert page.index("28 of 40 requests failed") < page.index("<table")
    assert "No problems" not in page


def test_a_point_with_failed_requests_is_named_in_the_chart_and_not_on_the_front(
    tmp_path: Path,
) -> None:
    rates = {"tokens_per_second": 1.0, "tokens_per_second_per_user": 1.0}
    better = {"tokens_per_second": 2.0, "tokens_per_second_per_user": 2.0}
    whole = Point(tmp_path, concurrency=4, requests=9, **rates)  # type: ignore[arg-type]
    failed = Point(tmp_path, concurrency=8, requests=9, errors=3, **better)  # type: ignore[arg-type]
    drawing = pareto([Run("run", tmp_path, (whole, failed))])
    assert drawing
    marks = re.findall(
        r'class="(mark|hollow) s0"[^>]*><title>run, concurrency (.*?):', drawing.render()
    )
    assert sorted(marks) == [("hollow", "8, 3 failed"), ("mark", "4")]
    assert ">8, 3 failed</text>" in drawing.render()


def test_markdown_lies_beside_its_pictures_and_names_each(tmp_path: Path) -> None:
    words = ["bench", "report", str(DATA / "0.13.0" / "sweep"), "--format", "markdown"]
    output = tmp_path / "report"
    result = CliRunner().invoke(main, [*words, "--output", str(output)])
    assert result.exit_code == 0, result.output
    text = (output / "report.md").read_text("utf-8")
    named = set(re.findall(r"!\[[^]]*\]\(<([^>]+)>\)", text))
    assert named == {path.name for path in output.glob("*.svg")} >= {"pareto.svg", "ttft.svg"}
    for path in output.glob("*.svg"):
        svg = path.read_text("utf-8")
        assert "prefers-color-scheme:dark" in svg
        assert ADDRESS.findall(svg.replace(NAMESPACE, "")) == []


def test_markdown_on_standard_output_names_no_pictures() -> None:
    text = rendered(read_report([DATA / "0.13.0" / "sweep"]), "markdown")
    assert "| concurrency |" in text
    assert ".svg" not in text


def test_markdown_writes_all_of_its_files_or_none(tmp_path: Path) -> None:
    (tmp_path / "report-pareto.svg").mkdir()
    words = ["bench", "report", str(DATA / "0.13.0" / "sweep")]
    result = CliRunner().invoke(main, [*words, "--output", str(tmp_path / "report.md")])
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["report-pareto.svg"]


@given(st.text())
def test_markdown_keeps_a_text_in_its_cell(text: str) -> None:
    shown = escaped(text)
    assert "\n" not in shown
    assert not re.search(r"(?<!\\)(?:\\\\)*[|<>]", shown)


@given(st.lists(st.tuples(st.floats(0, 1e5), st.booleans()), min_size=1, max_size=200))
def test_the_timeline_counts_every_request_once(ends: list[tuple[float, bool]]) -> None:
    found = binned([Ended(at, failed) for at, failed in ends])
    assert found
    assert len(found.answered) <= 61
    failed = sum(each for _, each in ends)
    assert sum(found.failed) * found.width == pytest.approx(failed)
    assert sum(found.answered) * found.width == pytest.approx(len(ends) - failed)
