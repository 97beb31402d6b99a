"""No program that a checkout brings is taken for one of the machine."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from gptoss.sources.chart.helm import find_helm
from gptoss.text.executables import on_path

if TYPE_CHECKING:
    from pathlib import Path


def program(folder: Path, name: str) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize("relative", [".", "", "bin", "./bin", "../checkout"])
def test_only_absolute_folders_of_the_path_count(
    relative: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkout = tmp_path / "checkout"
    program(checkout, "helm")
    program(checkout / "bin", "helm")
    real = program(tmp_path / "real", "helm")
    monkeypatch.chdir(checkout)
    monkeypatch.setenv("PATH", os.pathsep.join([relative, str(real.parent)]))
    assert on_path("helm") == str(real)
    monkeypatch.setenv("PATH", relative)
    assert on_path("helm") is None


def test_helm_is_the_prepared_one_or_one_of_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = program(tmp_path / "real", "helm")
    program(tmp_path, "helm")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("gptoss.facts.folders.root", lambda: tmp_path)
    monkeypatch.setenv("PATH", os.pathsep.join([".", str(real.parent)]))
    assert find_helm() == str(real)
