"""The smoke script before Dynamo's own frontends: right answers pass, what is broken is seen."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from gptoss.live.simulation import simulate
from gptoss.live.smoke import script, words_for_target
from gptoss.sources.request import Request

if TYPE_CHECKING:
    from gptoss.live.running import Running

pytestmark = pytest.mark.live

PATIENCE = "120"
DISAGG = "disagg-b200-node"
# Tool calls are lost where a piece of several tokens holds the turn to another channel.
LOST = {"tools-auto", "tools-stream", "tools-several", "tools-result", "responses-tools"}
BROKEN = {
    "1.2.1": LOST | {"effort", "effort-responses", "tools-bare", "no-call"},
    "1.3.1": {"no-call"},
    "1.4.2": {"no-call"},
    "1.5.1": set(),
    "1.6.1": set(),
}
PIECES = "stream_interval=20"


def request(target: str, release: str) -> Request:
    workers = ("prefill", "decode") if target == DISAGG else ("worker",)
    settings = tuple(f"workers.{worker}.engine.{PIECES}" for worker in workers)
    return Request((target,), settings=settings, release=release)


def smoke(running: Running, asked: Request, *more: str) -> int:
    words = words_for_target(asked, running.url, None)
    code: int = script().main([*words, "--wait", PATIENCE, *more])
    return code


def breaks_what_is_known(
    running: Running, asked: Request, level: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is broken in a release is known, all else is right, and that is no failure."""
    assert asked.release
    capsys.readouterr()
    code = smoke(running, asked, "--level", level, "--format", "json")
    statuses = {c["id"]: c["status"] for c in json.loads(capsys.readouterr().out)["cases"]}
    wrong = {name: s for name, s in statuses.items() if s in ("failed", "known")}
    assert wrong == dict.fromkeys(BROKEN[asked.release] & set(statuses), "known")
    assert code == 0


@pytest.mark.parametrize(
    ("release", "level"), [("1.3.1", "full"), ("1.4.2", "quick"), ("1.5.1", "quick")]
)
def test_each_frontend_does_what_clients_rely_on_but_for_what_is_known(
    release: str, level: str, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = request("agg-gb200", release)
    with simulate(asked, speed=20) as running:
        breaks_what_is_known(running, asked, level, capsys)


@pytest.mark.parametrize("release", ["1.2.1", "1.6.1"])
def test_a_disaggregated_target_is_ready_with_every_worker_and_refuses_without_prefill(
    release: str, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = request(DISAGG, release)
    with simulate(asked, apart=True, parts=("frontend", "prefill"), speed=20) as running:
        ready = [running.url, running.model, "--ready", "--wait"]
        assert script().main([*ready, "20"]) == 1
        said = capsys.readouterr().out
        listed = "it lists the model, but does not answer one token: HTTP 404" in said
        assert listed == (release == "1.2.1")
        running.start("decode")
        assert script().main([*ready, PATIENCE]) == 0
        breaks_what_is_known(running, asked, "full", capsys)
        running.fault("prefill", "kill")
        assert smoke(running, asked, "--prefill-killed") == 0


def test_what_a_pod_asks_of_trtllm_serve_passes_on_the_stand_in(
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked = Request(("serve-h100-2",))
    with simulate(asked, speed=20) as running:
        assert smoke(running, asked) == 0
        assert running.smoke(print) == 0
    assert "skipped unknown-model" in capsys.readouterr().out
