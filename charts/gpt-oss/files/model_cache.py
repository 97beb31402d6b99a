"""Waits until the model cache holds the pinned revision and the harmony vocabulary.

With MODEL_VOLUME the weights lie on a volume that is not ours alone, or that cannot be written: a
claim of several releases, a disk of the node, an image. HF_HOME is then a folder of this pod's own,
and when the volume is complete it is laid out there as a cache, by links. Nothing is written to the
volume, so that what the model's id alone stands for is each release's own.

Environment: HF_HOME (the cache), MODEL_ID, MODEL_REVISION, VOCABULARY_SHA256; MODEL_VOLUME (where
that volume is mounted), and MODEL_DIR, the folder of it that holds the checkpoint's files, where
they are not in the layout of the Hugging Face cache.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import signal
import struct
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

VOCABULARY_NAME = "o200k_base.tiktoken"
VOCABULARY_SIZE = 199_998
# The longest header that safetensors itself takes.
LONGEST_HEADER = 100_000_000
INDEX = "model.safetensors.index.json"
WAIT_SECONDS = 7200
POLL_SECONDS = 10
NEEDED = ("HF_HOME", "MODEL_ID", "MODEL_REVISION", "VOCABULARY_SHA256")
# What reading a file of another content can end in.
NOT_AS_EXPECTED = (
    OSError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    OverflowError,
    RecursionError,
)


class CacheError(Exception):
    """The cache does not hold what it should."""


def snapshot(home: Path, model: str, revision: str) -> Path:
    """Folder of a revision in the layout of the Hugging Face cache."""
    return home / "hub" / f"models--{model.replace('/', '--')}" / "snapshots" / revision


def check_shard(path: Path) -> None:
    """Checks that a safetensors file is as long as its header says.

    Raises:
        CacheError: It is missing, cut short or no safetensors file.
    """
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            (length,) = struct.unpack("<Q", file.read(8))
            if length > LONGEST_HEADER:
                raise CacheError(f"{path}: its header cannot be {length} bytes long")
            header = json.loads(file.read(length)) if length < size else {}
        ends = [
            int(entry["data_offsets"][1])
            for name, entry in header.items()
            if name != "__metadata__"
        ]
    except (*NOT_AS_EXPECTED, struct.error) as error:
        raise CacheError(f"{path}: {error}") from error
    expected = 8 + length + max(ends, default=0)
    if not ends or size != expected:
        raise CacheError(f"{path}: has {size} bytes, its header says {expected}")


def check_files(folder: Path) -> list[Path]:
    """Checks that a revision is complete and gives its shards.

    Raises:
        CacheError: Files are missing or cut short; names all.
    """
    try:
        index = json.loads((folder / INDEX).read_text())
        shards = [folder / name for name in sorted(set(index["weight_map"].values()))]
    except NOT_AS_EXPECTED as error:
        raise CacheError(f"{folder}: no complete checkpoint: {error}") from error
    names = ("config.json", "tokenizer.json", "tokenizer_config.json")
    lacks = [f"{folder / name} is missing" for name in names if not (folder / name).is_file()]
    for shard in shards:
        try:
            check_shard(shard)
        except CacheError as error:
            lacks.append(str(error))
    if lacks:
        raise CacheError("; ".join(lacks))
    return shards


def check_model(folder: Path) -> None:
    """Checks that a revision is complete, and verified if it was downloaded here.

    Raises:
        CacheError: Files are missing or cut short, or a download was not verified.
    """
    check_files(folder)
    if unverified(folder).exists():
        raise CacheError(f"{folder}: its download was stopped before it was verified")


def unverified(folder: Path) -> Path:
    """The file that says that nobody has verified a revision since its download began."""
    return folder.parent.parent / f"unverified-{folder.name}"


def vocabulary_in(home: Path) -> Path:
    """Where a cache holds the harmony vocabulary."""
    return home / "tiktoken" / VOCABULARY_NAME


def check_vocabulary(path: Path, sha256: str) -> None:
    """Checks the harmony vocabulary.

    Raises:
        CacheError: It is missing or another file.
    """
    try:
        found = hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise CacheError(f"{path}: {error}") from error
    if found != sha256:
        raise CacheError(f"{path}: has SHA-256 {found}, not {sha256}")


def vocabulary_of(tokenizer: Path) -> bytes:
    """The harmony vocabulary as the checkpoint's own tokenizer holds it; empty if it has none.

    Byte-level BPE writes bytes as printable characters; this turns them back.
    """
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    characters = {chr(byte): byte for byte in printable}
    others = [byte for byte in range(256) if byte not in printable]
    characters.update({chr(256 + offset): byte for offset, byte in enumerate(others)})
    lines = []
    try:
        ranks = json.loads(tokenizer.read_text(encoding="utf-8"))["model"]["vocab"]
        for token, rank in sorted(ranks.items(), key=lambda item: item[1]):
            if rank < VOCABULARY_SIZE:
                encoded = base64.b64encode(bytes(characters[c] for c in token)).decode()
                lines.append(f"{encoded} {rank}\n")
    except NOT_AS_EXPECTED:
        return b""
    return "".join(lines).encode()


def replace(path: Path, content: bytes) -> None:
    """Writes a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        partial.write_bytes(content)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def name_main(folder: Path) -> None:
    """Makes the revision the one that the model's id alone stands for.

    The frontend looks the id up; with two revisions in the cache it may take the wrong one.
    """
    main = folder.parent.parent / "refs" / "main"
    if not main.is_file() or main.read_text() != folder.name:
        replace(main, folder.name.encode())


