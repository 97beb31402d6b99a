"""Rows of the table of :mod:`gptoss.sources.chart.lines` for benchmark and evaluation."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

CONCURRENCY = (
    "workload.sweep.to",
    "workload.sweep.from",
    "workload.sweep",
    "workload.concurrency",
    "workload.concurrencyPerGpu",
)
REQUESTS = ("workload.sweep.rounds", "workload.sweep", "workload.requests", *CONCURRENCY[3:])


def benchmark_rows() -> Iterator[tuple[str, tuple[str, ...]]]:
    """What the benchmark Job says, and the values that it follows from."""
    yield "benchmark.input_tokens", ("workload.inputTokens",)
    yield "benchmark.output_tokens", ("workload.outputTokens",)
    yield "benchmark.concurrency", CONCURRENCY
    yield "benchmark.concurrency_per_gpu", ("workload.concurrencyPerGpu",)
    yield "benchmark.gpu_count", ("workers",)
    yield "benchmark.requests", REQUESTS
    flags = {
        "--sweep": CONCURRENCY[:3],
        "--rounds": ("workload.sweep.rounds", "workload.sweep"),
        "--synthetic-input-tokens-stddev": ("workload.inputTokensStddev",),
        "--output-tokens-stddev": ("workload.outputTokensStddev",),
        "--warmup-request-count": ("benchmark.warmupRequests", *CONCURRENCY),
        "--num-dataset-entries": ("benchmark.datasetEntries", *REQUESTS),
        "--random-seed": ("benchmark.randomSeed",),
        "--goodput": ("workload.goodput", "benchmark.extraArgs"),
        "--model": ("model.servedName", "model.id"),
        "--tokenizer": ("model.id",),
        "--tokenizer-revision": ("model.revision",),
        "{n}": ("benchmark.extraArgs",),
    }
    for flag, values in flags.items():
        yield f"benchmark.flags.{flag}", values
    yield from _artifacts("benchmark")


def accuracy_rows() -> Iterator[tuple[str, tuple[str, ...]]]:
    """What the accuracy Job says, and the values that it follows from."""
    yield "accuracy.efforts", ("accuracy.reasoningEfforts",)
    flags = {
        "--eval": ("accuracy.evals",),
        "--reasoning-effort": ("accuracy.reasoningEfforts",),
        "--n-threads": ("accuracy.threads", "workers"),
        "--model": ("model.servedName", "model.id"),
        "{n}": ("accuracy.extraArgs",),
    }
    for flag, values in flags.items():
        yield f"accuracy.flags.{flag}", values
    yield from _artifacts("accuracy")


def _artifacts(job: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    yield (
        f"{job}.mounts./artifacts",
        (f"{job}.artifacts.existingClaim", f"{job}.artifacts.subPath"),
    )
