from pathlib import Path

from generate.__main__ import GENERATORS, ROOT, stale, write


def test_committed_files_are_up_to_date() -> None:
    assert list(stale(ROOT, GENERATORS)) == []


def test_a_file_that_differs_or_is_missing_is_stale(tmp_path: Path) -> None:
    (tmp_path / "same").write_text("text\n")
    (tmp_path / "old").write_text("before\n")
    wanted = {Path(name): "text\n" for name in ("same", "old", "missing/file")}
    assert stale(tmp_path, [lambda: wanted]) == {
        Path("missing/file"): "text\n",
        Path("old"): "text\n",
    }


def test_writing_replaces_the_whole_file_and_leaves_nothing_else(tmp_path: Path) -> None:
    write(tmp_path / "new" / "file", "one\n")
    write(tmp_path / "new" / "file", "two\n")
    assert (tmp_path / "new" / "file").read_text() == "two\n"
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["file"]
