"""Shipped targets on simulated workers: Dynamo's own frontend, parsers and workers, no GPU."""

from __future__ import annotations

import json
import urllib.request
from typing import TYPE_CHECKING, Any

import pytest

from gptoss.live.simulation import simulate
from gptoss.sources.request import Request

if TYPE_CHECKING:
    from gptoss.live.running import Running

pytestmark = pytest.mark.live

PATIENCE = 120
WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather in a city",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
        },
    },
}


def chat(running: Running, question: str, **more: Any) -> Any:
    """The message that answers a question."""
    body = {"model": running.model, "messages": [{"role": "user", "content": question}]} | more
    request = urllib.request.Request(  # noqa: S310
        f"{running.url}/v1/chat/completions",
        data=json.dumps(body).encode(),
        headers={"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=PATIENCE) as response:  # noqa: S310
        return json.load(response)["choices"][0]["message"]


@pytest.mark.parametrize("target", ["agg-gb200", "disagg-b200-node"])
def test_a_target_answers_with_reasoning_apart(target: str) -> None:
    with simulate(Request((target,)), release="1.3.1") as running:
        running.ready(PATIENCE)
        message = chat(running, "Which planet do we live on?", reasoning_effort="low")
        assert message["content"] == "Earth"
        assert "The effort is low" in message["reasoning_content"]
        called = chat(running, "What is the weather in Berlin?", tools=[WEATHER])
        assert called["tool_calls"][0]["function"]["name"] == "get_weather"
        assert json.loads(called["tool_calls"][0]["function"]["arguments"]) == {"city": "Berlin"}
