"""What fills the model cache: model_download.py."""

import hashlib
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.chart.checkpoint import (
    MODEL,
    REVISION,
    SHA256,
    VOCABULARY,
    cache,
    checkpoint,
    download,
    fill,
    missing,
    shard,
)


@pytest.fixture
def refuse_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise OSError("no network")

    monkeypatch.setattr(download.urllib.request, "urlopen", refuse)
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)


@pytest.mark.usefixtures("refuse_network")
def test_a_filled_cache_needs_neither_network_nor_token_and_may_be_filled_again(
    tmp_path: Path,
) -> None:
    folder = checkpoint(tmp_path)
    fill(tmp_path)
    fill(tmp_path)
    assert missing(tmp_path, folder) == ""


@pytest.mark.usefixtures("refuse_network")
def test_the_vocabulary_comes_from_the_checkpoint_s_own_tokenizer(tmp_path: Path) -> None:
    checkpoint(tmp_path)
    fill(tmp_path)
    assert (tmp_path / "tiktoken" / "o200k_base.tiktoken").read_bytes() == VOCABULARY


@pytest.mark.usefixtures("refuse_network")
def test_the_pinned_revision_is_what_the_model_s_id_stands_for(tmp_path: Path) -> None:
    folder = checkpoint(tmp_path)
    main = folder.parent.parent / "refs" / "main"
    main.parent.mkdir()
    main.write_text("1" * 40)
    fill(tmp_path)
    assert main.read_text() == REVISION


def test_another_vocabulary_than_the_pinned_one_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = checkpoint(tmp_path)
    (folder / "tokenizer.json").write_text(json.dumps({"model": {"vocab": {"!": 0}}}))

    class Answer:
        def __enter__(self) -> "Answer":
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def read(self, _most: int) -> bytes:
            return b"something else"

    monkeypatch.setattr(download.urllib.request, "urlopen", lambda *_, **__: Answer())
    with pytest.raises(cache.CacheError, match="has SHA-256"):
        fill(tmp_path)
    assert not (tmp_path / "tiktoken" / "o200k_base.tiktoken").exists()


@pytest.mark.parametrize(
    "harm",
    [
        lambda folder: (folder / "config.json").unlink(),
        lambda folder: (folder / "model-2.safetensors").unlink(),
        lambda folder: (folder / "model-2.safetensors").write_bytes(b"\x10\0\0\0\0\0\0\0{}"),
        lambda folder: (folder / "model-1.safetensors").open("ab").write(b"x"),
        lambda folder: (folder / "model.safetensors.index.json").write_text("{"),
        lambda folder: (folder / "model.safetensors.index.json").write_text("[]"),
    ],
)
@pytest.mark.usefixtures("refuse_network")
def test_an_incomplete_checkpoint_is_noticed(tmp_path: Path, harm: Any) -> None:
    folder = checkpoint(tmp_path)
    fill(tmp_path)
    harm(folder)
    assert missing(tmp_path, folder) != ""


def test_a_shard_whose_content_is_not_its_name_s_digest_is_removed(tmp_path: Path) -> None:
    blob = tmp_path / "blobs" / ("0" * 64)
    blob.parent.mkdir()
    shard(blob)
    link = tmp_path / "model.safetensors"
    link.symlink_to(blob)
    with pytest.raises(cache.CacheError, match="another SHA-256"):
        download.check_digests([link])
    assert not blob.exists()
    assert not link.is_symlink()


class Hub:
    """A hub's client that fetches what is missing, and trusts every blob that exists."""

    def __init__(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.source = checkpoint(home / "hub")
        shard(self.source / "model-2.safetensors", 16)
        self.folder: Path = cache.snapshot(home, MODEL, REVISION)
        self.downloads = 0
        module = ModuleType("huggingface_hub")
        module.snapshot_download = self.snapshot_download  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "huggingface_hub", module)

    def snapshot_download(self, *_: object, **__: object) -> None:
        self.downloads += 1
        blobs = self.folder.parent.parent / "blobs"
        for folder in (blobs, self.folder):
            folder.mkdir(parents=True, exist_ok=True)
        for path in self.source.iterdir():
            content = path.read_bytes()
            blob = blobs / hashlib.sha256(content).hexdigest()
            if not blob.exists():
                blob.write_bytes(content)
            link = self.folder / path.name
            link.unlink(missing_ok=True)
            link.symlink_to(blob)

    def blob(self, number: int) -> Path:
        shard = self.folder / f"model-{number}.safetensors"
        return shard.resolve()


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hub:
    return Hub(tmp_path, monkeypatch)


def test_what_is_cut_short_in_the_cache_is_fetched_again(hub: Hub, tmp_path: Path) -> None:
    fill(tmp_path)
    for number in (1, 2):
        hub.blob(number).write_bytes(hub.blob(number).read_bytes()[:-1])
    (hub.folder / "config.json").resolve().write_text("{")
    fill(tmp_path)
    assert missing(tmp_path, hub.folder) == ""
    assert (hub.folder / "config.json").read_text() == "{}"
    assert hub.downloads == 2


def test_every_bad_shard_is_named_and_removed_at_once(hub: Hub, tmp_path: Path) -> None:
    hub.snapshot_download()
    blobs = [hub.blob(number) for number in (1, 2)]
    for blob in blobs:
        blob.write_bytes(blob.read_bytes()[:-1] + b"x")
    cache.unverified(hub.folder).touch()
    with pytest.raises(cache.CacheError, match=r"^model-1\.safetensors, model-2\.safetensors: "):
        fill(tmp_path)
    assert not any(blob.exists() for blob in blobs)
    fill(tmp_path)
    assert missing(tmp_path, hub.folder) == ""


