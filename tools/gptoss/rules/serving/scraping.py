"""What does it cost to have Prometheus read the pods in another way?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.rules.rule import DYNAMO, Said, Severity, rule
from gptoss.rules.subjects import DEPLOYMENT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Deployment

SWITCH = "nvidia.com/enable-metrics"
LABEL = "nvidia.com/metrics-enabled"


@rule(
    "S052",
    "scraping-restarts-pods",
    Severity.INFO,
    of=DEPLOYMENT,
    runtimes=DYNAMO,
)
def scraping_restarts_pods(deployment: Deployment) -> Iterator[Said]:
    """Whether the platform's PodMonitors take the pods changes, and with it every pod.

    The operator marks pods by a label unless the graph's annotation says not to. A label is a part
    of the pod template, so that frontend and workers are replaced, which loads the model again.
    """
    installed = deployment.installed
    if installed is None or installed.name != deployment.name:
        return
    if _is_marked(deployment) != _is_marked(installed):
        yield Said(
            deployment.annotations.get(SWITCH, deployment),
            f"{SWITCH} changes, and with it the label {LABEL} of every pod: all of them restart",
            "make the change together with one that restarts them anyhow",
        )


def _is_marked(deployment: Deployment) -> bool:
    """Whether the operator labels the pods for the platform's PodMonitors."""
    written = deployment.annotations.get(SWITCH)
    return written is None or written.value != "false"
