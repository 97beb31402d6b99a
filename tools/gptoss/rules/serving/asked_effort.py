"""Does the reasoning effort that clients ask for reach the model?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.rules.rule import DYNAMO, Need, Said, Severity, rule
from gptoss.rules.subjects import FRONTEND

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Frontend
    from gptoss.facts.world import Facts, Model, Release


@rule(
    "S029",
    "effort-ignored",
    Severity.INFO,
    of=FRONTEND,
    runtimes=DYNAMO,
    needs=(Need.RELEASE, Need.MODEL),
)
def effort_ignored(
    frontend: Frontend, release: Release, model: Model, facts: Facts
) -> Iterator[Said]:
    """The release ignores the reasoning effort that clients ask for.

    Up to Dynamo 1.2 reasoning_effort of a chat request and reasoning.effort of a response never
    reach the chat template: every answer is written with medium effort, with status 200.
    chat_template_kwargs in the request does reach it.
    """
    known = facts.known["effort-at-top"]
    if model.tool_call_parser == "harmony" and known.is_in(release):
        yield Said(
            frontend.command or frontend,
            f"release {release.version} ignores reasoning_effort, and every answer has medium "
            "effort",
            known.do,
        )
