"""Values of monitoring."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from gptoss.values.pod_values import Closed, Strings


class PodMonitor(Closed):
    """A PodMonitor of the Prometheus operator."""

    enabled: bool = Field(
        False,
        description="Make one for the server of trtllm-serve, which needs return_perf_metrics in "
        "its engine; the Dynamo platform brings its own.",
    )
    interval: Annotated[str, StringConstraints(pattern="^[1-9][0-9]*(ms|s|m|h)$")] | None = Field(
        None, description="How often to scrape; Prometheus' own interval when null."
    )
    labels: Strings = Field(
        default_factory=dict,
        description="Labels that the cluster's Prometheus selects by. Escape hatch.",
    )


class Monitoring(Closed):
    """Metrics for the Prometheus operator."""

    pod_monitor: PodMonitor = Field(default_factory=PodMonitor, description="The PodMonitor.")
