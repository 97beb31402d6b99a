"""Will the operator understand the annotations of the graph?"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gptoss.rules.readings import quoted
from gptoss.rules.rule import Said, Severity, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Deployment

# As Masterminds/semver NewVersion reads it: v and missing numbers are allowed.
SEMVER = re.compile(
    r"v?(0|[1-9]\d*)(\.(0|[1-9]\d*)){0,2}(-[\dA-Za-z-]+(\.[\dA-Za-z-]+)*)?"
    r"(\+[\dA-Za-z-]+(\.[\dA-Za-z-]+)*)?"
)
ORIGIN_VERSION = "nvidia.com/dynamo-operator-origin-version"
EXECUTOR = "nvidia.com/vllm-distributed-executor-backend"
CHOICES = {
    EXECUTOR: ("mp", "ray"),
    "nvidia.com/dynamo-kube-discovery-mode": ("pod", "container"),
    "nvidia.com/grove-update-strategy": ("RollingRecreate", "OnDelete"),
}
# Releases from which the operator looks at an annotation, where not from 1.0 on.
CHECKED_FROM = {"nvidia.com/grove-update-strategy": (1, 5)}
SWITCHES = {
    "nvidia.com/enable-grove": "Grove stays on",
    "nvidia.com/enable-metrics": "the pods stay labelled for metrics",
}


@rule(
    "G072",
    "annotation-refused",
    Severity.ERROR,
)
def annotation_refused(deployment: Deployment) -> Iterator[Said]:
    """An annotation of the graph that the operator reads has a value that it refuses.

    The webhook refuses the graph. Case counts in all of them but the executor of vLLM.
    """
    number = deployment.release.number if deployment.release else (1, 2)
    for name, value in deployment.annotations.items():
        if number < CHECKED_FROM.get(name, number):
            continue
        text = value.value.lower() if name == EXECUTOR else value.value
        wanted = ""
        if name in CHOICES and text not in CHOICES[name]:
            wanted = " or ".join(CHOICES[name])
        elif name == ORIGIN_VERSION and not SEMVER.fullmatch(text):
            wanted = "a version such as 1.2.1"
        if wanted:
            yield Said(
                value,
                f"annotation {name} is {value.value!r}, which the operator refuses",
                f"write {wanted}",
            )


@rule(
    "G073",
    "annotation-switches-nothing",
    Severity.WARNING,
)
def annotation_switches_nothing(deployment: Deployment) -> Iterator[Said]:
    """An annotation that switches something off says so in a word that the operator ignores.

    Only "false" switches off; "no", "0" or "off" are as good as nothing.
    """
    for name, what in SWITCHES.items():
        value = deployment.annotations.get(name)
        if value and value.value.lower() not in ("true", "false"):
            known = quoted(['"true"', '"false"'])
            yield Said(
                value,
                f"annotation {name} is {value.value!r}; the operator knows {known} only, so {what}",
                'write "false"',
            )
