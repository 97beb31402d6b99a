"""Folders that are made once; quick, without Dynamo."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from gptoss.live.cached import cached
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path


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
