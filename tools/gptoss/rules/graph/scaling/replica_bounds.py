"""Are the numbers right that autoscalers keep to, and what they look at?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.deployment.model import Worker
from gptoss.rules.graph.scaling.scaled import AUTOSCALERS, SCALED, scaled
from gptoss.rules.rule import ANY, SERVE, Need, Said, Severity, rule
from gptoss.rules.subjects import WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.autoscalers import Autoscaler
    from gptoss.deployment.model import Component, Deployment

# Metrics of trtllm-serve by the switch of the engine without which they are not there.
SWITCHES = {
    "enable_iter_perf_stats": (
        "trtllm_num_requests_",
        "trtllm_kv_cache_",
    ),
    "return_perf_metrics": ("trtllm_",),
}


@rule(
    "G122",
    "scaled-to-nothing",
    Severity.WARNING,
    of=SCALED,
    runtimes=ANY,
)
def scaled_to_nothing(autoscaler: Autoscaler, component: Component) -> Iterator[Said]:
    """An autoscaler may take the last replica away, and nothing brings it back.

    Without workers the frontend does not list the model and refuses requests with 404, so that
    there is no queue that would tell of them; a server that is not there has no metrics at all. On
    several nodes Grove refuses 0 replicas. KEDA takes 0 for the fewest where nothing is written.
    """
    if autoscaler.floor < 1:
        field = "minReplicas" if autoscaler.kind.startswith("Horizontal") else "minReplicaCount"
        yield Said(
            autoscaler.idle or autoscaler.fewest or autoscaler,
            f"{component.name} may be scaled to 0, and no metric then asks for it again",
            "remove idleReplicaCount" if autoscaler.idle else f"write {field}: 1",
        )


@rule(
    "G124",
    "replicas-counted-as-pods",
    Severity.WARNING,
    of=SCALED,
    runtimes=ANY,
)
def replicas_counted_as_pods(autoscaler: Autoscaler, component: Component) -> Iterator[Said]:
    """A worker on several nodes is scaled by a ratio, which counts its pods as replicas.

    For a target of type Value or Utilization, and for metrics of pods, the autoscaler multiplies
    the number of ready pods by how far the metric is off. With a pod on each of two nodes it asks
    for twice as many replicas as it means to. A sum with the target type AverageValue is divided
    and counts no pods.
    """
    nodes = component.nodes.value if isinstance(component, Worker) else 1
    for signal in autoscaler.signals:
        if nodes > 1 and signal.by_ratio:
            yield Said(
                signal,
                f"{component.name} has {nodes} pods a replica, and {signal.text} is set against "
                f"the number of pods: {nodes} times as many replicas as meant",
                "scale by a sum, such as requests in a queue, with the target type AverageValue",
            )
            return


@rule(
    "G127",
    "scaled-by-what-is-not-told",
    Severity.WARNING,
    of=WORKERS,
    runtimes=SERVE,
    needs=(Need.ENGINE,),
)
def scaled_by_what_is_not_told(worker: Worker, deployment: Deployment) -> Iterator[Said]:
    """An autoscaler asks for a metric of trtllm-serve that its engine is not told to keep.

    Latencies need return_perf_metrics, and requests in flight or waiting enable_iter_perf_stats
    besides. Without them the query finds nothing, and the autoscaler does nothing.
    """
    for autoscaler, component in scaled(deployment):
        for signal in autoscaler.signals if component is worker else ():
            for switch, names in SWITCHES.items():
                off = not worker.engine.switch(switch)
                metric = next((name for name in names if name in signal.text), None)
                if off and metric:
                    yield Said(
                        signal,
                        f"{autoscaler.kind} {autoscaler.name} asks for metrics that begin with "
                        f"{metric}, which are not there without {switch}",
                        f"write {switch}: true in the engine YAML",
                    )
                    break


@rule(
    "G129",
    "most-below-fewest",
    Severity.ERROR,
    of=AUTOSCALERS,
    runtimes=ANY,
)
def most_below_fewest(autoscaler: Autoscaler) -> Iterator[Said]:
    """An autoscaler's largest number of replicas is below its smallest.

    The API server refuses a HorizontalPodAutoscaler with it, and KEDA a ScaledObject.
    """
    fewest, most = autoscaler.fewest, autoscaler.most
    if fewest and most and most.value < fewest.value:
        yield Said(
            most,
            f"at most {most.value} replicas are fewer than at least {fewest.value}",
            f"write {fewest.value} or more",
            also=[(fewest, f"at least {fewest.value}")],
        )
