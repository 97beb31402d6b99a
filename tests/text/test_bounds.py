"""Promises of gptoss.text.bounds: nothing outside is opened, whatever names it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gptoss.text.bounds import OutsideError, bounds, found_file, leads_out, named_file, refuse_link


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository that is the current folder, with a file outside of it."""
    (tmp_path / "outside.yaml").write_text("secret: 1\n")
    checkout = tmp_path / "checkout"
    for folder in (checkout / ".git", checkout / "deploy"):
        folder.mkdir(parents=True)
    (checkout / "engine.yaml").touch()
    (checkout / ".git" / "config").touch()
    monkeypatch.chdir(checkout)
    return checkout


def test_a_file_of_the_repository_may_be_named_from_any_folder_of_it(checkout: Path) -> None:
    for path in (Path("engine.yaml"), Path("deploy/../engine.yaml"), checkout / "engine.yaml"):
        assert named_file(path, Path("deploy")) == path
        assert named_file(path, checkout / "deploy") == path


def links(checkout: Path) -> list[Path]:
    (checkout / "link.yaml").symlink_to("../outside.yaml")
    (checkout / "chain.yaml").symlink_to("link.yaml")
    (checkout / "up").symlink_to("..")
    return [Path("link.yaml"), Path("chain.yaml"), Path("up/outside.yaml")]


def test_a_file_outside_is_refused_by_name_by_dots_and_by_links(checkout: Path) -> None:
    named = [Path("/etc/passwd"), Path("../outside.yaml"), *links(checkout)]
    for path in named:
        with pytest.raises(OutsideError, match=r"outside .*checkout: it is not read"):
            named_file(path, Path())


def test_a_file_that_is_looked_for_is_not_followed_out_of_the_repository(checkout: Path) -> None:
    (checkout / "inner.yaml").symlink_to("engine.yaml")
    assert found_file(Path("inner.yaml")) == Path("inner.yaml")
    assert found_file(Path("nowhere.yaml")) is None
    for path in links(checkout)[:2]:
        with pytest.raises(OutsideError, match=r"leads out of .*checkout: it is not followed"):
            found_file(path)


def test_where_credentials_are_kept_is_refused_unless_it_stands_there_itself(
    checkout: Path,
) -> None:
    with pytest.raises(OutsideError, match="hidden"):
        named_file(Path(".git/config"), Path())
    (checkout / ".ci").mkdir()
    (checkout / ".ci" / "engine.yaml").touch()
    assert named_file(Path(".ci/engine.yaml"), Path(".ci")) == Path(".ci/engine.yaml")


@pytest.mark.usefixtures("checkout")
def test_what_is_no_regular_file_is_not_there() -> None:
    os.mkfifo("pipe")
    Path("loop").symlink_to("loop")
    Path("device").symlink_to("/dev/zero")
    for name in ("pipe", "loop", "device", "deploy", "nowhere", "a\0b", "/dev/zero"):
        assert named_file(Path(name), Path()) is None


def test_the_bounds_are_the_repository_else_the_current_folder_else_the_folder(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert bounds(Path("deploy")) == checkout
    assert bounds(tmp_path) == tmp_path
    monkeypatch.chdir(tmp_path)
    assert bounds(Path("checkout/deploy")) == checkout
    (checkout / ".git" / "config").unlink()
    (checkout / ".git").rmdir()
    assert bounds(Path("checkout/deploy")) == tmp_path


@pytest.mark.parametrize("wide", ["/", "home"])
def test_neither_a_home_nor_the_whole_machine_is_a_repository(
    wide: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "deploy"
    folder.mkdir()
    (tmp_path / ".git").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path if wide == "home" else wide)
    assert bounds(folder) == folder


def test_links_of_the_user_s_own_are_followed_and_those_of_a_repository_are_not(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own.yaml").symlink_to(checkout / "engine.yaml")
    refuse_link(tmp_path / "own.yaml")
    refuse_link(Path("engine.yaml"))
    refuse_link(Path("/dev/stdin"))
    for path in links(checkout):
        assert leads_out(path)
        with pytest.raises(OutsideError):
            refuse_link(path)
    monkeypatch.chdir(tmp_path)
    refuse_link(Path("own.yaml"))


def test_a_path_that_is_longer_than_any_leads_nowhere(checkout: Path) -> None:
    long = Path(f"{'deploy/../' * 500}engine.yaml")
    assert named_file(long, checkout) is None
