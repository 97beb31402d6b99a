"""Reads harmony as a server does: reasoning, content and tool calls out of one answer."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

MESSAGE = re.compile(
    r"(?:<\|start\|>assistant)?<\|channel\|>(?P<channel>\w+)(?P<header>[^<]*)"
    r"(?:<\|constrain\|>\w+)?<\|message\|>(?P<body>.*?)(?:<\|(?:end|call|return)\|>|\Z)",
    re.DOTALL,
)
TO = re.compile(r"to=functions\.(\w+)")


@dataclass
class Read:
    """An answer in its parts.

    Attributes:
        reasoning: What the model thought.
        content: What it says.
        calls: Tools that it calls, by name and arguments.
    """

    reasoning: str = ""
    content: str = ""
    calls: list[tuple[str, str]] = field(default_factory=list)


def read(text: str) -> Read:
    """The parts of an answer, or of the beginning of one."""
    found = Read()
    for message in MESSAGE.finditer(text):
        tool = TO.search(message["header"])
        if tool:
            found.calls.append((tool[1], message["body"]))
        elif message["channel"] == "analysis":
            found.reasoning += message["body"]
        else:
            found.content += message["body"]
    return found
