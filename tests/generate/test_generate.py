from pathlib import Path

from generate.__main__ import ROOT, stale
from generate.generators import GENERATORS


def test_committed_files_are_up_to_date() -> None:
    assert [path for generator in GENERATORS for path, _ in stale(ROOT, generator)] == []


def test_a_file_that_differs_or_is_missing_is_stale(tmp_path: Path) -> None:
    (tmp_path / "same").write_text("text\n")
    (tmp_path / "old").write_text("before\n")
    wanted = {Path(name): "text\n" for name in ("same", "old", "missing/file")}
    assert dict(stale(tmp_path, lambda: wanted)) == {
        Path("missing/file"): "text\n",
        Path("old"): "text\n",
    }
