"""What model_download.py does with weights that lie in a plain folder (MODEL_DIR)."""

import hashlib
import shutil
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.chart.checkpoint import (
    MODEL,
    REVISION,
    cache,
    checkpoint,
    fill,
    missing,
    shard,
)
from tests.chart.rendering import environment
from tests.chart.test_jobs import container

METADATA = Path(".cache", "huggingface", "download")


class Hub:
    """A hub's client that fills a plain folder, and notes commit and digest of every file."""

    def __init__(self, source: Path) -> None:
        self.source = source
        self.asked: list[dict[str, Any]] = []

    def snapshot_download(self, model: str, **options: Any) -> None:
        self.asked.append(options | {"model": model})
        folder = Path(options["local_dir"])
        (folder / METADATA).mkdir(parents=True, exist_ok=True)
        for path in self.source.iterdir():
            shutil.copy(path, folder)
            note(folder, path.name, hashlib.sha256(path.read_bytes()).hexdigest())


def note(folder: Path, name: str, digest: str, commit: str = REVISION) -> None:
    """What huggingface_hub notes of a file in a plain folder."""
    (folder / METADATA).mkdir(parents=True, exist_ok=True)
    (folder / METADATA / f"{name}.metadata").write_text(f"{commit}\n{digest}\n1700000000.0\n")


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    """A plain folder with the checkpoint."""
    checkpoint(tmp_path / "source").rename(tmp_path / "weights")
    return tmp_path / "weights"


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hub:
    found = Hub(checkpoint(tmp_path / "published"))
    module = ModuleType("huggingface_hub")
    module.snapshot_download = found.snapshot_download  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "huggingface_hub", module)
    return found


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)


@pytest.mark.usefixtures("no_network")
def test_a_whole_folder_is_the_revision_without_network_or_a_write_to_it(
    tmp_path: Path, weights: Path
) -> None:
    before = sorted(weights.iterdir())
    weights.chmod(0o555)
    folder = fill(tmp_path / "home", weights)
    weights.chmod(0o755)
    assert missing(tmp_path / "home", folder) == ""
    assert sorted(weights.iterdir()) == before
    assert {path.resolve() for path in folder.iterdir()} == set(before)
    assert not folder.is_symlink()
    assert (folder.parent.parent / "refs" / "main").read_text() == REVISION


@pytest.mark.usefixtures("no_network")
def test_links_hold_wherever_the_volume_is_mounted_when_the_folder_lies_on_it(
    tmp_path: Path, weights: Path
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    weights.rename(home / "gpt-oss-120b")
    fill(home, home / "gpt-oss-120b")
    home.rename(tmp_path / "elsewhere")
    folder = cache.snapshot(tmp_path / "elsewhere", MODEL, REVISION)
    assert missing(tmp_path / "elsewhere", folder) == ""


@pytest.mark.parametrize("is_there", [True, False])
def test_an_empty_folder_is_filled(tmp_path: Path, hub: Hub, is_there: bool) -> None:
    empty = tmp_path / "empty"
    if is_there:
        empty.mkdir()
    folder = fill(tmp_path / "home", empty)
    assert missing(tmp_path / "home", folder) == ""
    (asked,) = hub.asked
    assert asked == {
        "model": MODEL,
        "revision": REVISION,
        "local_dir": empty,
        "ignore_patterns": ["original/*", "metal/*"],
    }
    assert (empty / "config.json").is_file()


def test_a_download_into_a_folder_that_was_cut_short_goes_on(tmp_path: Path, hub: Hub) -> None:
    folder = tmp_path / "folder"
    hub.snapshot_download(MODEL, local_dir=folder)
    (folder / "model-2.safetensors").write_bytes(b"cut")
    assert missing(tmp_path / "home", fill(tmp_path / "home", folder)) == ""


def test_content_that_is_not_what_the_download_noted_is_removed(tmp_path: Path, hub: Hub) -> None:
    folder = tmp_path / "folder"
    hub.snapshot_download(MODEL, local_dir=folder)
    note(folder, "model-2.safetensors", "0" * 64)
    with pytest.raises(cache.CacheError, match=r"^model-2\.safetensors: "):
        fill(tmp_path / "home", folder)
    assert not (folder / "model-2.safetensors").exists()


def test_a_folder_with_something_else_is_neither_filled_nor_changed(
    tmp_path: Path, hub: Hub
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "config.json").write_text("{")
    with pytest.raises(cache.CacheError, match="only an empty folder is filled"):
        fill(tmp_path / "home", other)
    assert (other / "config.json").read_text() == "{"
    assert hub.asked == []


@pytest.mark.usefixtures("no_network")
def test_the_folder_replaces_what_the_cache_held_and_its_files_stay_when_it_goes(
    tmp_path: Path, weights: Path
) -> None:
    home = tmp_path / "home"
    fill(home, weights)
    kept = tmp_path / "kept"
    shutil.copytree(weights, kept)
    folder = fill(home, kept)
    assert (folder / "config.json").resolve() == kept / "config.json"
    shard(kept / "model-1.safetensors", 16)
    (kept / "model-2.safetensors").write_bytes(b"cut")
    with pytest.raises(cache.CacheError, match="cannot download"):
        fill(home)
    assert (kept / "model-2.safetensors").read_bytes() == b"cut"


@pytest.mark.usefixtures("no_network")
def test_a_folder_of_another_revision_is_told(
    tmp_path: Path, weights: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    note(weights, "config.json", "0" * 40, commit="1" * 40)
    fill(tmp_path / "home", weights)
    assert f"{weights} is of revision {'1' * 40}, not {REVISION}" in capsys.readouterr().out


def test_the_download_job_can_be_told_of_a_folder_on_its_claim() -> None:
    folder = "/opt/models/gpt-oss-120b"
    main = container("download", "agg-gb200", f"modelCache.download.env.MODEL_DIR={folder}")
    assert environment(main)["MODEL_DIR"] == folder
    mounts = {mount["mountPath"]: mount.get("readOnly", False) for mount in main["volumeMounts"]}
    assert mounts["/opt/models"] is False
