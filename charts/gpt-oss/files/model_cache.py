"""Fills and verifies the model cache: ``model_cache.py fill|wait``.

``fill`` fetches the pinned revision's safetensors checkpoint and the harmony vocabulary, verifies
both, and does nothing when they are there already: then it needs neither token nor network. What is
cut short is fetched again. A file ``unverified-REVISION`` beside the snapshots says that a download
has begun and nobody has verified it to its end. ``wait`` returns when another pod has filled the
cache.

With MODEL_DIR, a plain folder that holds the checkpoint, the revision's files are links to those of
the folder; an empty one is filled first. Whoever reads the cache must see the folder at this path.

Environment: HF_HOME (the cache), MODEL_ID, MODEL_REVISION, VOCABULARY_SHA256, VOCABULARY_URL, and
MODEL_DIR.
"""

from __future__ import annotations

import base64
import hashlib
import http.client
import json
import os
import re
import signal
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
# Where a download into a plain folder notes the commit and the digest of each file.
METADATA = Path(".cache", "huggingface", "download")
NEEDED = ("HF_HOME", "MODEL_ID", "MODEL_REVISION", "VOCABULARY_SHA256")


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


def check_files(folder: Path) -> list[Path]:
    """Checks that a revision is complete and gives its shards.

    Raises:
        CacheError: Files are missing or cut short; names all.
    """
    try:
        index = json.loads((folder / "model.safetensors.index.json").read_text())
        shards = [folder / name for name in sorted(set(index["weight_map"].values()))]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
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


def digest_of(shard: Path) -> str:
    """SHA-256 that a download has noted of a shard; '' when there is none.

    In the cache its blob is named after it; in a plain folder it stands in a file of its own.
    """
    blob = shard.resolve()
    try:
        noted = (blob.parent / METADATA / f"{blob.name}.metadata").read_text().split()
    except (OSError, ValueError):
        noted = []
    found = (name for name in (blob.name, *noted[1:2]) if re.fullmatch("[0-9a-f]{64}", name))
    return next(found, "")


def check_digests(shards: list[Path]) -> None:
    """Checks the content of shards whose SHA-256 is known; removes bad ones.

    Raises:
        CacheError: The content of shards is not what was noted; names all.
    """
    bad = []
    for shard in shards:
        expected = digest_of(shard)
        if not expected:
            continue
        digest = hashlib.sha256()
        with shard.open("rb") as file:
            while chunk := file.read(CHUNK):
                digest.update(chunk)
        if digest.hexdigest() == expected:
            print(f"verified {shard.name}", flush=True)
        else:
            remove(shard)
            bad.append(shard.name)
    if bad:
        raise CacheError(f"{', '.join(bad)}: content has another SHA-256 than was noted; removed")


def remove(path: Path) -> None:
    """Removes a file, and the blob of the cache that it stands for."""
    blob = path.resolve()
    if blob.parent.name == "blobs":
        blob.unlink(missing_ok=True)
    path.unlink(missing_ok=True)


def remove_cut(folder: Path) -> None:
    """Removes what cannot be read: a download trusts every blob that exists."""
    for path in sorted([*folder.glob("*.safetensors"), *folder.glob("*.json")]):
        try:
            if path.suffix == ".json":
                json.loads(path.read_text(encoding="utf-8"))
            else:
                check_shard(path)
        except (CacheError, OSError, ValueError) as error:
            print(f"removed: {error if path.name in str(error) else path}", flush=True)
            remove(path)


def download(model: str, revision: str, **where: Path) -> None:
    """Fetches a revision's safetensors checkpoint, or what is missing of it.

    Args:
        model: Repository id.
        revision: Its commit.
        where: ``cache_dir``, or ``local_dir`` for a plain folder.

    Raises:
        CacheError: The hub's client failed; says at which address.
    """
    try:
        from huggingface_hub import snapshot_download

        snapshot_download(model, revision=revision, ignore_patterns=IGNORED, **where)
    except Exception as error:
        # By version they come from requests, httpx or another client; none is for the reader.
        hub = os.environ.get("HF_ENDPOINT", "https://huggingface.co")
        raise CacheError(f"cannot download {model}: {told(error, hub)}") from error


