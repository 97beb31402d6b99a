"""What clients of a rehearsal ask, and whether the simulated model's answer came through whole."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gptoss.live.completions import Answer

MARKUP = re.compile(r"<\|\w+\|>|assistant(final|commentary|analysis)|to=functions\.")
WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather in a city.",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
        },
    },
}
CALL = ("get_weather", {"city": "Paris"})
# Whether a parser loses its place hangs on the length of the reasoning, and that on the words.
WORDINGS = 6
MOST_INPUT, MOST_OUTPUT = 512, 64


@dataclass(frozen=True, slots=True)
class Question:
    """One thing to ask for.

    Attributes:
        kind: What it asks for: ``chat``, ``stream``, ``effort``, ``tool`` and so on.
        name: The kind with the number of its wording.
        body: The request without the model.
        wrong: What is wrong with an answer, or None.
    """

    kind: str
    name: str
    body: dict[str, Any] = field(hash=False)
    wrong: Callable[[Answer], str | None] = field(hash=False, compare=False)


def questions(input_tokens: int, output_tokens: int) -> Sequence[Question]:
    """Chat, streams, efforts and tool calls in several wordings, and the target's own lengths.

    Args:
        input_tokens: Tokens of the prompt of the target's traffic; asked with 512 at most.
        output_tokens: Tokens of its answers; asked with 64 at most.
    """
    return [
        _question(kind, number, more, wrong)
        for number in range(1, WORDINGS + 1)
        for kind, more, wrong in (
            ("chat", {}, _earth),
            ("stream", {"stream": True}, _earth),
            ("effort", {"reasoning_effort": "low"}, _low),
            ("tool", {"tools": [WEATHER]}, _called),
            ("tool in a stream", {"tools": [WEATHER], "stream": True}, _called),
            ("traffic", _traffic(input_tokens, output_tokens, number), _anything),
        )
    ]


def _question(
    kind: str, number: int, more: dict[str, Any], wrong: Callable[[Answer], str | None]
) -> Question:
    what = "What is the weather in Paris?" if "tools" in more else "Which planet do we live on?"
    text = f"{what}{' please' * number}"
    body = {"messages": [{"role": "user", "content": text}], "max_tokens": 512}
    return Question(kind, f"{kind} {number}", body | more, wrong)


def _traffic(input_tokens: int, output_tokens: int, number: int) -> dict[str, Any]:
    prompt = f"{number}" + " the" * min(input_tokens, MOST_INPUT)
    length = min(output_tokens, MOST_OUTPUT)
    return {
        "messages": [{"role": "user", "content": prompt}],
        "max_tokens": length,
        "min_tokens": length,
        "ignore_eos": True,
        "stream": True,
    }


def _anything(_: Answer) -> None:
    return None


def _earth(answer: Answer) -> str | None:
    return _raw(answer) or (
        None if answer.content == "Earth" else f"content {answer.content!r} instead of 'Earth'"
    )


def _low(answer: Answer) -> str | None:
    told = re.search(r"The effort is (\w+)", answer.reasoning)
    if _earth(answer):
        return _earth(answer)
    if told is None:
        return f"reasoning without its effort: {answer.reasoning[:40]!r}"
    return None if told[1] == "low" else f"asked for low effort, answered with {told[1]}"


def _called(answer: Answer) -> str | None:
    if not answer.calls:
        return f"no tool call; finish_reason {answer.finish!r}, content {answer.content[:80]!r}"
    (name, arguments), *more = answer.calls
    try:
        fits = (name, json.loads(arguments)) == CALL and not more
    except ValueError:
        fits = False
    return _raw(answer) or (None if fits else f"called {answer.calls!r}")


def _raw(answer: Answer) -> str | None:
    """Markup that a client should never see, or no reasoning apart from the content."""
    for name, text in (("content", answer.content), ("reasoning", answer.reasoning)):
        if found := MARKUP.search(text):
            return f"raw harmony in the {name}: {found[0]}"
    return None if answer.reasoning else "no reasoning apart from the content"