def test_a_run_that_ends_before_it_has_verified_is_made_up_for_by_the_next(
    hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def killed(_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as while_killed:
        while_killed.setattr(download, "check_digests", killed)
        with pytest.raises(KeyboardInterrupt):
            fill(tmp_path)
    assert "stopped before it was verified" in missing(tmp_path, hub.folder)
    fill(tmp_path)
    assert "verified model-2.safetensors" in capsys.readouterr().out
    assert missing(tmp_path, hub.folder) == ""
    assert hub.downloads == 1


class Request:
    url = "https://user:secret@hub.example.com/openai/model-2.safetensors?Signature=secret"


class ClientError(Exception):
    """An error of no library that the script knows, with a request as httpx's have."""

    request = Request()


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            ClientError("timed out"),
            "ClientError: timed out (https://hub.example.com/openai/model-2",
        ),
        (RuntimeError("broken"), "RuntimeError: broken (https://huggingface.co)"),
        (ValueError(f"401 for {Request.url}\nno access"), "safetensors no access"),
    ],
)
@pytest.mark.usefixtures("hub")
def test_any_error_of_the_hub_s_client_is_one_line_with_an_address_and_no_secret(
    error: Exception,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(sys.modules["huggingface_hub"], "snapshot_download", fail)
    given = {"HF_HOME": str(tmp_path), "MODEL_ID": MODEL, "MODEL_REVISION": REVISION}
    given |= {"VOCABULARY_SHA256": SHA256, "VOCABULARY_URL": "https://example.com"}
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    assert download.main() == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"model cache: cannot download {MODEL}: ")
    assert said in line
    assert "secret" not in line


def test_the_vocabulary_s_address_is_named_when_it_does_not_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = checkpoint(tmp_path)
    (folder / "tokenizer.json").write_text("{}")

    def refuse(*_: object, **__: object) -> None:
        raise OSError("[Errno -3] Temporary failure in name resolution")

    monkeypatch.setattr(download.urllib.request, "urlopen", refuse)
    with pytest.raises(cache.CacheError, match=r"o200k_base.* \(https://example.com/vocabulary\)"):
        fill(tmp_path)


def test_what_is_not_set_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("HF_HOME", "MODEL_ID", "MODEL_REVISION", "VOCABULARY_SHA256"):
        monkeypatch.delenv(name, raising=False)
    assert cache.main() == 2
    assert capsys.readouterr().err == (
        "model cache: set HF_HOME, MODEL_ID, MODEL_REVISION, VOCABULARY_SHA256\n"
    )


def test_only_the_pinned_revision_s_safetensors_checkpoint_is_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: dict[str, Any] = {}

    def snapshot_download(model: str, **options: Any) -> None:
        asked.update(options, model=model)
        checkpoint(tmp_path)

    hub = ModuleType("huggingface_hub")
    hub.snapshot_download = snapshot_download  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "huggingface_hub", hub)
    fill(tmp_path)
    assert asked == {
        "model": MODEL,
        "revision": REVISION,
        "cache_dir": tmp_path / "hub",
        "ignore_patterns": ["original/*", "metal/*"],
    }


def given(monkeypatch: pytest.MonkeyPatch, home: Path, **more: str) -> None:
    variables = {"HF_HOME": str(home), "MODEL_ID": MODEL, "MODEL_REVISION": REVISION}
    variables |= {"VOCABULARY_SHA256": SHA256, "VOCABULARY_URL": "https://example.com"}
    for name, value in (variables | more).items():
        monkeypatch.setenv(name, value)


def test_further_revisions_are_fetched_and_verified_and_the_id_stays_the_first_one_s(
    hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    first, further = hub.folder, "1" * 40
    given(monkeypatch, tmp_path, FURTHER_REVISIONS=further)

    def snapshot_download(model: str, *, revision: str, **_: object) -> None:
        hub.folder = download.snapshot(tmp_path, model, revision)
        hub.snapshot_download()

    monkeypatch.setattr(sys.modules["huggingface_hub"], "snapshot_download", snapshot_download)
    assert download.main() == 0
    assert missing(tmp_path, download.snapshot(tmp_path, MODEL, further)) == ""
    assert (first.parent.parent / "refs" / "main").read_text() == REVISION
    assert capsys.readouterr().out.count("verified model-1.safetensors") == 2
    assert download.main() == 0
    assert hub.downloads == 2


@pytest.mark.usefixtures("refuse_network")
def test_what_the_id_stands_for_is_left_alone_in_a_cache_that_others_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    main = checkpoint(tmp_path).parent.parent / "refs" / "main"
    main.parent.mkdir()
    main.write_text("1" * 40)
    given(monkeypatch, tmp_path, SHARED_CACHE="true")
    assert download.main() == 0
    assert main.read_text() == "1" * 40


def test_a_source_without_the_checkpoint_is_named_and_the_hub_is_not_asked(
    hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "fetched").mkdir()
    source = {"MODEL_DIR": str(tmp_path / "fetched"), "MODEL_SOURCE": "s3://models/gpt-oss-20b"}
    given(monkeypatch, tmp_path, **source)
    assert download.main() == 1
    assert "s3://models/gpt-oss-20b: not the checkpoint" in capsys.readouterr().err
    assert hub.downloads == 0
