"""``gptoss bench run``, with a small program that stands for aiperf."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gptoss import __version__
from gptoss.facts.world import Facts
from tests import chart
from tests.rendering.test_shell import read

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MODEL = "openai/gpt-oss-120b"


class Server(BaseHTTPRequestHandler):
    """Lists one model, and answers one token."""

    def log_message(self, *_: object) -> None:
        """Says nothing."""

    def reply(self, body: object) -> None:
        text = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def do_GET(self) -> None:
        self.reply({"data": [{"id": MODEL}]})

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.reply({"choices": [{"message": {"content": "H"}, "finish_reason": "length"}]})


@pytest.fixture
def url() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), Server)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    programs = tmp_path / "bin"
    programs.mkdir()
    shutil.copy(Path(chart.__file__).with_name("aiperf.py"), programs / "aiperf")
    (programs / "aiperf").chmod(0o755)
    (programs / "python3").symlink_to(sys.executable)
    snapshots = tmp_path / "hf" / "hub" / f"models--{MODEL.replace('/', '--')}" / "snapshots"
    snapshot = snapshots / Facts().models[MODEL].revision
    snapshot.mkdir(parents=True)
    (snapshot / "tokenizer.json").write_text("{}")

    def started(*words: str, does: str = "", **more: str) -> subprocess.CompletedProcess[str]:
        variables = {
            "PATH": f"{programs}:{os.environ['PATH']}",
            "HF_HOME": str(tmp_path / "hf"),
            "AIPERF_DOES": does,
        }
        return subprocess.run(
            [sys.executable, "-m", "gptoss", "bench", "run", *words],
            cwd=tmp_path,
            env=os.environ | variables | more,
            capture_output=True,
            text=True,
            check=False,
        )

    return started


def test_the_job_s_own_words_are_sent_to_the_server_that_is_given(
    run: Callable[..., subprocess.CompletedProcess[str]], url: str, tmp_path: Path
) -> None:
    done = run("disagg-gb200", url, "--format", "json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (tmp_path / told["folder"]).parent == tmp_path / "results"
    benchmark = read("disagg-gb200").deployment.benchmark
    assert benchmark
    assert benchmark.steps
    asked = [word.value for word in benchmark.steps[0].command.words]
    (sent,) = told["plan"]["argv"]
    differ = {b for a, b in zip(asked, sent, strict=True) if a != b}
    assert differ == {url, told["folder"]}
    assert told["plan"]["target"] == "disagg-gb200"
    assert told["plan"]["gpus"] == {"prefill": 1, "decode": 4}
    assert told["plan"]["versions"]["gptoss"] == __version__
    assert told["outcome"]["code"] == 0


def test_a_run_with_failed_requests_exits_with_1(
    run: Callable[..., subprocess.CompletedProcess[str]], url: str
) -> None:
    done = run("agg-gb200", url, "--scale", "0.01", does="fail=3")
    assert done.returncode == 1
    assert "3 of 360 requests failed" in done.stdout


def test_a_dead_server_is_said_before_anything_runs(
    run: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    done = run("agg-gb200", "http://127.0.0.1:9")
    assert done.returncode == 2
    assert "http://127.0.0.1:9 is not ready" in done.stderr
    assert "Connection refused" in done.stderr
    assert not (tmp_path / "results").exists()


def test_a_server_with_another_model_is_said(
    run: Callable[..., subprocess.CompletedProcess[str]], url: str
) -> None:
    done = run("agg-gb200", url, "--set", "model.servedName=other")
    assert done.returncode == 2
    assert f"it lists {MODEL}" in done.stderr


def test_a_tokenizer_that_is_not_there_is_said(
    run: Callable[..., subprocess.CompletedProcess[str]], url: str, tmp_path: Path
) -> None:
    done = run("agg-gb200", url, HF_HOME=str(tmp_path))
    assert done.returncode == 2
    assert "set HF_HOME" in done.stderr


@pytest.mark.parametrize("words", [[], ["agg-gb200", "disagg-gb200"]])
def test_one_target_is_run_at_a_time(
    words: list[str], run: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    done = run(*words)
    assert done.returncode == 2
    assert "one target" in done.stderr
