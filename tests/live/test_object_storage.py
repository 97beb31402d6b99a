"""The chart's download fetches from object storages: its commands, real clients and servers."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from tests.chart.checkpoint import REVISION, SHA256, checkpoint
from tests.chart.rendering import CHART, ROOT, components, environment, objects, one

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.live

BIN = ROOT / ".tools" / "bin"
PATIENCE = 30
KEYS = {"AWS_ACCESS_KEY_ID": "somebody", "AWS_SECRET_ACCESS_KEY": "secret"}


class Storage(NamedTuple):
    """A storage that holds the checkpoint.

    Attributes:
        source: Its address, as in the values.
        told: What the client is told beside it, as in ``client.env``.
        secret: What the client is told by a Secret.
    """

    source: str
    told: dict[str, str]
    secret: dict[str, str]


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def answers(address: str) -> bool:
    try:
        urllib.request.urlopen(address, timeout=1).close()  # noqa: S310 (an address of ours)
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
    return True


@pytest.fixture(params=["s3", "gs"])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Storage]:
    """A storage with the checkpoint, and with the forms of it that nobody needs."""
    folder = tmp_path / "buckets" / "models" / "gpt-oss-120b"
    folder.parent.mkdir(parents=True)
    checkpoint(tmp_path / "published").rename(folder)
    (folder / "original").mkdir()
    (folder / "original" / "model.bin").write_text("as large as all the rest")
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    buckets = tmp_path / "buckets"
    command: list[str]
    if request.param == "s3":
        key = ",".join(KEYS.values())
        command = [str(BIN / "rclone"), "serve", "s3", "--addr", f"127.0.0.1:{port}"]
        command += ["--auth-key", key, str(buckets)]
        told = {"RCLONE_S3_ENDPOINT": address, "RCLONE_S3_PROVIDER": "Other"}
        found = Storage("s3://models/gpt-oss-120b", told, KEYS)
    else:
        command = [str(BIN / "fake-gcs-server"), "-scheme", "http", "-host", "127.0.0.1"]
        command += ["-port", str(port), "-public-host", f"127.0.0.1:{port}"]
        command += ["-backend", "memory", "-data", str(buckets)]
        told = {"RCLONE_GCS_ENDPOINT": f"{address}/storage/v1/", "RCLONE_GCS_ANONYMOUS": "true"}
        found = Storage("gs://models/gpt-oss-120b", told, {})
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as server:
        end = time.monotonic() + PATIENCE
        while not answers(address):
            assert time.monotonic() < end, f"{command[0]} does not listen"
            time.sleep(0.1)
        yield found
        server.terminate()


def run(
    container: dict[str, Any], command: list[str], home: Path, **more: str
) -> subprocess.CompletedProcess[str]:
    """Runs a container's command with its environment; the volume is a folder here."""
    here = {name: value.replace("/opt/models", str(home)) for name, value in more.items()}
    given = {
        name: v.replace("/opt/models", str(home)) for name, v in environment(container).items()
    }
    return subprocess.run(
        [word.replace("/opt/models", str(home)) for word in command],
        env={"PATH": os.environ["PATH"], **given, **here},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )


def test_the_checkpoint_is_fetched_verified_and_served_from_a_storage(
    storage: Storage, tmp_path: Path
) -> None:
    settings = (f"modelCache.download.source={storage.source}", f"model.revision={REVISION}")
    rendered = objects("agg-gb200", *settings)
    spec = one("Job", rendered, "-download-")["spec"]["template"]["spec"]
    (fetch,), (main,) = spec["initContainers"], spec["containers"]
    home = tmp_path / "models"
    home.mkdir()
    words = [str(BIN / "rclone"), *fetch["command"][1:], "--retries=1"]

    refused = run(fetch, words, home, **storage.told, **dict.fromkeys(storage.secret, "another"))
    assert (refused.returncode == 0) == (not storage.secret), refused.stderr
    fetched = run(fetch, [*words, "-v"], home, **storage.told, **storage.secret)
    assert fetched.returncode == 0, fetched.stderr
    folder = home / "checkpoints" / REVISION
    assert (folder / "config.json").is_file()
    assert not (folder / "original").exists()
    again = run(fetch, [*words, "-v"], home, **storage.told, **storage.secret)
    assert "Copied" not in again.stderr

    filling = [sys.executable, str(CHART / "files" / "model_download.py")]
    filled = run(main, filling, home, VOCABULARY_SHA256=SHA256)
    assert filled.returncode == 0, filled.stderr
    init = components(rendered)["worker"]["spec"]["initContainers"][0]
    waiting = [sys.executable, str(CHART / "files" / "model_cache.py")]
    waited = run(init, waiting, home, VOCABULARY_SHA256=SHA256)
    assert waited.returncode == 0, waited.stderr
    assert waited.stdout.endswith(f"/snapshots/{REVISION} is complete\n")


@pytest.mark.parametrize("storage", ["s3"], indirect=True)
def test_a_folder_that_the_storage_does_not_have_is_named_by_the_job(
    storage: Storage, tmp_path: Path
) -> None:
    nothing = "s3://models/nothing"
    rendered = objects("agg-gb200", f"modelCache.download.source={nothing}")
    spec = one("Job", rendered, "-download-")["spec"]["template"]["spec"]
    (fetch,), (main,) = spec["initContainers"], spec["containers"]
    words = [str(BIN / "rclone"), *fetch["command"][1:]]
    run(fetch, words, tmp_path, **storage.told, **storage.secret)
    filling = [sys.executable, str(CHART / "files" / "model_download.py")]
    filled = run(main, filling, tmp_path)
    assert filled.returncode == 1
    assert f"{nothing}: not the checkpoint" in filled.stderr
