from pathlib import Path

from generate.__main__ import stale


def test_a_file_that_differs_or_is_missing_is_stale(tmp_path: Path) -> None:
    (tmp_path / "same").write_text("text\n")
    (tmp_path / "old").write_text("before\n")
    wanted = {Path(name): "text\n" for name in ("same", "old", "missing/file")}
    assert dict(stale(tmp_path, lambda: wanted)) == {
        Path("missing/file"): "text\n",
        Path("old"): "text\n",
    }
