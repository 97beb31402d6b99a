"""Does the benchmark measure this deployment, with numbers that fit it?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.findings import Need, Said, Severity, rule
from gptoss.model import Role
from gptoss.rules._common import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.facts import Facts
    from gptoss.model import Deployment, Worker
    from gptoss.places import Located

RECIPE = "ai-dynamo/dynamo recipes/gpt-oss-120b/trtllm/disagg/perf.yaml @2cfffb6"
ENTRIES = ("--num-dataset-entries", "--num-prompts")


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
    source=RECIPE,
    bad="""
    # benchmark env
    DEPLOYMENT_GPU_COUNT: "6"
    """,
    good="""
    # benchmark env
    DEPLOYMENT_GPU_COUNT: "5"
    """,
)
def gpu_count_wrong(deployment: Deployment, _facts: Facts) -> Iterator[Said]:
    """The benchmark counts other GPUs than the workers have.

    Total concurrency is computed from this number and results are divided by it: both are wrong
    by the same factor, and look plausible.
    """
    benchmark, gpus = deployment.benchmark, _gpus(deployment)
    count = benchmark.gpu_count if benchmark else None
    if count is None or gpus is None or count.value == gpus:
        return
    workers = [w.gpus_per_pod for w in deployment.workers if w.gpus_per_pod]
    yield Said(
        count,
        f"the benchmark divides by {count.value} GPUs, but the workers have {gpus} "
        f"({_parts(deployment)})",
        f"write {gpus}",
        also=[
            (limit, f"{worker.name}: {worker.gpus * worker.replica_count} GPUs")
            for worker, limit in zip(deployment.workers, workers, strict=True)
        ],
    )


@rule(
    "B002",
    "concurrency-not-per-gpu-times-gpus",
    Severity.WARNING,
    source=RECIPE,
    bad="""
    # benchmark env
    CONCURRENCY_PER_GPU: "128"
    """,
    good="""
    # benchmark env
    CONCURRENCY_PER_GPU: "256"
    """,
)
def concurrency_not_per_gpu_times_gpus(deployment: Deployment, _facts: Facts) -> Iterator[Said]:
    """The benchmark's concurrency is not what it says for a GPU times the GPUs.

    One of the two numbers is stale, and results get compared under the wrong one.
    """
    benchmark, gpus = deployment.benchmark, _gpus(deployment)
    if benchmark is None or gpus is None:
        return
    per_gpu, total, count = (
        benchmark.concurrency_per_gpu,
        benchmark.concurrency,
        benchmark.gpu_count,
    )
    if per_gpu is None or total is None or (count is not None and count.value != gpus):
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
    source="ai-dynamo/dynamo recipes/gpt-oss-120b/trtllm/agg/{deploy,perf}.yaml @0d348a1; "
    "max_batch_size counts a rank: NVIDIA/TensorRT-LLM tech_blog/blog9 @6dc94b0",
    bad="""
    # worker.yaml
    max_batch_size: 800
    """,
    good="""
    # worker.yaml
    max_batch_size: 900
    """,
    near="""
    # worker.yaml
    max_batch_size: 450
    cuda_graph_config: {max_batch_size: 450}
    ---
    # worker
    replicas: 2
    ---
    # benchmark env
    DEPLOYMENT_GPU_COUNT: "8"
    CONCURRENCY_PER_GPU: "450"
    """,
)
def concurrency_above_capacity(deployment: Deployment, _facts: Facts) -> Iterator[Said]:
    """The benchmark keeps more requests in flight than the workers can decode at once.

    The excess waits in the queue. Time to first token then measures the queue, not the engine. A
    worker decodes max_batch_size requests, times its attention data parallel ranks.
    """
    concurrency = deployment.benchmark.concurrency if deployment.benchmark else None
    capacity = deployment.capacity
    if concurrency is None or capacity is None or concurrency.value <= capacity:
        return
    decoding = [w for w in deployment.workers if w.role is not Role.PREFILL]
    if not all(worker.engine_known for worker in decoding):
        return
    needed = -(-concurrency.value // sum(w.attention_ranks * w.replica_count for w in decoding))
    yield Said(
        concurrency,
        f"{concurrency.value} requests are in flight, but the workers decode at most {capacity} at "
        f"once ({quoted(_capacity(w) for w in decoding)})",
        f"lower the concurrency to {capacity}, or raise max_batch_size to {needed}",
        also=[(w.engine["max_batch_size"], _capacity(w)) for w in decoding],
    )


def _capacity(worker: Worker) -> str:
    ranks, replicas = worker.attention_ranks, worker.replica_count
    text = f"{worker.name}: max_batch_size {worker.engine['max_batch_size'].value}"
    text += f" × {ranks} attention ranks" if ranks > 1 else ""
    return text + (f" × {replicas} replicas" if replicas > 1 else "")


@rule(
    "B004",
    "fewer-requests-than-concurrency",
    Severity.WARNING,
    source="ai-dynamo/aiperf 0.13.0 (accepts it without a word)",
    bad="""
    # benchmark flags
    --request-count 640
    """,
    good="""
    # benchmark flags
    --request-count 12800
    """,
)
def fewer_requests_than_concurrency(deployment: Deployment, _facts: Facts) -> Iterator[Said]:
    """The benchmark sends fewer requests than it is told to keep in flight.

    The stated concurrency is never reached, and the run is over before anything is steady. Ten
    times the concurrency is customary.
    """
    benchmark = deployment.benchmark
    if benchmark is None or benchmark.concurrency is None or benchmark.requests is None:
        return
    requests, concurrency = benchmark.requests, benchmark.concurrency
    if requests.value < concurrency.value:
        yield Said(
            requests,
            f"{requests.value} requests never fill a concurrency of {concurrency.value}",
            f"write {10 * concurrency.value}, ten times the concurrency",
            also=[(concurrency, f"concurrency is {concurrency.value}")],
        )


@rule(
    "B005",
    "prompt-longer-than-context",
    Severity.ERROR,
    source="NVIDIA/TensorRT-LLM tensorrt_llm/executor/base_worker.py (prompt longer than "
    "max_seq_len); ai-dynamo/dynamo #6987",
    bad="""
    # worker.yaml
    max_seq_len: 1024
    max_batch_size: 900
    ---
    # benchmark flags
    --synthetic-input-tokens-mean 1024 --output-tokens-mean 100
    """,
    good="""
    # benchmark flags
    --synthetic-input-tokens-mean 128
    ---
    # worker.yaml
    max_seq_len: 2048
    """,
    needs=(Need.ENGINE,),
)
def prompt_longer_than_context(deployment: Deployment, _facts: Facts) -> Iterator[Said]:
    """The benchmark's prompts alone are longer than ``max_seq_len``.

    Every request is refused.
    """
    prompt = deployment.benchmark.input_tokens if deployment.benchmark else None
    if prompt is None:
        return
    for worker in deployment.workers:
        length = worker.engine.whole("max_seq_len")
        if length is not None and prompt.value >= length:
            yield Said(
                prompt,
                f"prompts of {prompt.value} tokens leave no room in max_seq_len {length} of "
                f"{worker.name}",
                "raise max_seq_len, or send shorter prompts",
                also=[(worker.engine["max_seq_len"], f"max_seq_len is {length}")],
            )


@rule(
    "B006",
    "answer-cut-short",
    Severity.WARNING,
    source="NVIDIA/TensorRT-LLM tensorrt_llm/executor/base_worker.py (max_tokens is cut to what "
    "max_seq_len leaves)",
    bad="""
    # benchmark flags
    --output-tokens-mean 4096
    """,
    good="""
    # benchmark flags
    --output-tokens-mean 1000
    """,
    needs=(Need.ENGINE,),
)
def answer_cut_short(deployment: Deployment, _facts: Facts) -> Iterator[Said]:
    """Prompt and answer of the benchmark together are longer than ``max_seq_len``.

    Answers end early, so the run measures fewer output tokens than it says.
    """
    benchmark = deployment.benchmark
    if benchmark is None or benchmark.input_tokens is None or benchmark.output_tokens is None:
        return
    isl, osl = benchmark.input_tokens.value, benchmark.output_tokens
    for worker in deployment.workers:
        length = worker.engine.whole("max_seq_len")
        if worker.role is Role.PREFILL or length is None or isl >= length:
            continue
        if isl + osl.value > length:
            yield Said(
                osl,
                f"{isl} + {osl.value} tokens do not fit max_seq_len {length} of {worker.name}, so "
                "answers end early",
                f"raise max_seq_len to {isl + osl.value} or more",
                also=[(worker.engine["max_seq_len"], f"max_seq_len is {length}")],
            )


@rule(
    "B007",
    "prompts-repeat",
    Severity.WARNING,
    source="ai-dynamo/aiperf 0.13.0 --num-dataset-entries (entries are reused)",
    bad="""
    # benchmark flags
    --num-dataset-entries 1000
    """,
    good="""
    # benchmark flags
    --num-dataset-entries 12800
    """,
    near="""
    # also: K005
    # benchmark flags
    --num-dataset-entries 1000
    ---
    # prefill.yaml
    kv_cache_config: {enable_block_reuse: false}
    """,
    needs=(Need.ENGINE,),
)
def prompts_repeat(deployment: Deployment, _facts: Facts) -> Iterator[Said]:
    """The benchmark sends the same prompts again while block reuse is on.

    A repeated prompt is found in the KV cache and costs no prefill: time to first token and
    throughput come out better than any new prompt would see.
    """
    benchmark = deployment.benchmark
    if benchmark is None or benchmark.command is None or benchmark.requests is None:
        return
    entries = benchmark.command.flag(*ENTRIES)
    count = _whole(entries)
    if entries is None or count is None or count >= benchmark.requests.value:
        return
    for worker in deployment.workers:
        reuse = worker.engine["kv_cache_config.enable_block_reuse"]
        if worker.role is not Role.DECODE and reuse.value is True:
            yield Said(
                entries,
                f"{count} prompts are sent {benchmark.requests.value} times in all, and "
                f"{worker.name} reuses KV blocks: repeated prompts skip prefill",
                f"write {benchmark.requests.value}",
                also=[(benchmark.requests, f"{benchmark.requests.value} requests")],
            )
            return


def _whole(text: Located[str] | None) -> int | None:
    return int(text.value) if text is not None and text.value.isdecimal() else None
