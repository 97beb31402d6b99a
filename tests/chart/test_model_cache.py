"""What model_cache.py lays out for a pod whose weights lie on a volume that is not ours alone."""

import shutil
from pathlib import Path

import pytest

from tests.chart.checkpoint import (
    MODEL,
    REVISION,
    SHA256,
    VOCABULARY,
    cache,
    checkpoint,
    fill,
    missing,
)

OTHER = "1" * 40
Capture = pytest.CaptureFixture[str]


def listing(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def run(monkeypatch: pytest.MonkeyPatch, home: Path, volume: Path, **more: str) -> int:
    variables = {"HF_HOME": str(home), "MODEL_ID": MODEL, "MODEL_REVISION": REVISION}
    variables |= {"VOCABULARY_SHA256": SHA256, "MODEL_VOLUME": str(volume)}
    for name, value in (variables | more).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(cache, "WAIT_SECONDS", -1)
    done: int = cache.main()
    return done


@pytest.fixture
def volume(tmp_path: Path) -> Path:
    """A filled cache, in which the model's id stands for another release's revision."""
    found = tmp_path / "volume"
    checkpoint(found)
    fill(found)
    main = cache.snapshot(found, MODEL, REVISION).parent.parent / "refs" / "main"
    main.write_text(OTHER)
    return found


def test_a_cache_of_several_releases_is_laid_out_for_each_without_a_write_to_it(
    tmp_path: Path, volume: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, before = tmp_path / "home", listing(volume)
    assert run(monkeypatch, home, volume) == 0
    folder = cache.snapshot(home, MODEL, REVISION)
    assert missing(home, folder) == ""
    assert (folder.parent.parent / "refs" / "main").read_text() == REVISION
    assert (folder / "config.json").resolve().is_relative_to(volume)
    assert listing(volume) == before
    theirs = cache.snapshot(volume, MODEL, REVISION).parent.parent / "refs" / "main"
    assert theirs.read_text() == OTHER
    assert run(monkeypatch, home, volume) == 0


def test_a_plain_folder_of_a_volume_is_laid_out_as_the_revision_with_its_own_vocabulary(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = tmp_path / "volume" / "gpt-oss-120b"
    plain.parent.mkdir()
    checkpoint(tmp_path / "source").rename(plain)
    home = tmp_path / "home"
    assert run(monkeypatch, home, plain.parent, MODEL_DIR=str(plain)) == 0
    assert missing(home, cache.snapshot(home, MODEL, REVISION)) == ""
    assert cache.vocabulary_in(home).read_bytes() == VOCABULARY


def test_a_volume_that_lacks_the_vocabulary_s_source_says_where_to_put_it(
    tmp_path: Path,
    volume: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Capture,
) -> None:
    shutil.rmtree(volume / "tiktoken")
    (cache.snapshot(volume, MODEL, REVISION) / "tokenizer.json").write_text("{}")
    assert run(monkeypatch, tmp_path / "home", volume) == 1
    said = capsys.readouterr().err
    assert str(volume / "tiktoken" / "o200k_base.tiktoken") in said
    assert "the tokenizer does not yield it" in said


def test_a_volume_that_is_being_filled_is_waited_for(
    tmp_path: Path,
    volume: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Capture,
) -> None:
    mark = cache.unverified(cache.snapshot(volume, MODEL, REVISION))
    mark.touch()
    assert run(monkeypatch, tmp_path / "home", volume) == 1
    assert "before it was verified" in capsys.readouterr().err
    monkeypatch.setattr(cache.time, "sleep", lambda _: mark.unlink())
    monkeypatch.setattr(cache, "WAIT_SECONDS", 60)
    assert cache.main() == 0
    assert "waiting: " in capsys.readouterr().out
