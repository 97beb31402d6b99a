"""What runs beside what serves, sent to another address: the benchmark and the evaluation."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gptoss.rendering.one_container import RenderedContainer, container_from

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gptoss.rendering.target import Target

SCRIPTS = "/etc/gpt-oss/scripts"
SCRIPT = "benchmark.py"
# Where the chart's Jobs leave their results.
ARTIFACTS = "/artifacts"
BASE_URL = "--base-url"


def benchmark_of(target: Target, address: str) -> RenderedContainer | None:
    """The benchmark, sent to another address."""
    benchmark = target.deployment.benchmark
    if benchmark is None:
        return None
    url = benchmark.arguments and benchmark.arguments["--url"].located
    container = container_from("bench", benchmark.pod)
    return replace(
        container,
        words=tuple(address if url and word == url.value else word for word in container.words),
        labels={
            name: annotation.value
            for name, annotation in benchmark.pod.annotations.items()
            if name.startswith("gpt-oss/")
        },
    )


def accuracy_of(target: Target, address: str) -> RenderedContainer | None:
    """The evaluation, sent to another address; None where the target has none."""
    accuracy = target.deployment.accuracy
    if accuracy is None:
        return None
    container = container_from("accuracy", accuracy.pod)
    words = list(container.words)
    words[words.index(BASE_URL) + 1] = f"{address}/v1"
    return replace(container, words=tuple(words))


def scripts_of(target: Target) -> Mapping[str, str]:
    """What the chart mounts under /etc/gpt-oss/scripts."""
    return next(
        found["data"]
        for found in target.objects
        if found["kind"] == "ConfigMap" and SCRIPT in found["data"]
    )
