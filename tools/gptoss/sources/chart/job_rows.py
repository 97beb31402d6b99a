"""Rows of the table of :mod:`gptoss.sources.chart.rows` for benchmark and evaluation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.deployment.paths import ACCURACY, BENCHMARK

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.paths import Path

KEY = "{n}"
"""Stands for any key in a pattern and its values."""

CONCURRENCY = (
    "workload.sweep.to",
    "workload.sweep.from",
    "workload.sweep",
    "workload.concurrency",
    "workload.concurrencyPerGpu",
)
REQUESTS = ("workload.sweep.rounds", "workload.sweep", "workload.requests", *CONCURRENCY[3:])


def benchmark_rows() -> Iterator[tuple[Path, tuple[str, ...]]]:
    """What the benchmark Job says, and the values that it follows from."""
    yield BENCHMARK / "input_tokens", ("workload.inputTokens",)
    yield BENCHMARK / "output_tokens", ("workload.outputTokens",)
    yield BENCHMARK / "concurrency", CONCURRENCY
    yield BENCHMARK / "concurrency_per_gpu", ("workload.concurrencyPerGpu",)
    yield BENCHMARK / "gpu_count", ("workers",)
    yield BENCHMARK / "requests", REQUESTS
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
        KEY: ("benchmark.extraArgs",),
    }
    for flag, values in flags.items():
        yield BENCHMARK.entry("flags", flag), values
    yield from _job(BENCHMARK)


def accuracy_rows() -> Iterator[tuple[Path, tuple[str, ...]]]:
    """What the accuracy Job says, and the values that it follows from."""
    yield ACCURACY / "efforts", ("accuracy.reasoningEfforts",)
    flags = {
        "--eval": ("accuracy.evals",),
        "--reasoning-effort": ("accuracy.reasoningEfforts",),
        "--n-threads": ("accuracy.threads", "workers"),
        "--model": ("model.servedName", "model.id"),
        KEY: ("accuracy.extraArgs",),
    }
    for flag, values in flags.items():
        yield ACCURACY.entry("flags", flag), values
    yield from _job(ACCURACY)


def job_times(job: Path, values: str) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """When a Job ends and goes."""
    yield job / "deadline", (f"{values}.activeDeadlineSeconds",)
    yield job / "kept", (f"{values}.ttlSecondsAfterFinished",)


def _job(job: Path) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """What both say, the parts of their pods included that only they have."""
    values = (f"{job}.artifacts.existingClaim", f"{job}.artifacts.subPath")
    yield job.entry("mounts", "/artifacts"), values
    yield from job_times(job, str(job))
    yield from placed_rows(job, str(job))


def placed_rows(pod: Path, values: str) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """Where a pod runs."""
    yield pod.entry("nodes", KEY), (f"{values}.nodeSelector.{{n}}", f"{values}.affinity")
    yield pod / "anti_affinity", (f"{values}.affinity",)
    yield pod.entry("tolerations", KEY), (f"{values}.tolerations",)
