"""Do tool calls reach clients whole?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.rules.readings import TOOL_CALL_PARSER, pieces_of, takes_tool_calls
from gptoss.rules.rule import DYNAMO, Need, Said, Severity, rule
from gptoss.rules.subjects import DECODING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Worker
    from gptoss.facts.world import Facts, Release


@rule(
    "S024",
    "tool-calls-in-pieces",
    Severity.WARNING,
    of=DECODING,
    runtimes=DYNAMO,
    needs=(Need.RELEASE, Need.ENGINE),
)
def tool_calls_in_pieces(worker: Worker, release: Release, facts: Facts) -> Iterator[Said]:
    """``stream_interval`` is above 1 on a release whose frontend then loses tool calls.

    Up to Dynamo 1.2 the reasoning parser drops the head of a tool call that begins within a piece
    of several tokens. Half of the calls are lost at 2 tokens, 26 of 30 at 20; the response has
    status 200, finish_reason stop, and what is left of the call in content, streaming or not. A
    deployment that only runs benchmarks may keep its interval.
    """
    known = facts.known["tool-call-in-pieces"]
    pieces = pieces_of(worker)
    if pieces > 1 and takes_tool_calls(worker) and known.is_in(release):
        yield Said(
            worker.engine["stream_interval"],
            f"stream_interval {pieces} loses most tool calls on release {release.version}",
            f"set it to 1, or go to release {known.right} or newer",
            also=[
                (
                    worker.arguments[TOOL_CALL_PARSER].place or worker,
                    "here tool calls are taken out",
                ),
            ],
        )


@rule(
    "S025",
    "tool-calls-on-analysis",
    Severity.INFO,
    of=DECODING,
    runtimes=DYNAMO,
    needs=(Need.RELEASE,),
)
def tool_calls_on_analysis(worker: Worker, release: Release, facts: Facts) -> Iterator[Said]:
    """The release drops tool calls that the model writes on the analysis channel.

    gpt-oss-120b writes about half of its calls there instead of on the commentary channel. Up to
    Dynamo 1.2 clients get content null and no tool_calls, with status 200, whatever is set. No
    setting helps; agents that call tools need a newer release.
    """
    known = facts.known["tool-call-on-analysis"]
    parser = worker.arguments[TOOL_CALL_PARSER].place
    if parser and known.is_in(release):
        yield Said(
            parser,
            f"release {release.version} drops tool calls on the analysis channel, about half of "
            "those that gpt-oss-120b makes",
            f"go to release {known.right} or newer where clients call tools",
        )