def told(error: BaseException, address: str) -> str:
    """An error on one line, with its address and without what signs or opens that."""
    text = f"{type(error).__name__}: {error}"
    cause: BaseException | None = error
    while cause and "://" not in text:
        try:
            address = str(cause.request.url)  # type: ignore[attr-defined]
            break
        except (AttributeError, RuntimeError):
            cause = cause.__cause__ or cause.__context__
    if "://" not in text:
        text = f"{text} ({address})"
    text = re.sub(r"For more information check: \S+", "", text)
    text = re.sub(r"(://)[^/\s@]*@|\?[^\s'\")]+", r"\1", text)
    return " ".join(text.split())


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
        try:
            with urllib.request.urlopen(url, timeout=60) as response:  # noqa: S310 (https, above)
                content = response.read()
        except (OSError, ValueError, http.client.HTTPException) as error:
            raise CacheError(f"cannot download {path.name}: {told(error, url)}") from error
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


def fetch(home: Path, model: str, revision: str, weights: Path | None) -> None:
    """Downloads what a revision lacks and verifies all of it; marks it until that is done.

    Raises:
        CacheError: The hub's client failed, or what was fetched is not what it should be.
    """
    folder = snapshot(home, model, revision)
    mark = unverified(folder)
    mark.parent.mkdir(parents=True, exist_ok=True)
    mark.touch()
    try:
        shards = check_files(weights or folder)
    except CacheError as error:
        if weights and not is_to_fill(weights):
            raise CacheError(f"MODEL_DIR: {error}; only an empty folder is filled") from error
        remove_cut(weights or folder)
        where = {"local_dir": weights} if weights else {"cache_dir": home / "hub"}
        download(model, revision, **where)
        shards = check_files(weights or folder)
    check_digests(shards)
    if weights:
        link(folder, weights, home)
    mark.unlink(missing_ok=True)


def is_to_fill(weights: Path) -> bool:
    """Whether a plain folder is empty, or a download into it has begun."""
    return not weights.exists() or (weights / METADATA).is_dir() or not any(weights.iterdir())


def link(folder: Path, weights: Path, home: Path) -> None:
    """Makes the files of a plain folder those of a revision; inside the cache by relative links."""
    folder.mkdir(parents=True, exist_ok=True)
    inside = weights.resolve().is_relative_to(home.resolve())
    target = Path(os.path.relpath(weights.resolve(), folder.resolve())) if inside else weights
    for path in sorted(weights.iterdir()):
        place, partial = folder / path.name, folder / f".{path.name}.{os.getpid()}"
        if path.is_file() and (place.is_symlink() or not place.exists()):
            partial.symlink_to(target / path.name)
            partial.replace(place)


def is_linked(folder: Path, weights: Path) -> bool:
    """Whether a revision's index is that of a plain folder."""
    index = "model.safetensors.index.json"
    return (folder / index).resolve() == (weights / index).resolve()


def note_revision(weights: Path, revision: str) -> None:
    """Says so when a plain folder was downloaded at another revision."""
    try:
        found = (weights / METADATA / "config.json.metadata").read_text().split()[:1]
    except (OSError, ValueError):
        return
    if found not in ([], [revision]):
        print(f"note: {weights} is of revision {found[0]}, not {revision}", flush=True)


def fill(
    home: Path, model: str, revision: str, sha256: str, url: str, weights: Path | None = None
) -> None:
    """Fills the cache with a revision and the vocabulary, unless both are there.

    Raises:
        CacheError: What was fetched is not what it should be.
    """
    folder = snapshot(home, model, revision)
    try:
        check_model(folder)
        if weights and not is_linked(folder, weights):
            raise CacheError(f"{folder}: holds other files than {weights}")
    except CacheError:
        fetch(home, model, revision, weights)
    if weights:
        note_revision(weights, revision)
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
    needed = (*NEEDED, "VOCABULARY_URL") if arguments == ["fill"] else NEEDED
    if arguments not in (["fill"], ["wait"]):
        print("usage: model_cache.py fill|wait", file=sys.stderr)
        return 2
    if lacking := [name for name in needed if not os.environ.get(name)]:
        print(f"model cache: set {', '.join(lacking)}", file=sys.stderr)
        return 2
    home = Path(os.environ["HF_HOME"])
    model, revision = os.environ["MODEL_ID"], os.environ["MODEL_REVISION"]
    sha256 = os.environ["VOCABULARY_SHA256"]
    try:
        if arguments == ["fill"]:
            weights = Path(os.environ["MODEL_DIR"]) if os.environ.get("MODEL_DIR") else None
            fill(home, model, revision, sha256, os.environ["VOCABULARY_URL"], weights)
        else:
            wait(home, snapshot(home, model, revision), sha256)
    except (CacheError, OSError) as error:
        print(f"model cache: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    # Ctrl-C ends it as it ends any program; the next run goes on from there.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(main(sys.argv[1:]))
