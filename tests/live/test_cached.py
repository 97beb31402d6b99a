"""Folders that are made once; quick, without Dynamo."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gptoss.live.cached import cached
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "gptoss" / "live"


def test_a_folder_is_made_once_for_the_same_content(cache: Path) -> None:
    made: list[Path] = []
    first = cached("thing", b"one", made.append)
    assert cached("thing", b"one", made.append) == first
    assert cached("thing", b"two", made.append) != first
    assert len(made) == 2
    assert first.parent == cache


def fill(folder: Path) -> None:
    (folder / "packages" / "__pycache__").mkdir(parents=True)
    (folder / "packages" / "module.py").write_text("ours")
    (folder / "link").symlink_to("packages")


@pytest.mark.parametrize(
    "harm",
    [
        lambda folder: (folder / "packages" / "module.py").write_text("ou"),
        lambda folder: (folder / "packages" / "module.py").unlink(),
        lambda folder: (folder / "packages" / "sitecustomize.py").touch(),
        lambda folder: ((folder / "link").unlink(), (folder / "link").symlink_to("/")),
        lambda folder: Path(f"{folder}.json").write_text("{"),
    ],
    ids=["changed", "gone", "new", "a link elsewhere", "no record"],
)
def test_what_is_not_as_it_was_made_is_made_anew_and_that_is_said(
    harm: Callable[[Path], object], capsys: pytest.CaptureFixture[str]
) -> None:
    folder = cached("thing", b"one", fill)
    harm(folder)
    assert cached("thing", b"one", fill) == folder
    (said,) = capsys.readouterr().err.splitlines()
    assert "is not as it was made" in said
    assert (folder / "packages" / "module.py").read_text() == "ours"
    assert not (folder / "packages" / "sitecustomize.py").exists()
    assert str((folder / "link").readlink()) == "packages"


def test_a_changed_content_of_the_same_size_and_time_is_noticed() -> None:
    folder = cached("thing", b"one", fill)
    module = folder / "packages" / "module.py"
    before = module.stat()
    module.write_text("bad!")
    os.utime(module, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert cached("thing", b"one", fill)
    assert module.read_text() == "ours"


def test_what_was_only_touched_or_compiled_since_is_used_again(
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = cached("thing", b"one", fill)
    (folder / "packages" / "module.py").touch()
    (folder / "packages" / "__pycache__" / "module.pyc").touch()
    made: list[Path] = []
    assert cached("thing", b"one", made.append) == folder
    assert (made, capsys.readouterr().err) == ([], "")


def test_what_was_kept_without_a_record_is_trusted_once_and_that_is_said(
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = cached("thing", b"one", fill)
    Path(f"{folder}.json").unlink()
    made: list[Path] = []
    cached("thing", b"one", made.append)
    cached("thing", b"one", made.append)
    assert made == []
    assert capsys.readouterr().err.count("trusted as it is, and noted") == 1


def test_what_failed_half_way_is_made_anew() -> None:
    def half(folder: Path) -> None:
        (folder / "half").touch()
        raise InputError("no network")

    with pytest.raises(InputError, match="no network"):
        cached("thing", b"one", half)
    folder = cached("thing", b"one", lambda folder: (folder / "whole").touch())
    assert [path.name for path in folder.iterdir() if path.name[0] != "."] == ["whole"]


def test_two_at_once_make_it_once() -> None:
    made: list[Path] = []
    both = threading.Barrier(2)

    def make() -> None:
        both.wait()
        cached("thing", b"one", made.append)

    threads = [threading.Thread(target=make) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1


def test_a_cache_that_cannot_be_written_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(InputError, match="cannot make"):
        cached("thing", b"one", lambda _: None)
