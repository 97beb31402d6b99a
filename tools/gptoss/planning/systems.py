"""A deployment as the engines and the traffic that a prediction is made of."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from gptoss.deployment.model import Role
from gptoss.deployment.moe_backends import backend_of
from gptoss.deployment.traffic import has_turns, is_recorded, starts_by_a_clock
from gptoss.memory.worker_memory import memory_of
from gptoss.planning.layouts import Engine, KvType, Layout, Load, System
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gptoss.deployment.jobs import Benchmark
    from gptoss.deployment.model import Deployment, Worker
    from gptoss.memory.engine_shapes import EngineShape

# Ways to cut a layer of which there are no measured data.
UNCUT = ("pipeline_parallel_size", "context_parallel_size")
KV_TYPES = {"auto": KvType.BF16, "bfloat16": KvType.BF16, "float16": KvType.BF16, "fp8": KvType.FP8}


def system_of(deployment: Deployment) -> System:
    """The engines of a deployment.

    Raises:
        InputError: Something that a prediction needs is not known, or not modelled.
    """
    for problem in deployment.problems if deployment.is_refused else ():
        raise InputError(problem.message, problem.place)
    decoding = [worker for worker in deployment.workers if worker.role is not Role.PREFILL]
    release = deployment.release
    if not decoding:
        raise InputError(
            f"{deployment.source}: no worker answers requests; give the deployment's decode or "
            "aggregated worker too"
        )
    system = System(
        deployment.source,
        _engine_of(decoding, deployment),
        _engine_of(deployment.workers_with(Role.PREFILL), deployment)
        if deployment.is_disaggregated
        else None,
        release.trtllm if release else None,
    )
    return replace(system, unused=max(0, deployment.gpus - system.gpus))


def loads_of(
    deployment: Deployment,
    clients: Sequence[int] = (),
    isl: int | None = None,
    osl: int | None = None,
) -> tuple[Load, ...]:
    """The traffic of a deployment's benchmark, a load for each step of it.

    Args:
        deployment: The deployment.
        clients: Told by somebody, in place of what the benchmark says.
        isl: Likewise, tokens of a prompt.
        osl: Likewise, tokens of an answer.

    Raises:
        InputError: The benchmark does not say one of them or sends otherwise, and nobody else does.
    """
    benchmark = deployment.benchmark
    sent = _sent_by(benchmark) if benchmark else _Sent(why=("it has no benchmark",))
    numbers, isl, osl = tuple(clients) or sent.clients, isl or sent.isl, osl or sent.osl
    said = {"--clients": numbers, "--isl": isl, "--osl": osl}
    if missing := [flag for flag, value in said.items() if not value]:
        why = ", ".join(sent.why) or "its benchmark does not say what is sent"
        raise InputError(f"{deployment.source}: {why}; give {', '.join(missing)}")
    return tuple(Load(number, isl or 0, osl or 0) for number in numbers)


class _Sent(NamedTuple):
    """What a benchmark says of its traffic, and why it leaves something out."""

    clients: tuple[int, ...] = ()
    isl: int | None = None
    osl: int | None = None
    why: tuple[str, ...] = ()


def _sent_by(benchmark: Benchmark) -> _Sent:
    """What a benchmark says; numbers that do not hold for what it sends are left out."""
    clients, flags, why = _clients_of(benchmark), benchmark.arguments, []
    isl = benchmark.input_tokens.value if benchmark.input_tokens else None
    osl = benchmark.output_tokens.value if benchmark.output_tokens else None
    if flags and starts_by_a_clock(flags):
        clients = ()
        why.append("its benchmark starts requests by a clock, not when an answer has come")
    if flags and is_recorded(flags):
        isl = osl = None
        why.append("its benchmark sends prompts of a recording")
    elif flags and has_turns(flags):
        isl = None
        why.append("its benchmark's prompts grow with each turn of a conversation")
    return _Sent(clients, isl, osl, tuple(why))


def _clients_of(benchmark: Benchmark) -> tuple[int, ...]:
    """Requests in flight of each step, in their order."""
    known = (step.concurrency for step in benchmark.steps)
    found = [each.value for each in known if each] or (
        [benchmark.concurrency.value] if benchmark.concurrency else []
    )
    return tuple(dict.fromkeys(number for number in found if number > 0))


def _engine_of(workers: Sequence[Worker], deployment: Deployment) -> Engine:
    """Workers of one role as replicas of one engine."""
    engines = [_engine(worker, deployment) for worker in workers]
    if not engines:
        raise InputError(
            f"{deployment.source}: nothing prefills for its decode workers; give the prefill "
            "worker too"
        )
    first, *others = engines
    for worker, engine in zip(workers[1:], others, strict=True):
        if engine.with_replicas(1) != first.with_replicas(1):
            raise InputError(
                f"{deployment.source}: {workers[0].name} and {worker.name} have different engines; "
                "a prediction takes one kind of engine for each role"
            )
    return first.with_replicas(sum(engine.replicas for engine in engines))


def _engine(worker: Worker, deployment: Deployment) -> Engine:
    """A worker's replicas."""
    memory = memory_of(worker, deployment)
    missing = "; ".join(_missing(worker, deployment))
    if missing or memory is None:
        raise InputError(f"{deployment.source}: no prediction for {worker.name}: {missing}")
    engine = worker.engine
    return Engine(
        _layout(worker, memory.shape),
        worker.replica_count,
        engine.whole("max_batch_size") or 0,
        engine.whole("max_num_tokens") or 0,
        engine.switch("enable_chunked_prefill"),
        memory.kv_tokens,
        memory.shape.moe_backend,
    )


def _layout(worker: Worker, shape: EngineShape) -> Layout:
    """How one replica lies on its GPUs."""
    attention_dp = shape.attention_dp and shape.tp > 1
    kv = KV_TYPES[_kv_type(worker)]
    return Layout(shape.gpu.key, shape.tp, attention_dp, min(shape.moe_ep, shape.tp), kv)


def _kv_type(worker: Worker) -> str:
    return (worker.engine.text("kv_cache_config.dtype") or "auto").lower()


def _missing(worker: Worker, deployment: Deployment) -> Iterator[str]:
    """What a prediction needs of a worker and does not find, with what to do."""
    engine = worker.engine
    if not worker.engine_known:
        yield "its engine settings are not known; give its engine YAML along"
    if not worker.counted:
        yield "it is not known how many replicas there are; write their number"
    if worker.replica_count < 1:
        yield "it has no replicas, so nothing answers"
    if worker.gpu is None:
        yield (
            "nothing says on which GPUs it runs; select nodes by nvidia.com/gpu.product, "
            "or give --gpu with an engine file"
        )
    for key in ("max_batch_size", "max_num_tokens"):
        if (engine.whole(key) or 0) < 1:
            yield f"{key} is {engine[key].value!r} and not a number of at least 1"
    for key in UNCUT:
        if (engine.positive(key) or 1) > 1:
            yield f"there are no measured data for {key} above 1"
    if (kv := _kv_type(worker)) not in KV_TYPES:
        yield f"there are no measured data for a KV cache of type {kv}"
    if backend_of(worker) is None:
        yield f"{engine['moe_config.backend'].value!r} is no known MoE backend"
    if deployment.model is None:
        yield "it serves a model that is not known; there are data for openai/gpt-oss-120b"
