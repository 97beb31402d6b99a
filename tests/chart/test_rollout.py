"""What rollout.py takes for a finished rollout, and what it makes of the API server's answers."""

from __future__ import annotations

import json
import ssl
import subprocess
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.chart.test_scripts import script

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

rollout = script("rollout")
SELECTOR = "app.kubernetes.io/instance=gpt-oss"
EXPECTED = {
    "name": "gpt-oss",
    "selector": SELECTOR,
    "components": {
        "frontend": {"checksum": "f1", "pods": 1},
        "decode": {"checksum": "d1", "pods": 2},
    },
}


def pod(told: str, ready: bool = True, phase: str = "Running", **metadata: Any) -> dict[str, Any]:
    return {
        "metadata": {"annotations": {"gpt-oss/rollout": told} if told else {}, **metadata},
        "status": {
            "phase": phase,
            "conditions": [{"type": "Ready", "status": "True" if ready else "False"}],
        },
    }


FRONTEND, DECODE = pod("gpt-oss/frontend/f1"), pod("gpt-oss/decode/d1")
DONE = [FRONTEND, DECODE, DECODE]
GOES: Any = {"deletionTimestamp": "2026-01-01T00:00:00Z"}


@pytest.mark.parametrize(
    ("pods", "reason"),
    [
        (DONE, ""),
        ([], "0 of frontend are ready, not 1; 0 of decode are ready, not 2"),
        ([FRONTEND, DECODE], "1 of decode are ready, not 2"),
        ([*DONE, pod("gpt-oss/decode/d0")], "decode has 1 of before"),
        ([*DONE, pod("gpt-oss/decode/d0", ready=False, **GOES)], "decode has 1 of before"),
        ([*DONE, pod("gpt-oss/worker/w0")], "worker has 1 of before"),
        ([*DONE, pod("gpt-oss/decode/d0", phase="Failed")], ""),
        ([FRONTEND, DECODE, pod("gpt-oss/decode/d1", ready=False)], "1 of decode are ready, not 2"),
        ([FRONTEND, DECODE, pod("gpt-oss/decode/d1", **GOES)], "1 of decode are ready, not 2"),
        ([*DONE, DECODE], "3 of decode are ready, not 2"),
        ([*DONE, pod(""), pod("sibling/decode/d0")], ""),
    ],
)
def test_a_rollout_is_over_when_every_pod_is_of_today_and_ready(pods: Any, reason: str) -> None:
    assert rollout.why_not(EXPECTED, pods) == reason


def test_of_what_an_autoscaler_sizes_one_pod_is_enough_and_more_are_no_matter() -> None:
    scaled = json.loads(json.dumps(EXPECTED))
    scaled["components"]["decode"]["pods"] = None
    assert rollout.why_not(scaled, [FRONTEND]) == "none of decode is ready"
    assert rollout.why_not(scaled, [FRONTEND, DECODE]) == ""
    assert rollout.why_not(scaled, [*DONE, DECODE]) == ""


class Api:
    """An API server that tells its pods one a page, or answers with a status."""

    def __init__(self) -> None:
        self.answers: list[Any] = []
        self.asked: list[tuple[dict[str, list[str]], str]] = []

    def reply(self, path: str, token: str) -> tuple[int, Any]:
        query = parse_qs(urlsplit(path).query)
        self.asked.append((query, token))
        answer = self.answers[0]
        if isinstance(answer, int):
            self.answers.pop(0)
            return answer, {"kind": "Status", "message": f"the answer is {answer}"}
        at = int(query.get("continue", ["0"])[0])
        more = str(at + 1) if at + 1 < len(answer) else ""
        if not more:
            self.answers.pop(0)
        return 200, {"items": answer[at : at + 1], "metadata": {"continue": more}}


@contextmanager
def served(api: Api, account: Path) -> Iterator[int]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Says nothing."""

        def do_GET(self) -> None:
            status, body = api.reply(self.path, self.headers["Authorization"])
            data = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(account / "ca.crt", account / "key.pem")
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture(scope="module")
def account(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("account")
    kind = ("-x509", "-nodes", "-newkey", "rsa:2048", "-days", "2", "-subj", "/CN=gpt-oss")
    names = ("-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "key.pem", "-out", "ca.crt")
    subprocess.run(["openssl", "req", *kind, *names], cwd=folder, check=True, capture_output=True)
    (folder / "namespace").write_text("serving")
    return folder


@pytest.fixture
def api(account: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Api]:
    found = Api()
    (account / "token").write_text("first\n")
    with served(found, account) as port:
        monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "127.0.0.1")
        monkeypatch.setenv("KUBERNETES_SERVICE_PORT", str(port))
        monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
        monkeypatch.setattr(rollout, "POLL_SECONDS", 0)
        yield found


def run(account: Path, folder: Path, seconds: str = "20") -> int:
    file = folder / "rollout.json"
    file.write_text(json.dumps(EXPECTED))
    code: int = rollout.main([str(file), "--wait", seconds, "--account", str(account)])
    return code


def test_it_waits_through_refusals_and_old_pods_and_says_each_reason_once(
    api: Api, account: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = [*DONE, pod("gpt-oss/decode/d0")]
    api.answers = [403, 403, old, old, DONE]
    assert run(account, tmp_path) == 0
    start = "waiting for the rollout: pods: "
    assert capsys.readouterr().out.splitlines() == [
        f"{start}the pods cannot be read: HTTP 403: the answer is 403",
        f"{start}decode has 1 of before",
        "the rollout has finished",
    ]
    query, token = api.asked[-1]
    assert query["labelSelector"] == [SELECTOR]
    assert token == "Bearer first"  # noqa: S105


def test_a_rollout_that_does_not_finish_in_time_ends_with_its_reason(
    api: Api, account: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    api.answers = [[FRONTEND]]
    assert run(account, tmp_path, "0") == 1
    assert capsys.readouterr().err == (
        "the rollout has not finished after 0 s: pods: 0 of decode are ready, not 2\n"
    )


def test_an_api_server_that_is_not_there_or_not_trusted_is_said_in_a_line(
    api: Api, account: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", "1")
    assert run(account, tmp_path, "0") == 1
    assert "https://127.0.0.1:1: " in capsys.readouterr().err
    assert not api.asked
    assert rollout.main([str(tmp_path / "rollout.json"), "--wait", "0"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "the pods cannot be read" in line
