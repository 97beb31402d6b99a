"""What trtllm-serve tells Prometheus, counted for the stand-in under the same names.

Names and labels are those of tensorrt_llm/metrics/collector.py in NVIDIA/TensorRT-LLM @050f80d, as
far as the shipped dashboard shows them; buckets are the client's own.
"""

from __future__ import annotations

import time
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

PREFIX = "trtllm_"


class Metrics:
    """Counts of one server.

    Args:
        engine: Its engine settings; ``enable_iter_perf_stats`` lets it tell its load.
        name: The model's public name.
    """

    def __init__(self, engine: dict[str, Any], name: str) -> None:
        self._registry = CollectorRegistry()
        self._labels = {"model_name": name, "engine_type": "pytorch"}
        self._steps = bool(engine.get("enable_iter_perf_stats"))
        self._first = self._made(Histogram, "time_to_first_token_seconds")
        self._between = self._made(Histogram, "time_per_output_token_seconds")
        self._queued = self._made(Histogram, "request_queue_time_seconds")
        self._whole = self._made(Histogram, "e2e_request_latency_seconds")
        self._prompt = self._made(Counter, "prompt_tokens_total")
        self._generated = self._made(Counter, "generation_tokens_total")
        self._answered = self._made(Counter, "request_success_total", "finished_reason")
        self._refused = self._made(Counter, "request_error_total", "http_code")
        self._running = self._made(Gauge, "num_requests_running")
        self._waiting = self._made(Gauge, "num_requests_waiting")
        self._cache = self._made(Gauge, "kv_cache_utilization")

    def answered(self, began: float, first: float, prompt: int, tokens: int, reason: str) -> None:
        """Counts an answer.

        Args:
            began: When its request came, by the monotonic clock.
            first: When its first token was there.
            prompt: Tokens of the prompt.
            tokens: Tokens of the answer.
            reason: Why it ended.
        """
        now = time.monotonic()
        labels = self._labels
        self._first.labels(**labels).observe(first - began)
        self._between.labels(**labels).observe((now - first) / max(tokens - 1, 1))
        self._queued.labels(**labels).observe(0)
        self._whole.labels(**labels).observe(now - began)
        self._prompt.labels(**labels).inc(prompt)
        self._generated.labels(**labels).inc(tokens)
        self._answered.labels(**labels, finished_reason=reason).inc()

    def refused(self, status: int) -> None:
        """Counts a request that was refused with an HTTP status."""
        self._refused.labels(**self._labels, http_code=str(status)).inc()

    def text(self, running: int) -> bytes:
        """All of it, with the number of requests that run."""
        if self._steps:
            for gauge, value in ((self._running, running), (self._waiting, 0), (self._cache, 0)):
                gauge.labels(**self._labels).set(value)
        return bytes(generate_latest(self._registry))

    def _made(self, kind: Any, name: str, *more: str) -> Any:
        return kind(PREFIX + name, name, [*self._labels, *more], registry=self._registry)
