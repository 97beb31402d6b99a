"""A client of the YAML language server that editors run, over its standard input and output."""

from __future__ import annotations

import json
import os
import select
import subprocess
from typing import TYPE_CHECKING, Any

from tests.chart.rendering import ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from types import TracebackType

PACKAGES = ROOT / "tools" / "npm" / "package.json"
SECONDS = 30
SETTINGS = {
    "yaml": {"validate": True, "completion": True, "schemaStore": {"enable": False}},
    "http": {"proxy": "http://127.0.0.1:9"},
}


def program() -> Path | None:
    """The pinned server, where ``make tools`` could install it."""
    ((name, version),) = json.loads(PACKAGES.read_text(encoding="utf-8"))["dependencies"].items()
    path = ROOT / ".tools" / f"{name}-{version}" / "node_modules" / name / "bin" / name
    return path if path.is_file() else None


class LanguageServer:
    """The server, which is asked about one text after the other and ends with the block."""

    def __init__(self, path: Path) -> None:
        # A proxy that nobody listens on: a schema that is not in this checkout is an error.
        self._process = subprocess.Popen(
            ["node", str(path), "--stdio"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "HTTPS_PROXY": "http://127.0.0.1:9"},
        )
        self._buffer = b""
        self._next = 0

    def __enter__(self) -> LanguageServer:
        capabilities = {
            "textDocument": {"publishDiagnostics": {}, "completion": {}},
            "workspace": {"configuration": True, "didChangeConfiguration": {}},
        }
        self._ask("initialize", processId=os.getpid(), rootUri=None, capabilities=capabilities)
        self._tell("initialized")
        self._tell("workspace/didChangeConfiguration", settings=SETTINGS)
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _e: BaseException | None, _t: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.communicate()

    def faults(self, texts: Mapping[Path, str]) -> dict[Path, list[str]]:
        """What the server has against texts at paths, of which only the paths count.

        A path is asked about once, for nothing tells an answer on an earlier text from a later one.
        """
        for path, text in texts.items():
            self._open(path, text)
        paths = {path.as_uri(): path for path in texts}
        told: dict[Path, list[str]] = {}
        while len(told) < len(texts):
            message = self._receive()
            if message.get("method") == "textDocument/publishDiagnostics":
                found = message["params"]
                if found["uri"] in paths:
                    faults = [fault["message"] for fault in found["diagnostics"]]
                    told[paths[found["uri"]]] = faults
        return told

    def offers(self, path: Path, text: str) -> list[str]:
        """What it offers to complete at the end of a text."""
        self._open(path, text)
        lines = text.split("\n")
        found = self._ask(
            "textDocument/completion",
            textDocument={"uri": path.as_uri()},
            position={"line": len(lines) - 1, "character": len(lines[-1])},
        )
        return [item["label"] for item in (found["items"] if isinstance(found, dict) else found)]

    def _open(self, path: Path, text: str) -> None:
        self._next += 1
        document = {
            "uri": path.as_uri(),
            "languageId": "yaml",
            "version": self._next,
            "text": text,
        }
        self._tell("textDocument/didOpen", textDocument=document)

    def _tell(self, method: str, **params: Any) -> None:
        self._send({"method": method, "params": params})

    def _ask(self, method: str, **params: Any) -> Any:
        self._next += 1
        number = self._next
        self._send({"id": number, "method": method, "params": params})
        while True:
            message = self._receive()
            if message.get("id") == number and "method" not in message:
                assert "error" not in message, message
                return message["result"]

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin
        content = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(content), content))
        self._process.stdin.flush()

    def _receive(self) -> dict[str, Any]:
        """The next message; what the server asks of an editor is answered on the way."""
        while True:
            head, end, rest = self._buffer.partition(b"\r\n\r\n")
            if end and len(rest) >= (length := int(head.split(b"Content-Length:")[1].split()[0])):
                self._buffer = rest[length:]
                message: dict[str, Any] = json.loads(rest[:length])
                if "method" in message and "id" in message:
                    self._answer(message)
                return message
            self._read()

    def _read(self) -> None:
        assert self._process.stdout
        ready, _, _ = select.select([self._process.stdout], [], [], SECONDS)
        assert ready, f"the language server did not answer within {SECONDS} s"
        read = os.read(self._process.stdout.fileno(), 1 << 16)
        assert read, "the language server ended"
        self._buffer += read

    def _answer(self, message: dict[str, Any]) -> None:
        result: Any = None
        if message["method"] == "workspace/configuration":
            items = message["params"]["items"]
            result = [SETTINGS.get(item.get("section", "")) for item in items]
        self._send({"id": message["id"], "result": result})
