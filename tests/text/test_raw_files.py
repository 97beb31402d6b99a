"""Promises of gptoss.text.raw_files: nothing is read for ever."""

from __future__ import annotations

import io
import os
import stat
import threading
from pathlib import Path
from typing import BinaryIO, cast

import pytest

from gptoss.text import budget, files, raw_files
from gptoss.text.budget import Kind
from gptoss.text.errors import InputError


class Endless(io.RawIOBase):
    """A stream that gives whatever is asked for."""

    def read(self, size: int = -1, /) -> bytes:
        assert size > 0, "it is read to its end"
        return b"x" * size


def piped(content: bytes) -> Path:
    """The path of a pipe that holds something and whose writer is done, as of ``<(command)``."""
    read, write = os.pipe()
    os.write(write, content)
    os.close(write)
    return Path(f"/dev/fd/{read}")


def test_a_pipe_is_read_to_its_end() -> None:
    assert raw_files.bytes_of(piped(b"kind: X\n")) == b"kind: X\n"
    assert raw_files.bytes_of(piped(b"")) == b""


def test_a_named_pipe_is_read_until_its_writer_is_done(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    content = b"line\n" * 100_000
    writer = threading.Thread(target=pipe.write_bytes, args=(content,))
    writer.start()
    assert raw_files.bytes_of(pipe) == content
    writer.join()


def test_a_pipe_that_nobody_writes_to_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(raw_files, "PATIENCE_SECONDS", 0)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(InputError, match="nobody writes to this pipe"):
        files.read_text(pipe)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null", "/dev/urandom"])
def test_devices_are_refused(device: str) -> None:
    with pytest.raises(InputError, match=f"cannot read {device}: it is neither a file nor a pipe"):
        files.read_text(Path(device))


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Is a directory"):
        files.read_text(tmp_path)


def test_a_file_is_judged_by_its_size_before_it_is_read(tmp_path: Path) -> None:
    huge = tmp_path / "huge.yaml"
    with huge.open("wb") as file:
        file.truncate(10**12)
    with pytest.raises(InputError, match=r"huge\.yaml: it is larger than 16 MB"):
        files.read_text(huge)


def test_what_does_not_tell_its_size_is_read_up_to_the_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(raw_files, "MAX_FILE", 1000)
    with pytest.raises(InputError, match="it is larger than"):
        raw_files.bytes_of(piped(b"x" * 1001))
    with pytest.raises(InputError, match="it is larger than"):
        raw_files.bytes_of(Path("/proc/self/smaps"))  # its size is 0
    with pytest.raises(InputError, match="<stdin>: it is larger than"):
        raw_files.bytes_of_stream(cast("BinaryIO", Endless()), files.STDIN)


def test_the_files_of_a_run_have_a_limit_together_and_each_counts_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Kind.BYTES, "limit", 100)
    for name in "ab":
        (tmp_path / name).write_text("x" * 60, encoding="utf-8")
    with budget.run():
        for _ in range(3):
            files.read_text(tmp_path / "a")
        with pytest.raises(InputError, match=r"b:1:1: more than 100 bytes of files"):
            files.read_text(tmp_path / "b")
