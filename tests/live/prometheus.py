"""A real Prometheus that reads what a simulated target tells."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from gptoss.facts import folders
from gptoss.live.simulation import simulate

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gptoss.live.running import Running
    from gptoss.sources.request import Request

TOOLS = folders.chart().parents[1] / ".tools" / "bin"
PATIENCE = 120
# What Dynamo's workers write when they have found a port for their metrics.
LISTENS = re.compile(r"system status server bound to: (127\.0\.0\.1:\d+)")


@dataclass(frozen=True)
class Prometheus:
    """A Prometheus that runs."""

    url: str

    def query(self, expression: str) -> list[dict[str, Any]]:
        """What an expression yields now."""
        found = self._get("query?" + urllib.parse.urlencode({"query": expression}))
        return list(found["result"])

    def rules(self) -> list[dict[str, Any]]:
        """Every rule, with its health."""
        return [rule for group in self._get("rules")["groups"] for rule in group["rules"]]

    def until(self, expression: str) -> None:
        """Waits until an expression yields something."""
        end = time.monotonic() + PATIENCE
        while not self.query(expression):
            assert time.monotonic() < end, f"{expression} yields nothing"
            time.sleep(0.2)

    def _get(self, path: str) -> Any:
        end = time.monotonic() + PATIENCE
        while True:
            try:
                with urllib.request.urlopen(f"{self.url}/api/v1/{path}", timeout=10) as answer:  # noqa: S310
                    return json.load(answer)["data"]
            except urllib.error.HTTPError as error:
                if error.code != 503:
                    raise AssertionError(f"{path}: {error.read().decode()}") from error
            except OSError:
                pass
            assert time.monotonic() < end, "Prometheus does not answer"
            time.sleep(0.1)


@contextmanager
def prometheus(
    targets: Mapping[str, str],
    path: str = "/metrics",
    groups: Sequence[Any] = (),
    labels: Mapping[str, str] | None = None,
) -> Iterator[Prometheus]:
    """Reads targets (addresses by the names of their pods) and evaluates groups of rules."""
    given = {"namespace": "default"} | dict(labels or {})
    program = TOOLS / "prometheus"
    assert program.exists(), f"{program} is missing: run `make live`"
    job = {
        "job_name": "gpt-oss",
        "metrics_path": path,
        "static_configs": [
            {"targets": [address], "labels": {**given, "pod": pod}}
            for pod, address in targets.items()
        ],
    }
    settings = {
        "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
        "rule_files": ["rules.yaml"],
        "scrape_configs": [job],
    }
    with tempfile.TemporaryDirectory() as name, socket.socket() as taken:
        folder = Path(name)
        (folder / "prometheus.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")
        rules = yaml.safe_dump({"groups": list(groups)})
        (folder / "rules.yaml").write_text(rules, encoding="utf-8")
        taken.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        taken.close()
        words = [str(program), f"--web.listen-address={address}"]
        words += [f"--config.file={folder}/prometheus.yaml", f"--storage.tsdb.path={folder}"]
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(words, stdout=log, stderr=log)
            try:
                yield Prometheus(f"http://{address}")
            finally:
                process.kill()
                process.wait()


@contextmanager
def watched(
    request: Request, release: str | None = None, groups: Sequence[Any] = ()
) -> Iterator[tuple[Running, Prometheus]]:
    """A target of Dynamo on simulated workers, and a Prometheus that reads all of it."""
    system = {"DYN_SYSTEM_PORT": "0", "DYN_SYSTEM_HOST": "127.0.0.1"}
    with simulate(request, release=release, apart=True, more=system) as running:
        running.ready(PATIENCE)
        addresses = {"gpt-oss-frontend-a": running.url.removeprefix("http://")}
        for name, part in running.parts.items():
            if found := LISTENS.search(part.log.read_text("utf-8")):
                addresses[f"gpt-oss-{name}-a"] = found[1]
        assert len(addresses) == len(running.parts)
        with prometheus(addresses, groups=groups) as reader:
            yield running, reader
