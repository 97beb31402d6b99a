"""Several formats in one run, each file written whole."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from gptoss.cli.outputs import outputs
from gptoss.text.errors import InputError
from gptoss.text.whole_files import check_writable, write_whole


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


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository that is the current folder."""
    checkout = tmp_path / "checkout"
    (checkout / ".git").mkdir(parents=True)
    monkeypatch.chdir(checkout)
    return checkout


@pytest.mark.parametrize("target", ["../real.json", "nowhere.json", "pipe", "/dev/null"])
def test_a_link_is_replaced_and_what_it_leads_to_is_not_written(
    target: str, checkout: Path
) -> None:
    (checkout.parent / "real.json").write_text("old")
    os.mkfifo("pipe")
    link = Path("link.json")
    link.symlink_to(target)
    write_whole(link, "new")
    assert not link.is_symlink()
    assert link.read_text() == "new"
    assert (checkout.parent / "real.json").read_text() == "old"
    assert not Path("nowhere.json").exists()


def test_a_report_is_not_written_into_a_folder_that_a_repository_s_link_leads_to(
    checkout: Path,
) -> None:
    outside = checkout.parent / "outside"
    outside.mkdir()
    Path("dist").symlink_to(outside)
    Path("deep").mkdir()
    Path("deep", "up").symlink_to("../..")
    Path("hooks").symlink_to(".git")
    for path in ("dist/a.json", "dist/new/a.json", "deep/up/a.json", "hooks/a.json"):
        for write in (partial(write_whole, text="x"), check_writable):
            with pytest.raises(InputError, match=f"cannot write {path}: .* is a link that leads"):
                write(Path(path))
            with pytest.raises(InputError, match="is a link that leads"):
                write(checkout / path)
    assert not list(outside.iterdir())
    assert not (checkout.parent / "a.json").exists()


def test_the_user_s_own_links_to_folders_are_followed(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.symlink_to(checkout.parent)
    Path("real").mkdir()
    Path("inner").symlink_to("real")
    write_whole(Path("inner/a.json"), "x")
    write_whole(home / "checkout" / "real" / "b.json", "x")
    assert sorted(path.name for path in Path("real").iterdir()) == ["a.json", "b.json"]
    # Without a repository, a link was made by whose folder it is.
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "dist").symlink_to(checkout / "real")
    monkeypatch.chdir(elsewhere)
    write_whole(Path("dist/c.json"), "x")
    assert (checkout / "real" / "c.json").exists()


@pytest.mark.parametrize("stream", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_the_process_s_own_streams_are_written_as_they_are(stream: str, tmp_path: Path) -> None:
    if not Path(stream).exists():
        pytest.skip("this system has none")
    code = "from pathlib import Path; from gptoss.text.whole_files import write_whole as w; import "
    code += "sys; w(Path(sys.argv[1]), 'new')"
    argv = [sys.executable, "-c", code, stream]
    file = tmp_path / "out"
    with file.open("w") as out:
        subprocess.run(argv, stdout=out, check=True)
    assert file.read_text() == "new"
    assert subprocess.run(argv, capture_output=True, check=True).stdout == b"new"


def test_a_private_file_is_read_by_nobody_else(tmp_path: Path) -> None:
    path = tmp_path / "values.yaml"
    path.touch(mode=0o664)
    write_whole(path, "token: x\n", private=True)
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_device_is_written_to() -> None:
    write_whole(Path("/dev/null"), "text")
    assert not Path("/dev/null").is_file()


@pytest.mark.parametrize("where", ["taken/report.json", ""])
def test_a_file_that_cannot_be_written_is_named(tmp_path: Path, where: str) -> None:
    (tmp_path / "taken").write_text("a file")
    path = tmp_path / where
    with pytest.raises(
        InputError, match=f"cannot write {path}: (File exists|Not a|it is a folder)"
    ):
        write_whole(path, "text")
    assert [file.name for file in tmp_path.iterdir()] == ["taken"]


def test_folders_of_a_report_are_made(tmp_path: Path) -> None:
    write_whole(tmp_path / "reports" / "gptoss.json", "text")
    assert (tmp_path / "reports" / "gptoss.json").read_text() == "text"
