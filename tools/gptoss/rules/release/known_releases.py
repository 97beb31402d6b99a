"""Is the release that the image names one that is known?"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gptoss.deployment.model import Runtime
from gptoss.rules.rule import ANY, Need, Said, Severity, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Deployment
    from gptoss.facts.world import Facts, Release


@rule("R030", "release-not-known", Severity.INFO, runtimes=ANY, needs=(Need.RELEASE,))
def release_not_known(deployment: Deployment, release: Release, facts: Facts) -> Iterator[Said]:
    """The image's tag names a release of which nothing is known.

    It is judged by what the release before it does, or by the oldest that is known. Where the two
    differ, a finding can be wrong and another can be missing.
    """
    serves = deployment.runtime is Runtime.SERVE
    field, program = ("trtllm", "TensorRT-LLM") if serves else ("version", "Dynamo")
    own = getattr(release, field)
    known = facts.every_release.values()
    if any(getattr(each, field) == own for each in known):
        return
    taken = next(each for each in known if replace(each, **{field: own}) == release)
    yield Said(
        deployment.release_place,
        f"nothing is known about {program} {own}; it is judged as {getattr(taken, field)}",
        "give --release for another one, or add the release as docs/extending.md says",
    )
