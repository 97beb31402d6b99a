"""Fills and verifies the model cache: ``model_cache.py fill|wait``.

``fill`` fetches the pinned revision's safetensors checkpoint and the harmony vocabulary, verifies
both, and does nothing when they are there already: then it needs neither token nor network.
``wait`` returns when another pod has filled the cache.

Environment: HF_HOME (the cache), MODEL_ID, MODEL_REVISION, VOCABULARY_SHA256, VOCABULARY_URL.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import struct
import sys
import time
import urllib.request
from pathlib import Path

# The repository also holds the checkpoint in two other forms, twice its size.
IGNORED = ["original/*", "metal/*"]
VOCABULARY_NAME = "o200k_base.tiktoken"
VOCABULARY_SIZE = 199_998
WAIT_SECONDS = 7200
POLL_SECONDS = 10
CHUNK = 16 * 1024 * 1024


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
            header = json.loads(file.read(length)) if length < size else {}
        ends = [
            entry["data_offsets"][1] for name, entry in header.items() if name != "__metadata__"
        ]
    except (OSError, ValueError, KeyError, TypeError, struct.error) as error:
        raise CacheError(f"{path}: {error}") from error
    expected = 8 + length + max(ends, default=0)
    if not ends or size != expected:
        raise CacheError(f"{path}: has {size} bytes, its header says {expected}")


def check_model(folder: Path) -> list[Path]:
    """Checks that a revision is complete and gives its shards.

    Raises:
        CacheError: A file is missing or cut short.
    """
    try:
        index = json.loads((folder / "model.safetensors.index.json").read_text())
        shards = [folder / name for name in sorted(set(index["weight_map"].values()))]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise CacheError(f"{folder}: no complete checkpoint: {error}") from error
    for name in ("config.json", "tokenizer.json", "tokenizer_config.json"):
        if not (folder / name).is_file():
            raise CacheError(f"{folder / name} is missing")
    for shard in shards:
        check_shard(shard)
    return shards


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


def check_digests(shards: list[Path]) -> None:
    """Checks the content of shards whose blob is named after its SHA-256; removes a bad one.

    Raises:
        CacheError: A shard's content is not what its name says.
    """
    for shard in shards:
        blob = shard.resolve()
        if len(blob.name) != 64:
            continue
        digest = hashlib.sha256()
        with blob.open("rb") as file:
            while chunk := file.read(CHUNK):
                digest.update(chunk)
        if digest.hexdigest() != blob.name:
            blob.unlink()
            shard.unlink()
            raise CacheError(f"{shard.name}: content has another SHA-256 than its name; removed")
        print(f"verified {shard.name}", flush=True)


def vocabulary_of(tokenizer: Path) -> bytes:
    """The harmony vocabulary as the checkpoint's own tokenizer holds it.

    Byte-level BPE writes bytes as printable characters; this turns them back.
    """
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    characters = {chr(byte): byte for byte in printable}
    others = [byte for byte in range(256) if byte not in printable]
    characters.update({chr(256 + offset): byte for offset, byte in enumerate(others)})
    ranks = json.loads(tokenizer.read_text(encoding="utf-8"))["model"]["vocab"]
    lines = []
    for token, rank in sorted(ranks.items(), key=lambda item: item[1]):
        if rank < VOCABULARY_SIZE:
            encoded = base64.b64encode(bytes(characters[c] for c in token)).decode()
            lines.append(f"{encoded} {rank}\n")
    return "".join(lines).encode()


def fill_vocabulary(path: Path, tokenizer: Path, sha256: str, url: str) -> None:
    """Writes the vocabulary, from the tokenizer if that yields it, else from its address.

    Raises:
        CacheError: Neither gives the file with the right SHA-256.
    """
    try:
        content = vocabulary_of(tokenizer)
    except (OSError, ValueError, KeyError, TypeError):
        content = b""
    if hashlib.sha256(content).hexdigest() != sha256:
        if not url.startswith("https://"):
            raise CacheError(f"VOCABULARY_URL {url!r} is not an https address")
        with urllib.request.urlopen(url, timeout=60) as response:  # noqa: S310 (https, above)
            content = response.read()
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.{os.getpid()}")
    partial.write_bytes(content)
    check_vocabulary(partial, sha256)
    partial.replace(path)


def missing(home: Path, folder: Path, sha256: str) -> str:
    """What the cache lacks; '' when it is complete."""
    try:
        check_model(folder)
        check_vocabulary(home / "tiktoken" / VOCABULARY_NAME, sha256)
    except CacheError as error:
        return str(error)
    return ""


def name_main(folder: Path) -> None:
    """Makes the revision the one that the model's id alone stands for.

    The frontend looks the id up; with two revisions in the cache it may take the wrong one.
    """
    main = folder.parent.parent / "refs" / "main"
    if main.is_file() and main.read_text() == folder.name:
        return
    main.parent.mkdir(parents=True, exist_ok=True)
    partial = main.with_name(f"main.{os.getpid()}")
    partial.write_text(folder.name)
    partial.replace(main)


def fill(home: Path, model: str, revision: str, sha256: str, url: str) -> None:
    """Fills the cache with a revision and the vocabulary, unless both are there.

    Raises:
        CacheError: What was fetched is not what it should be.
    """
    folder = snapshot(home, model, revision)
    try:
        check_model(folder)
    except CacheError:
        from huggingface_hub import snapshot_download

        snapshot_download(model, revision=revision, cache_dir=home / "hub", ignore_patterns=IGNORED)
        check_digests(check_model(folder))
    vocabulary = home / "tiktoken" / VOCABULARY_NAME
    try:
        check_vocabulary(vocabulary, sha256)
    except CacheError:
        fill_vocabulary(vocabulary, folder / "tokenizer.json", sha256, url)
    name_main(folder)
    print(f"{folder} is complete", flush=True)


def wait(home: Path, folder: Path, sha256: str) -> None:
    """Returns when the cache is complete.

    Raises:
        CacheError: It is not within two hours.
    """
    deadline = time.monotonic() + WAIT_SECONDS
    while lack := missing(home, folder, sha256):
        if time.monotonic() > deadline:
            raise CacheError(lack)
        print(f"waiting: {lack}", flush=True)
        time.sleep(POLL_SECONDS)


def main(arguments: list[str]) -> int:
    """Runs ``fill`` or ``wait``; 1 when the cache cannot be completed."""
    home = Path(os.environ["HF_HOME"])
    model, revision = os.environ["MODEL_ID"], os.environ["MODEL_REVISION"]
    sha256 = os.environ["VOCABULARY_SHA256"]
    try:
        if arguments == ["fill"]:
            fill(home, model, revision, sha256, os.environ["VOCABULARY_URL"])
        elif arguments == ["wait"]:
            wait(home, snapshot(home, model, revision), sha256)
        else:
            print("usage: model_cache.py fill|wait", file=sys.stderr)
            return 2
    except (CacheError, OSError) as error:
        print(f"model cache: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
