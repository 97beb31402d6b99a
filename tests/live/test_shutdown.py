"""Pods that are told to go lose no answer: Dynamo's own workers and frontends on SIGTERM."""

from __future__ import annotations

import json
import time
import urllib.request
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from gptoss.live.simulation import simulate
from gptoss.sources.request import Request
from tests.live.clients import PATIENCE, WHOLE, Traffic, at_once

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gptoss.live.running import Running

pytestmark = pytest.mark.live

RELEASES = ("1.2.1", "1.3.1", "1.6.1")
# Milliseconds between tokens, and tokens of an answer of three seconds.
ITL, TOKENS = 5, 600
CLIENTS = 6
# What a request gets that was on its way to a prefill worker as that left, and on which releases.
NOT_BEGUN = 'HTTP 500 {"message":"Failed to generate completions'
GIVE_UP = ("1.2.1", "1.3.1")
GRACE = "DYN_GRACEFUL_SHUTDOWN_GRACE_PERIOD_SECS"


@contextmanager
def target(release: str, parts: Sequence[str], *settings: str) -> Iterator[Running]:
    """A disaggregated target with up to three decode and two prefill workers."""
    request = Request(
        ("disagg-b200-node",),
        settings=("workers.decode.replicas=3", "workers.prefill.replicas=2", *settings),
    )
    with simulate(request, release=release, apart=True, parts=parts, itl=ITL) as running:
        running.ready(PATIENCE)
        yield running


def wait_for(running: Running, component: str, count: int) -> None:
    """Waits until the frontend knows so many workers."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        with urllib.request.urlopen(f"{running.url}/health", timeout=10) as response:  # noqa: S310
            found = json.load(response)["instances"]
        served = [(each["component"], each["endpoint"]) for each in found]
        if served.count((component, "generate")) == count:
            return
        time.sleep(0.2)
    pytest.fail(f"the frontend does not know {count} workers of {component}: {found}")


def decode_component(release: str) -> str:
    return "tensorrt_llm" if release == "1.2.1" else "backend"


def go(running: Running, name: str) -> int:
    """Tells a part to go; its exit code."""
    running.fault(name, "term")
    return running.parts[name].process.wait(PATIENCE)


@pytest.mark.parametrize("release", RELEASES)
def test_a_rolling_change_of_all_workers_loses_no_answer(release: str) -> None:
    parts = ("frontend", "prefill-0", "decode-0", "decode-1")
    with target(release, parts, "shutdown.longestAnswerSeconds=6") as running:
        decode = decode_component(release)
        wait_for(running, decode, 2)
        with Traffic(running, CLIENTS, TOKENS) as traffic:
            for old, new, component, left in (
                ("decode-0", "decode-2", decode, 2),
                ("decode-1", "decode-0", decode, 2),
            ):
                running.start(new)
                wait_for(running, component, left + 1)
                go(running, old)
            assert set(traffic.outcomes) == {WHOLE}
            running.start("prefill-1")
            wait_for(running, "prefill", 2)
            go(running, "prefill-0")
        lost = [outcome for outcome in traffic.outcomes if outcome != WHOLE]
        assert [outcome for outcome in lost if not outcome.startswith(NOT_BEGUN)] == []
        assert len(lost) <= (CLIENTS if release in GIVE_UP else 0)
        assert len(traffic.outcomes) > 20


@pytest.mark.parametrize("release", RELEASES)
def test_the_only_workers_and_the_frontend_finish_what_they_have_begun(release: str) -> None:
    parts = ("frontend", "prefill-0", "decode-0")
    with target(release, parts, "shutdown.longestAnswerSeconds=6") as running:
        for name in ("decode-0", "frontend"):
            answers = at_once(running, 6, TOKENS)
            go(running, name)
            assert [answer.result() for answer in answers] == [WHOLE] * 6
            running.start(name)
            running.ready(PATIENCE)


@pytest.mark.parametrize("release", RELEASES)
def test_an_answer_that_outlives_its_worker_goes_on_at_another(release: str) -> None:
    parts = ("frontend", "prefill-0", "decode-0", "decode-1", "decode-2")
    with target(release, parts, "shutdown.longestAnswerSeconds=1") as running:
        wait_for(running, decode_component(release), 3)
        for name, action in (("decode-0", "term"), ("decode-1", "kill")):
            answers = at_once(running, 6, TOKENS)
            running.fault(name, action)
            assert [answer.result() for answer in answers] == [WHOLE] * 6


@pytest.mark.parametrize("release", ["1.3.1"])
def test_without_the_chart_s_variable_answers_are_cut_off_after_five_seconds(release: str) -> None:
    """What the tests above would see if it did nothing."""
    settings = (f"workers.decode.env.{GRACE}=null", "shutdown.migrationLimit=0")
    with target(release, ("frontend", "prefill-0", "decode-0"), *settings) as running:
        answers = at_once(running, 3, 4 * TOKENS)
        go(running, "decode-0")
        assert WHOLE not in [answer.result() for answer in answers]
