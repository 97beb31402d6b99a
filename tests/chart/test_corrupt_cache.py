"""What a corrupt cache, or a wrong answer, cannot make the scripts of the model cache do."""

import errno
import hashlib
import io
import json
import os
import struct
from pathlib import Path

import pytest

from tests.chart.checkpoint import cache, checkpoint, download, fill

MOST = 16 * 1024 * 1024


def test_no_more_is_read_of_what_answers_than_the_vocabulary_can_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = checkpoint(tmp_path)
    (folder / "tokenizer.json").write_text(json.dumps({"model": {"vocab": {"!": 0}}}))
    answer = io.BytesIO(bytes(4 * MOST))
    monkeypatch.setattr(download.urllib.request, "urlopen", lambda *_, **__: answer)
    with pytest.raises(cache.CacheError, match=hashlib.sha256(bytes(MOST)).hexdigest()):
        fill(tmp_path)


def test_a_vocabulary_that_cannot_be_written_leaves_no_part_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpoint(tmp_path)

    def write_bytes(self: Path, content: bytes) -> int:
        with self.open("wb") as file:
            file.write(content[:1])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", write_bytes)
    with pytest.raises(OSError, match="No space left"):
        fill(tmp_path)
    assert list((tmp_path / "tiktoken").iterdir()) == []


class OnlyItsLength(io.BytesIO):
    """A file of which no more is read than the length of its header."""

    def read(self, size: int | None = -1) -> bytes:
        assert size == 8
        return super().read(size)


def test_no_more_is_read_of_a_shard_than_a_header_can_be_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shard = tmp_path / "model.safetensors"
    length = struct.pack("<Q", 100_000_001)
    shard.write_bytes(length)
    os.truncate(shard, 200_000_000)
    monkeypatch.setattr(Path, "open", lambda *_: OnlyItsLength(length))
    with pytest.raises(cache.CacheError, match="header cannot be 100000001 bytes"):
        cache.check_shard(shard)


@pytest.mark.parametrize(
    "header",
    [
        b"[]",
        b"[" * 100_000,
        b'{"w": 1}',
        b'{"w": {}}',
        b'{"w": {"data_offsets": [0]}}',
        b'{"w": {"data_offsets": [0, "x"]}}',
        b'{"w": {"data_offsets": [0, Infinity]}}',
    ],
)
def test_a_shard_with_any_header_is_no_more_than_a_bad_shard(tmp_path: Path, header: bytes) -> None:
    shard = tmp_path / "model.safetensors"
    shard.write_bytes(struct.pack("<Q", len(header)) + header + bytes(8))
    with pytest.raises(cache.CacheError):
        cache.check_shard(shard)
