"""Does the reasoning effort that is asked for reach the model?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.rules.rule import DYNAMO, Need, Said, Severity, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Deployment
    from gptoss.facts.world import Facts, Release

UNTOLD = "medium"


@rule(
    "A004",
    "evaluation-effort-ignored",
    Severity.WARNING,
    runtimes=DYNAMO,
    needs=(Need.RELEASE,),
)
def evaluation_effort_ignored(
    deployment: Deployment, release: Release, facts: Facts
) -> Iterator[Said]:
    """The release ignores the reasoning effort with which an evaluation asks.

    gpt_oss.evals sends the effort at the top of the request, which Dynamo up to 1.2 accepts and
    ignores. Low, medium and high effort then all measure medium, under three names.
    """
    known = facts.known["effort-at-top"]
    if deployment.accuracy is None or not known.is_in(release):
        return
    for effort in deployment.accuracy.efforts:
        if effort.value != UNTOLD:
            yield Said(
                effort,
                f"release {release.version} ignores the effort {effort.value} that the evaluation "
                f"asks for, and answers with {UNTOLD} effort",
                f"go to release {known.right} or newer",
            )
