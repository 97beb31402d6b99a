"""Several formats in one run, each file written whole."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gptoss.cli.outputs import outputs
from gptoss.text.errors import InputError
from gptoss.text.whole_files import write_whole


@pytest.mark.parametrize(
    ("formats", "files", "expected"),
    [
        ([], [], [("text", None)]),
        (["json"], [], [("json", None)]),
        (["sarif"], ["x.sarif"], [("sarif", "x.sarif")]),
        (["sarif", "text"], ["x.sarif"], [("sarif", "x.sarif"), ("text", None)]),
        (["text", "sarif"], ["x.sarif"], [("sarif", "x.sarif"), ("text", None)]),
        (["text"], ["x.sarif"], [("sarif", "x.sarif"), ("text", None)]),
        ([], ["x.sarif"], [("sarif", "x.sarif"), ("text", None)]),
        ([], ["x.XML", "y.json"], [("junit", "x.XML"), ("json", "y.json"), ("text", None)]),
        (["gitlab"], ["q.json"], [("gitlab", "q.json")]),
        (["sarif", "junit"], ["one", "two"], [("sarif", "one"), ("junit", "two")]),
        (["json", "github"], ["a.json"], [("json", "a.json"), ("github", None)]),
        (["json", "json"], ["a.json"], [("json", "a.json"), ("json", None)]),
    ],
)
def test_each_format_finds_its_place(
    formats: list[str], files: list[str], expected: list[tuple[str, str | None]]
) -> None:
    meant = [(form, Path(file) if file else None) for form, file in expected]
    assert outputs(formats, files) == meant


@pytest.mark.parametrize(
    ("formats", "files", "said"),
    [
        (["json", "text"], [], "--format json and text: standard output takes one"),
        ([], ["report"], "--output report: give its --format, or an ending among .sarif"),
        (["text", "json"], ["a.xml"], "--format text and json: standard output takes one"),
        ([], ["a.json", "a.json"], "--output a.json: it is given twice"),
    ],
)
def test_what_does_not_go_together_is_refused(
    formats: list[str], files: list[str], said: str
) -> None:
    with pytest.raises(InputError, match=re.escape(said)):
        outputs(formats, files)


def test_a_file_is_replaced_whole_and_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text("old")
    path.chmod(0o640)
    write_whole(path, "new ü\n")
    assert path.read_text("utf-8") == "new ü\n"
    assert path.stat().st_mode & 0o777 == 0o640
    assert [file.name for file in tmp_path.iterdir()] == ["report.json"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.json").write_text("old")
    (tmp_path / "link.json").symlink_to("real.json")
    write_whole(tmp_path / "link.json", "new")
    assert (tmp_path / "link.json").is_symlink()
    assert (tmp_path / "real.json").read_text() == "new"


def test_a_device_is_written_to() -> None:
    write_whole(Path("/dev/null"), "text")
    assert not Path("/dev/null").is_file()


@pytest.mark.parametrize("where", ["taken/report.json", ""])
def test_a_file_that_cannot_be_written_is_named(tmp_path: Path, where: str) -> None:
    (tmp_path / "taken").write_text("a file")
    path = tmp_path / where
    with pytest.raises(InputError, match=f"cannot write {path}: (File exists|Not a|Is a dir)"):
        write_whole(path, "text")
    assert [file.name for file in tmp_path.iterdir()] == ["taken"]


def test_folders_of_a_report_are_made(tmp_path: Path) -> None:
    write_whole(tmp_path / "reports" / "gptoss.json", "text")
    assert (tmp_path / "reports" / "gptoss.json").read_text() == "text"
