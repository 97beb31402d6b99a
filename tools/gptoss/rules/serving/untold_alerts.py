"""Can alerts fire?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.rules.graph.scaling.replica_bounds import SWITCHES
from gptoss.rules.precedence.flags_and_yaml import publishes_events
from gptoss.rules.rule import DYNAMO, SERVE, Need, Said, Severity, rule
from gptoss.rules.subjects import WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Deployment, Worker
    from gptoss.facts.world import Facts, Release

CACHE = (
    "dynamo_component_gpu_cache_usage_percent",
    "dynamo_component_kv_cache_hit_rate",
    "dynamo_component_total_blocks",
)
PUBLISH, BOTH = "--publish-metrics", "--publish-events-and-metrics"


@rule(
    "S050",
    "alert-on-untold-cache",
    Severity.WARNING,
    of=WORKERS,
    runtimes=DYNAMO,
    needs=(Need.RELEASE,),
)
def alert_on_untold_cache(
    worker: Worker, deployment: Deployment, release: Release, facts: Facts
) -> Iterator[Said]:
    """An alert asks for the KV cache of a worker that does not tell it.

    Workers tell Prometheus how full their KV cache is only with --publish-metrics; before 1.6 with
    the flag that publishes KV events. Without it the query finds nothing, and the alert never
    fires.
    """
    has_own = PUBLISH in worker.arguments.program.flags
    own = any(worker.arguments[flag].value is True for flag in (PUBLISH, BOTH))
    if own if has_own else publishes_events(worker, facts):
        return
    flag = PUBLISH if has_own else release.kv_events_flag
    for alert in deployment.alerts:
        if metric := next((name for name in CACHE if name in alert.expression), None):
            yield Said(
                alert,
                f"{alert.name} asks for {metric}, which {worker.name} does not tell",
                f"give the worker {flag} (in the chart monitoring.engineMetrics: true)",
            )


@rule(
    "S051",
    "alert-on-untold-metric",
    Severity.WARNING,
    of=WORKERS,
    runtimes=SERVE,
    needs=(Need.ENGINE,),
)
def alert_on_untold_metric(worker: Worker, deployment: Deployment) -> Iterator[Said]:
    """An alert asks for a metric of trtllm-serve that its engine is not told to keep.

    All of them need return_perf_metrics; requests in flight or waiting and the KV cache need
    enable_iter_perf_stats besides. Without them the query finds nothing, and the alert never fires.
    """
    for alert in deployment.alerts:
        for switch, names in SWITCHES.items():
            metric = next((name for name in names if name in alert.expression), None)
            if metric and not worker.engine.switch(switch):
                yield Said(
                    alert,
                    f"{alert.name} asks for metrics that begin with {metric}, which are not there "
                    f"without {switch}",
                    f"write {switch}: true in the engine YAML",
                )
                break
