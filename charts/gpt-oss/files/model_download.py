"""Fills and verifies the model cache that pods wait for with ``model_cache.py``.

Fetches the pinned revision's safetensors checkpoint and the harmony vocabulary, verifies both, and
does nothing when they are there already: then it needs neither token nor network. What is cut short
is fetched again. A file ``unverified-REVISION`` beside the snapshots says that a download has begun
and nobody has verified it to its end. FURTHER_REVISIONS, commits with spaces between them, are
fetched and verified after it.

With MODEL_DIR, a plain folder that holds the checkpoint, the revision's files are links to those of
the folder; an empty one is filled first. Whoever reads the cache must see the folder at this path.

Environment: HF_HOME (the cache), MODEL_ID, MODEL_REVISION, VOCABULARY_SHA256, VOCABULARY_URL;
MODEL_DIR, FURTHER_REVISIONS, MODEL_SOURCE (where somebody else has filled MODEL_DIR from, and not
the hub), and SHARED_CACHE (true where other releases use the cache: what the model's id alone
stands for is then left as it is).
"""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import re
import signal
import sys
import urllib.request
from pathlib import Path

# Both lie in one folder; workers run the other one alone.
from model_cache import (
    INDEX,
    NEEDED,
    VOCABULARY_NAME,
    CacheError,
    check_files,
    check_model,
    check_shard,
    check_vocabulary,
    link,
    name_main,
    replace,
    snapshot,
    unverified,
    vocabulary_in,
    vocabulary_of,
)

# The repository also holds the checkpoint in two other forms, twice its size.
IGNORED = ["original/*", "metal/*"]
CHUNK = 16 * 1024 * 1024
# The harmony vocabulary has 3.6 MB; no more is read of what answers at its address.
LONGEST_VOCABULARY = 16 * 1024 * 1024
# Where a download into a plain folder notes the commit and the digest of each file.
METADATA = Path(".cache", "huggingface", "download")


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


def fill_vocabulary(path: Path, tokenizer: Path, sha256: str, url: str) -> None:
    """Writes the vocabulary, from the tokenizer if that yields it, else from its address.

    Raises:
        CacheError: Neither gives the file with the right SHA-256.
    """
    content = vocabulary_of(tokenizer)
    if hashlib.sha256(content).hexdigest() != sha256:
        if not url.startswith("https://"):
            raise CacheError(f"VOCABULARY_URL {url!r} is not an https address")
        try:
            with urllib.request.urlopen(url, timeout=60) as response:  # noqa: S310 (https, above)
                content = response.read(LONGEST_VOCABULARY)
        except (OSError, ValueError, http.client.HTTPException) as error:
            raise CacheError(f"cannot download {path.name}: {told(error, url)}") from error
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        raise CacheError(f"{url}: {VOCABULARY_NAME} has SHA-256 {found}, not {sha256}")
    replace(path, content)


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
        if source := os.environ.get("MODEL_SOURCE"):
            raise CacheError(f"{source}: not the checkpoint: {error}") from error
        if weights and not is_to_fill(weights):
            raise CacheError(f"MODEL_DIR: {error}; only an empty folder is filled") from error
        remove_cut(weights or folder)
        where = {"local_dir": weights} if weights else {"cache_dir": home / "hub"}
        download(model, revision, **where)
        shards = check_files(weights or folder)
    check_digests(shards)
    if weights:
        link(folder, weights, target_of(weights, folder, home))
    mark.unlink(missing_ok=True)


def is_to_fill(weights: Path) -> bool:
    """Whether a plain folder is empty, or a download into it has begun."""
    return not weights.exists() or (weights / METADATA).is_dir() or not any(weights.iterdir())


def target_of(weights: Path, folder: Path, home: Path) -> Path:
    """What links to a plain folder begin with; inside the cache they are relative."""
    if not weights.resolve().is_relative_to(home.resolve()):
        return weights
    return Path(os.path.relpath(weights.resolve(), folder.resolve()))


def is_linked(folder: Path, weights: Path) -> bool:
    """Whether a revision's index is that of a plain folder."""
    return (folder / INDEX).resolve() == (weights / INDEX).resolve()


def note_revision(weights: Path, revision: str) -> None:
    """Says so when a plain folder was downloaded at another revision."""
    try:
        found = (weights / METADATA / "config.json.metadata").read_text().split()[:1]
    except (OSError, ValueError):
        return
    if found not in ([], [revision]):
        print(f"note: {weights} is of revision {found[0]}, not {revision}", flush=True)


def fill_revision(home: Path, model: str, revision: str, weights: Path | None = None) -> Path:
    """Fills the cache with a revision, unless it is there, and gives its folder.

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
    return folder


def make_servable(home: Path, folder: Path, sha256: str, url: str, *, shared: bool) -> None:
    """Adds to a revision that is there what makes it servable: vocabulary, and the id's meaning.

    Raises:
        CacheError: The vocabulary is not what it should be.
    """
    vocabulary = vocabulary_in(home)
    try:
        check_vocabulary(vocabulary, sha256)
    except CacheError:
        fill_vocabulary(vocabulary, folder / "tokenizer.json", sha256, url)
    if not shared:
        name_main(folder)
    print(f"{folder} is complete", flush=True)


def main() -> int:
    """Fills the cache; 1 when it cannot be completed, 2 when a variable is missing."""
    given = os.environ
    if lacking := [name for name in (*NEEDED, "VOCABULARY_URL") if not given.get(name)]:
        print(f"model cache: set {', '.join(lacking)}", file=sys.stderr)
        return 2
    home, model = Path(given["HF_HOME"]), given["MODEL_ID"]
    weights = Path(given["MODEL_DIR"]) if given.get("MODEL_DIR") else None
    shared = given.get("SHARED_CACHE") == "true"
    try:
        folder = fill_revision(home, model, given["MODEL_REVISION"], weights)
        sha256, url = given["VOCABULARY_SHA256"], given["VOCABULARY_URL"]
        make_servable(home, folder, sha256, url, shared=shared)
        for revision in given.get("FURTHER_REVISIONS", "").split():
            print(f"{fill_revision(home, model, revision)} is complete", flush=True)
    except (CacheError, OSError) as error:
        print(f"model cache: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    # Ctrl-C ends it as it ends any program; the next run goes on from there.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(main())