def link(folder: Path, source: Path, target: Path) -> None:
    """Makes the files of a folder those of a revision, by links that begin with ``target``."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted(source.iterdir()):
        place, partial = folder / path.name, folder / f".{path.name}.{os.getpid()}"
        if path.is_file() and (place.is_symlink() or not place.exists()):
            partial.symlink_to(target / path.name)
            partial.replace(place)


def lay_out(folder: Path, source: Path, volume: Path, home: Path, sha256: str) -> None:
    """Lays a complete revision of a volume out as a cache of this pod's own.

    Raises:
        CacheError: It is not complete, or the vocabulary is not to be had from it.
    """
    check_model(source)
    vocabulary = vocabulary_in(volume)
    try:
        check_vocabulary(vocabulary, sha256)
        content = vocabulary.read_bytes()
    except CacheError as error:
        content = vocabulary_of(source / "tokenizer.json")
        if hashlib.sha256(content).hexdigest() != sha256:
            raise CacheError(f"{error}; the tokenizer does not yield it") from error
    replace(vocabulary_in(home), content)
    link(folder, source, source)
    name_main(folder)


def check(home: Path, folder: Path, sha256: str) -> None:
    """Checks that the cache holds a revision and the vocabulary.

    Raises:
        CacheError: It does not.
    """
    check_model(folder)
    check_vocabulary(vocabulary_in(home), sha256)


def wait(attempt: Callable[[], None]) -> None:
    """Returns when an attempt succeeds.

    Raises:
        CacheError: None does within two hours.
    """
    deadline = time.monotonic() + WAIT_SECONDS
    while True:
        try:
            return attempt()
        except CacheError as error:
            if time.monotonic() > deadline:
                raise
            print(f"waiting: {error}", flush=True)
        time.sleep(POLL_SECONDS)


def main() -> int:
    """Waits; 1 when the cache is not completed in time, 2 when a variable is missing."""
    if lacking := [name for name in NEEDED if not os.environ.get(name)]:
        print(f"model cache: set {', '.join(lacking)}", file=sys.stderr)
        return 2
    home, sha256 = Path(os.environ["HF_HOME"]), os.environ["VOCABULARY_SHA256"]
    model, revision = os.environ["MODEL_ID"], os.environ["MODEL_REVISION"]
    folder = snapshot(home, model, revision)
    try:
        if given := os.environ.get("MODEL_VOLUME"):
            volume, plain = Path(given), os.environ.get("MODEL_DIR")
            source = Path(plain) if plain else snapshot(volume, model, revision)
            wait(lambda: lay_out(folder, source, volume, home, sha256))
        else:
            wait(lambda: check(home, folder, sha256))
    except (CacheError, OSError) as error:
        print(f"model cache: {error}", file=sys.stderr)
        return 1
    print(f"{folder} is complete", flush=True)
    return 0


if __name__ == "__main__":
    # Ctrl-C ends it as it ends any program.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(main())
