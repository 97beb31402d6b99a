"""What a plan found goes into files too: pictures, text and data."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from click.testing import CliRunner, Result

from gptoss.cli import main

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

ENGINE = """\
tensor_parallel_size: 2
moe_expert_parallel_size: 2
max_batch_size: 256
max_num_tokens: 8192
"""
LOAD = ("--gpu", "b200", "--clients", "64", "--isl", "1000", "--osl", "200")


def plan(folder: Path, *arguments: str) -> Result:
    engine = folder / "worker.yaml"
    engine.write_text(ENGINE)
    words = ["plan", str(engine), *LOAD, *arguments]
    return CliRunner().invoke(main, words, catch_exceptions=False)


def test_each_file_gets_what_its_ending_says(tmp_path: Path) -> None:
    names = ("a/plan.svg", "plan.png", "plan.json", "plan.txt")
    files = [tmp_path / name for name in names]
    words = [word for file in files for word in ("--output", str(file))]
    result = plan(tmp_path, *words)
    assert result.exit_code == 0, result.output
    svg, png, data, text = files
    drawn = svg.read_text("utf-8")
    for said in ("Predicted: 1,000 tokens in, 200 out", "64 clients", "one NVIDIA B200"):
        assert said in drawn
    assert "prefers-color-scheme:dark" in drawn
    assert png.read_bytes().startswith(b"\x89PNG")
    assert json.loads(data.read_text("utf-8"))["speed"][0]["clients"] == 64
    assert text.read_text("utf-8") in result.stdout


def test_an_ending_that_means_nothing_is_refused_before_anything_is_done(tmp_path: Path) -> None:
    result = plan(tmp_path, "--output", "plan.pdf")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "end it in one of .txt, .json, .svg, .png" in result.stderr


def test_a_file_that_cannot_be_is_refused_before_anything_is_done(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "folder.txt").mkdir()
    for name, told in (("file/plan.txt", "is no folder"), ("folder.txt", "folder")):
        result = plan(tmp_path, "--output", str(tmp_path / name))
        assert (result.exit_code, result.stdout) == (2, "")
        assert told in result.stderr
    result = plan(tmp_path, *(2 * ("--output", str(tmp_path / "plan.svg"))))
    assert (result.exit_code, result.stdout) == (2, "")
    assert "it is given twice" in result.stderr


def test_without_what_makes_png_nothing_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    result = plan(tmp_path, "--output", str(tmp_path / "plan.png"))
    assert (result.exit_code, result.stdout) == (2, "")
    assert "pip install 'gptoss[png]'" in result.stderr
