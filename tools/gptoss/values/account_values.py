"""Values of the service account of the chart's own pods."""

from __future__ import annotations

from pydantic import Field

from gptoss.values.identifiers import Name
from gptoss.values.pod_values import Closed, Strings


class ServiceAccountValues(Closed):
    """The service account of the chart's own pods.

    Those are download, benchmark, evaluation, helm test and the server of trtllm-serve. Pods of a
    graph have the account that the Dynamo operator makes for discovery.
    """

    create: bool = Field(
        False,
        description="Make one. Otherwise pods have the namespace's default account, and Jobs that "
        "wait for the rollout one of their own, which may list pods.",
    )
    name: Name | None = Field(
        None, description="Its name; that of an existing one when none is made."
    )
    annotations: Strings = Field(
        default_factory=dict,
        description="Its annotations, as in {eks.amazonaws.com/role-arn: arn:...}. Escape hatch.",
    )
    labels: Strings = Field(default_factory=dict, description="Its labels. Escape hatch.")
    automount_service_account_token: bool = Field(
        False,
        description="Mount its token into these pods. They need none: Jobs that wait for the "
        "rollout mount one into the container that waits.",
    )


class RbacValues(Closed):
    """What the chart's service account may do."""

    create: bool = Field(
        True,
        description="Make the Role and RoleBinding by which Jobs that wait for the rollout list "
        "pods of the namespace; made for these Jobs only.",
    )
