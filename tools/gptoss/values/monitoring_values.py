"""Values of monitoring."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from gptoss.values.pod_values import Closed, Count, Strings

Percent = Annotated[int, Field(ge=1, le=100)]
SELECTED = "Labels that the cluster's Prometheus selects by. Escape hatch."


class PodMonitor(Closed):
    """A PodMonitor of the Prometheus operator."""

    enabled: bool | None = Field(
        None,
        description="Who has Prometheus read the release. true: a PodMonitor of this chart; null: "
        "the Dynamo platform's PodMonitors where it has them, nobody under trtllm-serve; false: "
        "nobody. Under Dynamo another value restarts the pods, for the operator labels them by "
        "it; trtllm-serve needs return_perf_metrics in its engine.",
    )
    interval: Annotated[str, StringConstraints(pattern="^[1-9][0-9]*(ms|s|m|h)$")] | None = Field(
        None, description="How often to scrape; Prometheus' own interval when null."
    )
    labels: Strings = Field(default_factory=dict, description=SELECTED)


class Dashboard(Closed):
    """A Grafana dashboard in a ConfigMap."""

    enabled: bool = Field(False, description="Make the ConfigMap, for the release's own pods.")
    labels: Strings = Field(
        default_factory=lambda: {"grafana_dashboard": "1"},
        description="Labels that Grafana's sidecar looks for. Escape hatch.",
    )
    annotations: Strings = Field(
        default_factory=dict,
        description="Annotations, such as the sidecar's grafana_folder. Escape hatch.",
    )


class Thresholds(Closed):
    """When alerts fire; null switches one off."""

    first_token_milliseconds: Count | None = Field(
        10000, description="Time to first token that 95 % of the requests of ten minutes keep."
    )
    token_milliseconds: Count | None = Field(
        100,
        description="Time between tokens that 95 % of them keep; under trtllm-serve the mean of "
        "each request.",
    )
    error_percent: Percent | None = Field(
        5, description="Of the requests, those that fail, clients' own faults left out."
    )
    waiting_percent: Percent | None = Field(
        50, description="Of the requests in flight, those that have no token yet."
    )
    cache_percent: Percent | None = Field(
        95, description="Of a worker's KV cache, what is in use; where that is told."
    )


class PrometheusRule(Closed):
    """A PrometheusRule of the Prometheus operator, with what to do about each alert."""

    enabled: bool = Field(False, description="Make it.")
    labels: Strings = Field(default_factory=dict, description=SELECTED)
    additional_rule_labels: Strings = Field(
        default_factory=dict, description="Labels of every alert, to route it by. Escape hatch."
    )
    thresholds: Thresholds = Field(
        default_factory=Thresholds, description="When alerts fire; null switches one off."
    )


class Monitoring(Closed):
    """Metrics, alerts and a dashboard."""

    pod_monitor: PodMonitor = Field(default_factory=PodMonitor, description="The PodMonitor.")
    engine_metrics: bool = Field(
        False,
        description="Have Dynamo's workers tell how full their KV cache is, which costs the engine "
        "a little at every step; under trtllm-serve that is enable_iter_perf_stats in its engine.",
    )
    dashboard: Dashboard = Field(default_factory=Dashboard, description="Grafana's dashboard.")
    prometheus_rule: PrometheusRule = Field(default_factory=PrometheusRule, description="Alerts.")
