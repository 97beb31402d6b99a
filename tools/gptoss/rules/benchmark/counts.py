"""Do the numbers of the benchmark fit the deployment?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.deployment.model import Role
from gptoss.rules.fixes import set_value
from gptoss.rules.readings import quoted
from gptoss.rules.rule import Said, Severity, rule
from gptoss.rules.subjects import BENCHMARK

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.jobs import Benchmark
    from gptoss.deployment.model import Deployment, Worker


def _gpus(deployment: Deployment) -> int | None:
    """GPUs of all workers, or None when a worker does not say how many it has."""
    known = deployment.workers and all(worker.gpus_per_pod for worker in deployment.workers)
    return deployment.gpus if known else None


def _parts(deployment: Deployment) -> str:
    """The GPUs of each worker: ``prefill 1 + decode 4``."""
    counts = [(w.name, w.gpus * w.replica_count) for w in deployment.workers]
    return " + ".join(f"{name} {count}" for name, count in counts)


@rule(
    "B001",
    "gpu-count-wrong",
    Severity.WARNING,
    of=BENCHMARK,
    fixable=True,
)
def gpu_count_wrong(benchmark: Benchmark, deployment: Deployment) -> Iterator[Said]:
    """The benchmark counts other GPUs than the workers have.

    Total concurrency is computed from this number and results are divided by it: both are wrong
    by the same factor, and look plausible.
    """
    count, gpus = benchmark.gpu_count, _gpus(deployment)
    if count is None or gpus is None or count.value == gpus:
        return
    workers = [w.gpus_per_pod for w in deployment.workers if w.gpus_per_pod]
    yield Said(
        count,
        f"the benchmark divides by {count.value} GPUs, but the workers have {gpus} "
        f"({_parts(deployment)})",
        f"write {gpus}",
        fix=set_value(count.place, "value", str(gpus)),
        also=[
            (limit, f"{worker.name} has {worker.gpus * worker.replica_count}")
            for worker, limit in zip(deployment.workers, workers, strict=True)
        ],
    )


@rule(
    "B002",
    "concurrency-not-per-gpu-times-gpus",
    Severity.WARNING,
    of=BENCHMARK,
)
def concurrency_not_per_gpu_times_gpus(
    benchmark: Benchmark, deployment: Deployment
) -> Iterator[Said]:
    """The benchmark's concurrency is not what it says for a GPU times the GPUs.

    One of the two numbers is stale, and results get compared under the wrong one.
    """
    gpus, count = _gpus(deployment), benchmark.gpu_count
    per_gpu, total = benchmark.concurrency_per_gpu, benchmark.concurrency
    if gpus is None or per_gpu is None or total is None or (count and count.value != gpus):
        return
    if total.value != per_gpu.value * gpus:
        yield Said(
            total,
            f"concurrency is {total.value}, but {per_gpu.value} a GPU × {gpus} GPUs is "
            f"{per_gpu.value * gpus}",
            f"write {per_gpu.value * gpus}, or correct the number a GPU",
            also=[(per_gpu, f"{per_gpu.value} a GPU")],
        )


@rule(
    "B003",
    "concurrency-above-capacity",
    Severity.WARNING,
    of=BENCHMARK,
)
def concurrency_above_capacity(benchmark: Benchmark, deployment: Deployment) -> Iterator[Said]:
    """The benchmark keeps more requests in flight than the workers can decode at once.

    The excess waits in the queue. Time to first token then measures the queue, not the engine. A
    worker decodes max_batch_size requests, times its attention data parallel ranks.
    """
    concurrency, capacity = benchmark.concurrency, deployment.capacity
    if concurrency is None or capacity is None or concurrency.value <= capacity:
        return
    decoding = [w for w in deployment.workers if w.role is not Role.PREFILL]
    batches = sum(w.attention_ranks * w.replica_count for w in decoding)
    if not all(worker.engine_known for worker in decoding) or batches < 1:
        return
    needed = -(-concurrency.value // batches)
    yield Said(
        concurrency,
        f"{concurrency.value} requests are in flight, but the workers decode at most {capacity} at "
        f"once ({quoted(capacity_of(w) for w in decoding)})",
        f"lower the concurrency to {capacity}, or raise max_batch_size to {needed}",
        also=[(w.engine["max_batch_size"], capacity_of(w)) for w in decoding],
    )


def capacity_of(worker: Worker) -> str:
    """How many requests a worker decodes at once, in words."""
    ranks, replicas = worker.attention_ranks, worker.replica_count
    text = f"{worker.name}: max_batch_size {worker.engine['max_batch_size'].value}"
    text += f" × {ranks} attention ranks" if ranks > 1 else ""
    return text + (f" × {replicas} replicas" if replicas > 1 else "")


@rule(
    "B004",
    "fewer-requests-than-concurrency",
    Severity.WARNING,
    of=BENCHMARK,
)
def fewer_requests_than_concurrency(benchmark: Benchmark) -> Iterator[Said]:
    """The benchmark sends fewer requests than it is told to keep in flight.

    The stated concurrency is never reached, and the run is over before anything is steady. Ten
    times the concurrency is customary.
    """
    requests, concurrency = benchmark.requests, benchmark.concurrency
    if requests and concurrency and requests.value < concurrency.value:
        yield Said(
            requests,
            f"{requests.value} requests never fill a concurrency of {concurrency.value}",
            f"write {10 * concurrency.value}, ten times the concurrency",
            also=[(concurrency, f"concurrency is {concurrency.value}")],
        )
