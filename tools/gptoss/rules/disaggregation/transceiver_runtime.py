"""Does the transceiver, in C++ or Python, do what is asked of it?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.rules.disaggregation.transports import (
    BACKEND,
    CPP,
    NIXL,
    PYTHON,
    RUNTIME,
    TIMEOUT,
    backend_of,
    runtime_of,
    selector_of,
)
from gptoss.rules.readings import parallel_size
from gptoss.rules.right_answers import engine_value
from gptoss.rules.rule import Need, Said, Severity, rule
from gptoss.rules.subjects import SPLIT_WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Deployment, Worker
    from gptoss.deployment.settings import Setting

SENDER_TIMEOUT = "cache_transceiver_config.kv_transfer_sender_future_timeout_ms"
BOUNCE = "cache_transceiver_config.kv_cache_bounce_size_mb"
PIPELINED = "cache_transceiver_config.enable_pipelined_transfer"


@rule(
    "D016",
    "python-transceiver-without-nixl",
    Severity.ERROR,
    of=SPLIT_WORKERS,
    needs=(Need.ENGINE,),
)
def python_transceiver_without_nixl(worker: Worker, deployment: Deployment) -> Iterator[Said]:
    """The Python transceiver is asked to send by another transport than NIXL.

    It knows NIXL alone; with UCX, MPI or MOONCAKE the worker stops while it starts: "Python
    transceiver currently only supports the NIXL backend".
    """
    backend = backend_of(worker, deployment.release)
    if worker.engine[RUNTIME].value != PYTHON or backend in (None, NIXL):
        return
    written, selector = worker.engine[BACKEND], selector_of(worker)
    by_variable = str(written.value).upper() != backend and selector
    yield Said(
        worker.engine[RUNTIME],
        f"transceiver_runtime is {PYTHON}, which sends by {NIXL} alone, but the backend is "
        f"{backend}: the worker does not start",
        f"write {BACKEND}: {NIXL} on both sides, or transceiver_runtime: {CPP}",
        also=[(selector, f"{selector.name}={selector.value}")]
        if by_variable and selector
        else [(written, f"backend is {written.value}")],
    )


@rule(
    "D020",
    "pipelined-transfer-refused",
    Severity.WARNING,
    of=SPLIT_WORKERS,
    needs=(Need.ENGINE,),
)
def pipelined_transfer_refused(worker: Worker, deployment: Deployment) -> Iterator[Said]:
    """The transfer is to be pipelined, and a setting that this needs is missing.

    The first chunks of a prompt travel while later ones are computed. The engine does that with the
    Python transceiver over NIXL, in chunked prefill, without bounce buffers and in one pipeline
    stage, and stops while it starts where one of these is not so.
    """
    if not worker.engine.switch(PIPELINED):
        return
    for setting, wrong in _against_pipelining(worker, deployment):
        yield Said(
            worker.engine[PIPELINED],
            f"enable_pipelined_transfer is on, but {wrong}: the worker does not start",
            "mend that on both sides, or remove enable_pipelined_transfer",
            also=[(setting, wrong)] if setting.is_set else [],
        )


def _against_pipelining(worker: Worker, deployment: Deployment) -> Iterator[tuple[Setting, str]]:
    engine, backend = worker.engine, backend_of(worker, deployment.release)
    if engine[RUNTIME].value == CPP:
        yield engine[RUNTIME], f"transceiver_runtime is {CPP}"
    if backend not in (None, NIXL):
        yield engine[BACKEND], f"the backend is {backend}"
    if not engine.switch("enable_chunked_prefill"):
        yield engine["enable_chunked_prefill"], "enable_chunked_prefill is off"
    if engine.whole(BOUNCE):
        yield engine[BOUNCE], f"kv_cache_bounce_size_mb is {engine.whole(BOUNCE)}"
    if (stages := parallel_size(worker, "pipeline_parallel_size") or 1) > 1:
        yield engine["pipeline_parallel_size"], f"pipeline_parallel_size is {stages}"


@rule(
    "D022",
    "python-transceiver-without-time-limit",
    Severity.ERROR,
    of=SPLIT_WORKERS,
    fixable=True,
    needs=(Need.ENGINE,),
)
def python_transceiver_without_time_limit(worker: Worker) -> Iterator[Said]:
    """The Python transceiver is asked to wait for ever.

    It divides both time limits by 1,000 while it starts, and null is no number. Only the
    transceiver in C++ waits without a limit.
    """
    if worker.engine[RUNTIME].value != PYTHON:
        return
    for key, usual in ((TIMEOUT, 60000), (SENDER_TIMEOUT, 1000)):
        limit = worker.engine[key]
        if limit.is_set and limit.value is None:
            yield Said(
                limit,
                f"{key.rpartition('.')[2]} is null, which the Python transceiver cannot take: the "
                "worker does not start",
                f"write {usual}, the engine's default, or more",
                fix=engine_value(worker, key, usual),
            )


@rule(
    "D023",
    "python-transceiver-known-to-crash",
    Severity.WARNING,
    of=SPLIT_WORKERS,
    needs=(Need.ENGINE, Need.RELEASE),
)
def python_transceiver_known_to_crash(worker: Worker) -> Iterator[Said]:
    """The Python transceiver is chosen in a release of which its makers say that it can crash.

    With UCX 1.21 below NIXL it can crash under many requests at once, while it sends or while a
    request is cancelled. The transceiver in C++ is not concerned.
    """
    runtime = worker.engine[RUNTIME]
    if runtime.value == PYTHON:
        yield Said(
            runtime,
            f"transceiver_runtime is {PYTHON}, which can crash under load in this release",
            f"write transceiver_runtime: {CPP} on both sides, or test it under load first",
        )


@rule(
    "D028",
    "bounce-buffer-without-python-transceiver",
    Severity.WARNING,
    of=SPLIT_WORKERS,
    needs=(Need.ENGINE,),
)
def bounce_buffer_without_python_transceiver(
    worker: Worker, deployment: Deployment
) -> Iterator[Said]:
    """A bounce buffer is asked for that the transceiver in force does not have.

    kv_cache_bounce_size_mb gathers blocks before the Python transceiver sends them; the one in C++
    has its own buffer (max_tokens_in_buffer) and does not read it.
    """
    bounce, runtime = worker.engine[BOUNCE], runtime_of(worker, deployment.release)
    if worker.engine.whole(BOUNCE) and runtime == CPP:
        yield Said(
            bounce,
            f"kv_cache_bounce_size_mb {bounce.value} does nothing with the transceiver in C++",
            f"write transceiver_runtime: {PYTHON} with backend: {NIXL} on both sides, or remove it",
            also=[(worker.engine[RUNTIME], f"transceiver_runtime is {CPP}")]
            if worker.engine[RUNTIME].is_set
            else [],
        )
