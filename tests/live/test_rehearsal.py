"""Updates carried out on simulated workers: Dynamo's own frontends and workers, old and new."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.live

TARGET = "disagg-b200-node"
ENGINE = Path(__file__).parents[2] / "charts/gpt-oss/engine_configs/agg-gb200/worker.yaml"


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_ctrl_c_and_sigterm_leave_neither_a_process_nor_a_file(
    tmp_path: Path, number: int, code: int
) -> None:
    command = [sys.executable, "-m", "gptoss", "rehearse", "agg-gb200", "--to", "1.6.1"]
    variables = os.environ | {"TMPDIR": str(tmp_path)}
    with subprocess.Popen(command, env=variables, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert any("before" in line for line in process.stderr)
        process.send_signal(number)
    assert process.returncode == code
    assert not list(tmp_path.iterdir())
    assert not [name for name in environments() if str(tmp_path).encode() in name]


def environments() -> Iterator[bytes]:
    """The variables of every process."""
    for path in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            yield path.read_bytes()


def rehearsed(*words: str) -> tuple[int, Any]:
    """The exit code and the report of a rehearsal."""
    command = [sys.executable, "-m", "gptoss", "rehearse", *words, "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return done.returncode, json.loads(done.stdout)


def kinds(way: Any, verdict: str) -> set[str]:
    return {each["kind"] for each in way["parsedDifferently"] if each["verdict"] == verdict}


def test_the_operators_order_refuses_requests_while_a_role_of_workers_is_alone() -> None:
    code, report = rehearsed(TARGET, "--release", "1.2.1", "--to", "1.3.1")
    out, back = report["ways"]
    assert code == 1
    assert out["lost"] == 0
    alone = next(s for s in out["stretches"] if s["name"] == "the new decode still loads")
    assert alone["lastsAsALoad"]
    assert set(alone["refused"]) == {"503"}
    # Workers of 1.3.1 are nobody for a frontend of 1.2.1, which comes first on the way back.
    mixed = next(s for s in back["stretches"] if s["name"].startswith("the new frontend asks"))
    assert mixed["answered"] == 0
    assert set(mixed["refused"]) == {"404"}
    assert back["stretches"][-1]["answered"] > 0
    assert "effort" in kinds(out, "better")
    assert "effort" in kinds(back, "worse")
    assert any("component name" in step["message"] for step in report["upgrade"]["steps"])


def test_a_second_deployment_beside_the_first_loses_nothing_either_way() -> None:
    code, report = rehearsed(TARGET, "--release", "1.3.1", "--to", "1.6.1", "--order", "beside")
    assert [(way["lost"], way["refused"]) for way in report["ways"]] == [(0, 0), (0, 0)]
    assert not any(way["stretches"][n]["wrong"] for way in report["ways"] for n in (0, -1))
    assert code == 0


def test_an_engine_file_is_rehearsed_on_one_release_and_leaves_the_frontend(tmp_path: Path) -> None:
    file = tmp_path / "worker.yaml"
    text = ENGINE.read_text(encoding="utf-8")
    file.write_text(text.replace("stream_interval: 20", "stream_interval: 1"), encoding="utf-8")
    code, report = rehearsed("agg-gb200", "--release", "1.2.1", "--to", str(file))
    (change,) = report["changes"]["differences"]
    assert (change["setting"], change["left"], change["right"]) == ("stream_interval", 20, 1)
    out, back = report["ways"]
    assert not any("frontend" in part["name"] for part in out["stretches"])
    # Dynamo 1.2.1 loses tool calls where a chunk holds the change of channel.
    assert "tool" in kinds(out, "better")
    assert "tool" in kinds(back, "worse")
    # The frontend may still choose a worker that has just said that it goes: never for long.
    assert [way["lost"] for way in (out, back)] == [0, 0]
    assert all(way["refused"] < way["answered"] / 10 for way in (out, back))
    assert code == (1 if out["refused"] or back["refused"] else 0)
