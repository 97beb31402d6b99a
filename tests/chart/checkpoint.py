"""A small checkpoint in the layout of the Hugging Face cache, and the scripts that handle it."""

import base64
import hashlib
import json
import struct
from pathlib import Path

from tests.chart.test_scripts import script

MODEL, REVISION = "openai/gpt-oss-120b", "0" * 40
cache, download = script("model_cache"), script("model_download")
TOKENS = {"Ġ": 1, "!": 0, "Ā": 2, "<special>": 199_998}
VOCABULARY = b"".join(
    base64.b64encode(token) + f" {rank}\n".encode()
    for rank, token in enumerate([b"!", b" ", b"\0"])
)
SHA256 = hashlib.sha256(VOCABULARY).hexdigest()


def shard(path: Path, size: int = 8) -> None:
    header = json.dumps({"w": {"dtype": "U8", "shape": [size], "data_offsets": [0, size]}}).encode()
    path.write_bytes(struct.pack("<Q", len(header)) + header + bytes(size))


def checkpoint(home: Path, revision: str = REVISION) -> Path:
    folder: Path = cache.snapshot(home, MODEL, revision)
    folder.mkdir(parents=True)
    for name in ("config.json", "tokenizer_config.json"):
        (folder / name).write_text("{}")
    (folder / "tokenizer.json").write_text(json.dumps({"model": {"vocab": TOKENS}}))
    names = [f"model-{number}.safetensors" for number in (1, 2)]
    for name in names:
        shard(folder / name)
    index = {"weight_map": {"a": names[0], "b": names[1]}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    return folder


def missing(home: Path, folder: Path) -> str:
    """What the cache lacks; '' when it is complete."""
    try:
        cache.check(home, folder, SHA256)
    except cache.CacheError as error:
        return str(error)
    return ""


def fill(home: Path, weights: Path | None = None) -> Path:
    """Fills a cache with the revision and the vocabulary, and gives the revision's folder."""
    folder: Path = download.fill_revision(home, MODEL, REVISION, weights)
    download.make_servable(home, folder, SHA256, "https://example.com/vocabulary", shared=False)
    return folder
