"""Family serving: who turns messages into prompts and answers into messages?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.rules.release.parsed import CHAT_PROCESSOR
from gptoss.rules.rule import DYNAMO, Need, Said, Severity, rule
from gptoss.rules.subjects import FRONTEND

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Frontend
    from gptoss.facts.world import Model

OWN = "dynamo"


@rule(
    "S018",
    "chat-processor-of-another-engine",
    Severity.WARNING,
    of=FRONTEND,
    runtimes=DYNAMO,
    needs=(Need.MODEL,),
)
def chat_processor_of_another_engine(frontend: Frontend, model: Model) -> Iterator[Said]:
    """The frontend leaves chat messages of a harmony model to vLLM's or SGLang's processor.

    It needs that engine in the frontend's image and does not parse harmony as Dynamo's own does:
    reasoning and tool calls of gpt-oss stay in the text, or every request ends with 500.
    """
    if model.tool_call_parser != "harmony":
        return
    if frontend.arguments is None:
        return
    chosen = frontend.arguments[CHAT_PROCESSOR]
    if chosen.value not in (None, "", OWN):
        yield Said(
            chosen.place or frontend,
            f"the chat processor is {chosen.value}, which does not parse harmony",
            f"write {CHAT_PROCESSOR} {OWN}, or leave it out",
        )
