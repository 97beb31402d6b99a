"""What Helm renders, kept from one worker and one run of the tests to the next.

A rendering is a pure function of Helm, the chart, values files and flags (the chart looks nothing
up and draws nothing at random), so it is kept under the digest of all of these. What Helm refuses
is kept where the chart is the reason; what a machine did (a signal, a full disk) never is.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import zlib
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from gptoss.sources.chart import helm
from gptoss.text.whole_files import write_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

ROOT = Path(__file__).resolve().parents[1]
CHART = ROOT / "charts" / "gpt-oss"
TOOLS = (ROOT / ".tools" / "bin").resolve()
# Read before a test points it elsewhere.
HOME = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gptoss" / "renderings"
# Renderings of this many states of the chart are kept, some 10 MB each.
KEPT_CHARTS = 6
# Refusals whose reason stands in the chart and its values.
OF_THE_CHART = re.compile(
    r"execution error at \(|values don't meet the specifications of the schema"
)
# Of a path; what is longer is a value.
LONGEST = 4000
started = helm.limited
Answer: TypeAlias = tuple[int, str, str]


def run(
    argv: Sequence[str | Path],
    *,
    env: Mapping[str, str],
    cwd: Path,
    **options: Any,
) -> subprocess.CompletedProcess[str]:
    """As subprocess.run with captured text; a rendering that is kept is not made again."""
    words = [os.fspath(word) for word in argv]

    def start() -> Answer:
        done = subprocess.run(words, cwd=cwd, env=env, capture_output=True, text=True, **options)
        return done.returncode, done.stdout, done.stderr

    return subprocess.CompletedProcess(words, *answer(start, words, cwd, b"", env))


def limited(argv: list[str], given: bytes) -> helm.Ended:
    """The same of the Helm that the command starts."""
    return helm.Ended(
        *answer(lambda: started(argv, given), argv, Path.cwd(), given, os.environ, "limited")
    )


def answer(
    start: Callable[[], Answer],
    words: list[str],
    here: Path,
    stdin: bytes,
    env: Mapping[str, str],
    how: str = "",
) -> Answer:
    """Exit code and what was written to either stream, kept or of a new run.

    Args:
        start: Runs it.
        words: Its command line.
        here: The folder that it runs in.
        stdin: Its standard input.
        env: Its variables.
        how: What else sets this way of running apart.
    """
    file = _kept_at(words, here, stdin + how.encode(), env)
    found = _read(file) if file else None
    if found is None:
        found = start()
        if file and _is_of_the_chart(words, *found):
            write_bytes(file, zlib.compress(json.dumps(found).encode(), 1))
    return found


def _read(file: Path) -> Answer | None:
    try:
        code, out, err = json.loads(zlib.decompress(file.read_bytes()))
    except FileNotFoundError:
        return None
    return code, out, err


def _kept_at(words: list[str], here: Path, stdin: bytes, env: Mapping[str, str]) -> Path | None:
    """Where a rendering is kept; None for what is none, or not one of a chart on disk."""
    helm = Path(words[0]).resolve()
    if helm.parent != TOOLS or not _renders(words) or not _path(words[3], here):
        return None
    key = hashlib.sha256(repr((helm.name, helm.stat().st_size, helm.stat().st_mtime_ns)).encode())
    for word in words[1:]:
        for piece in re.split("([=,])", word):
            path = _path(piece, here)
            key.update(_digest(path) if path else piece.encode())
        key.update(b"\0")
    key.update(repr(sorted((k, v) for k, v in env.items() if k.startswith("HELM"))).encode())
    key.update(stdin)
    return _folder() / key.hexdigest()


def _renders(words: list[str]) -> bool:
    """Whether Helm is to render a chart, and asks no cluster for it."""
    dry = words[1:2] == ["install"] and "--dry-run=client" in words
    return len(words) > 3 and (dry or words[1] == "template")


def _is_of_the_chart(words: list[str], code: int, out: str, err: str) -> bool:
    """Whether an answer comes of nothing but contents; one that names a path does not."""
    if code and not (code == 1 and OF_THE_CHART.search(err)):
        return False
    pieces = [piece for word in words for piece in re.split("[=,]", word) if "/" in piece]
    said = out + err
    return not any(Path(piece).exists() and piece in said for piece in pieces)


def _path(piece: str, here: Path) -> Path | None:
    """What a part of an argument names: a file that is there, or with a slash a folder too."""
    if not piece or len(piece) > LONGEST:
        return None
    path = here / piece
    return path if path.is_file() or ("/" in piece and path.exists()) else None


def _digest(path: Path) -> bytes:
    """What a file or folder holds, with the names of its files."""
    if path.is_file():
        return _content(str(path))
    digest = hashlib.sha256()
    for folder, folders, files in os.walk(path, followlinks=True):
        folders.sort()
        digest.update(repr((folder.removeprefix(str(path)), sorted(files))).encode())
        for name in sorted(files):
            digest.update(_content(f"{folder}/{name}"))
    return digest.digest()


def _content(file: str) -> bytes:
    stat = os.stat(file)  # noqa: PTH116 (a Path for each file takes four times as long)
    return _content_as_of(file, stat.st_ino, stat.st_size, stat.st_mtime_ns)


@lru_cache(maxsize=4096)
def _content_as_of(file: str, *_stat: int) -> bytes:
    return hashlib.sha256(Path(file).read_bytes()).digest()


@cache
def _folder() -> Path:
    """The folder of the chart as it is now; those of states long gone are removed."""
    folder = HOME / _digest(CHART).hex()[:16]
    folder.mkdir(parents=True, exist_ok=True)
    os.utime(folder)
    newest_first = sorted(HOME.iterdir(), key=lambda found: found.stat().st_mtime, reverse=True)
    for old in newest_first[KEPT_CHARTS:]:
        shutil.rmtree(old, ignore_errors=True)
    return folder
