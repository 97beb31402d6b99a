"""The scripts that run in the chart's pods, and the one that evaluates."""

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.chart.rendering import CHART


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, CHART / "files" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # where dataclasses look for it
    spec.loader.exec_module(module)
    return module


def test_an_evaluation_that_is_stopped_passes_it_on_to_its_command() -> None:
    stop = "import os, signal, time; os.kill(os.getppid(), signal.SIGTERM); time.sleep(60)"
    runner = (
        "import runpy, sys; script = runpy.run_path(sys.argv[1]); "
        "sys.exit(script['run']([sys.executable, '-c', sys.argv[2]]))"
    )
    path = CHART / "files" / "accuracy.py"
    done = subprocess.run([sys.executable, "-c", runner, path, stop], check=False, timeout=30)
    assert done.returncode == 128 + 15


def test_an_evaluation_keeps_what_it_wrote_and_prints_its_scores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    written, kept = tmp_path / "tmp", tmp_path / "artifacts"
    written.mkdir()
    kept.mkdir()
    (written / "gpqa_old_temp1.0.json").write_text("{}")
    write = (
        f"import pathlib, sys; folder = pathlib.Path({str(written)!r})\n"
        "for end, text in (('.json', '{\"score\": 0.8}'), ('_allresults.json', 'answers'), "
        "('.html', 'report')):\n"
        "    (folder / f'gpqa_m-low_temp1.0{end}').write_text(text)\n"
        "sys.exit(4)"
    )
    accuracy = script("accuracy")
    monkeypatch.setattr(accuracy, "WRITTEN_TO", written)
    assert accuracy.main([str(kept), sys.executable, "-c", write]) == 4
    (folder,) = kept.iterdir()
    assert sorted(path.name for path in folder.iterdir()) == [
        "gpqa_m-low_temp1.0.html",
        "gpqa_m-low_temp1.0.json",
        "gpqa_m-low_temp1.0_allresults.json",
    ]
    out = capfd.readouterr().out
    assert '{"score": 0.8}' in out
    assert "answers" not in out


def test_each_run_of_an_evaluation_has_a_folder_with_what_it_evaluated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = tmp_path / "gpqa_m-low_temp1.0.json"
    told = tmp_path / "target.json"
    accuracy = script("accuracy")
    monkeypatch.setattr(accuracy, "WRITTEN_TO", tmp_path)
    monkeypatch.setattr(accuracy, "TARGET", told)
    kept = tmp_path / "kept"
    for turn in ("first", "second"):
        told.write_text(f'"{turn}"')
        write = f"import pathlib; pathlib.Path({str(written)!r}).write_text('{turn}')"
        assert accuracy.main([str(kept), sys.executable, "-c", write]) == 0
    first, second = sorted(kept.iterdir())
    for folder, turn in ((first, "first"), (second, "second")):
        assert (folder / written.name).read_text() == turn
        assert (folder / told.name).read_text() == f'"{turn}"'
