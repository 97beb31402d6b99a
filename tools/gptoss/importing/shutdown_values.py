"""How long a deployment gives its answers when pods go, as the chart's values say it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gptoss.deployment.model import Runtime
from gptoss.importing.context import leaf

if TYPE_CHECKING:
    from gptoss.importing.context import Context
    from gptoss.importing.document import Block

GRACE = "DYN_GRACEFUL_SHUTDOWN_GRACE_PERIOD_SECS"
# Seconds of a pod's end that are not the answers', as the chart counts them.
REST = 60
# What Dynamo's workers take without the variable.
DYNAMO_GRACE = 5


def shutdown_block(context: Context) -> Block:
    """The seconds of the longest answer, and how often one may go on at another worker.

    Where no worker has the variable, what the pods have bounds it; where they have nothing either,
    the chart's default is taken.
    """
    deployment = context.deployment
    if deployment.runtime is Runtime.SERVE:
        return {}
    found: Block = {}
    variables = [w.pod.environment.get(GRACE) for w in deployment.workers]
    first = next((variable for variable in variables if variable), None)
    pods = [component.pod.termination_grace for component in deployment.components]
    given = min((grace for grace in pods if grace), key=lambda grace: grace.value, default=None)
    if first and shares_grace(context):
        found["longestAnswerSeconds"] = leaf(int(first.value or ""), first.place)
    elif first is None and given:
        seconds = max(DYNAMO_GRACE, given.value - REST)
        found["longestAnswerSeconds"] = leaf(seconds, given.place)
    frontend = deployment.frontend
    limit = frontend.arguments["--migration-limit"] if frontend and frontend.arguments else None
    if limit and limit.place and isinstance(limit.value, int):
        found["migrationLimit"] = leaf(limit.value, limit.place)
    return found


def shares_grace(context: Context) -> bool:
    """Whether all workers have the same grace period, in whole seconds."""
    values = {
        variable.value if (variable := worker.pod.environment.get(GRACE)) else None
        for worker in context.deployment.workers
    }
    return len(values) == 1 and re.fullmatch(r"[1-9]\d{0,6}", values.pop() or "") is not None
