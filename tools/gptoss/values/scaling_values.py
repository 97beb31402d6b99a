"""Values of autoscaling, disruption budgets and updates."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, WithJsonSchema

from gptoss.values.identifiers import Name, Url
from gptoss.values.pod_values import Closed, Count, Free

# A number of pods, or a share of them.
Amount = Annotated[
    int | str,
    WithJsonSchema(
        {"type": ["integer", "string"], "minimum": 0, "pattern": "^(0|[1-9][0-9]?|100)%$"}
    ),
]


class Autoscaling(Closed):
    """How the replicas of a component follow the load."""

    enabled: bool = Field(
        False,
        description="Leave replicas to an autoscaler: under Dynamo through the adapter that the "
        "operator makes for the component, under trtllm-serve those of the Deployment.",
    )
    min_replicas: Count | None = Field(None, description="The fewest; replicas when null.")
    max_replicas: Count | None = Field(None, description="The most; has to be set.")
    target_queued_requests: Count | None = Field(
        None, description="Requests a replica that wait for their first token."
    )
    target_inflight_requests: Count | None = Field(
        None, description="Requests a replica that are being answered."
    )
    target_time_to_first_token: Count | None = Field(
        None, description="95th percentile in milliseconds, above which there are too few."
    )
    target_inter_token_latency: Count | None = Field(
        None, description="95th percentile in milliseconds, above which there are too few."
    )
    metrics: list[Free] = Field(
        default_factory=list,
        description="More metrics of a HorizontalPodAutoscaler, for kind hpa. Escape hatch.",
    )
    triggers: list[Free] = Field(
        default_factory=list,
        description="More triggers of a ScaledObject, for kind keda. Escape hatch.",
    )
    behavior: Free = Field(
        default_factory=dict,
        description="How fast it goes up and down, merged over autoscaling.behavior. Escape hatch.",
    )


class FrontendAutoscaling(Autoscaling):
    """How the replicas of the frontend follow the load."""

    target_cpu_utilization_percentage: Count | None = Field(
        None,
        alias="targetCPUUtilizationPercentage",
        description="Share of the CPU that the frontend asks for.",
    )


class DisruptionBudget(Closed):
    """How many pods of a component may be taken away at a time, as when nodes are drained."""

    enabled: bool = Field(False, description="Make a PodDisruptionBudget.")
    min_available: Amount | None = Field(
        None, description="Pods that have to stay, as a number or as in 50%."
    )
    max_unavailable: Amount | None = Field(
        None, description="Pods that may be away; 1 when both are null."
    )


class Prometheus(Closed):
    """The Prometheus that KEDA asks."""

    server_address: Url | None = Field(
        None,
        description="Its address, as in http://prometheus-operated.monitoring:9090; kind keda "
        "needs it.",
    )
    authentication_ref: Name | None = Field(
        None, description="An existing TriggerAuthentication of KEDA's, where it asks for one."
    )


class AutoscalingValues(Closed):
    """What the autoscalers of all components share."""

    kind: Literal["keda", "hpa", "none"] = Field(
        "keda",
        description="keda makes ScaledObjects, which ask Prometheus; hpa HorizontalPodAutoscalers, "
        "for whose metrics the cluster needs an adapter; none leaves replicas to whoever else "
        "writes them.",
    )
    prometheus: Prometheus = Field(
        default_factory=Prometheus, description="The Prometheus that KEDA asks."
    )
    behavior: Free = Field(
        default_factory=lambda: {
            "scaleUp": {"stabilizationWindowSeconds": 120},
            "scaleDown": {
                "stabilizationWindowSeconds": 1800,
                "policies": [{"type": "Pods", "value": 1, "periodSeconds": 900}],
            },
        },
        description="How fast replicas go up and down; a worker takes 15 to 30 minutes to load. "
        "Escape hatch.",
    )


class RollingUpdate(Closed):
    """How many pods an update adds and takes away at a time."""

    max_surge: Amount | None = Field(
        None, description="Pods more than replicas; each needs GPUs of its own."
    )
    max_unavailable: Amount | None = Field(None, description="Pods fewer than replicas.")


class UpdateStrategy(Closed):
    """How pods are replaced."""

    type: Literal["RollingUpdate", "Recreate"] = Field(
        "RollingUpdate", description="Some at a time, or all at once."
    )
    rolling_update: RollingUpdate | None = Field(
        None, description="How many at a time, for type RollingUpdate."
    )
