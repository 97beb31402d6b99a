"""Asks a model one question: ``ask.py ADDRESS MODEL SECONDS``.

Fails when the answer carries raw harmony markup: then the parsers or their vocabulary are missing.
"""

from __future__ import annotations

import json
import sys
import urllib.request

QUESTION = "Answer with one word: which planet do we live on?"


def ask(address: str, model: str, seconds: int) -> str:
    """The content of a chat completion."""
    body = {"model": model, "max_tokens": 512, "messages": [{"role": "user", "content": QUESTION}]}
    request = urllib.request.Request(  # noqa: S310 (the deployment's own address)
        f"{address}/v1/chat/completions",
        data=json.dumps(body).encode(),
        headers={"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=seconds) as response:  # noqa: S310
        return str(json.load(response)["choices"][0]["message"]["content"] or "")


def main(arguments: list[str]) -> int:
    """0 when the model answers with plain content, else 1."""
    address, model, seconds = arguments
    try:
        content = ask(address, model, int(seconds))
    except (OSError, ValueError, KeyError, IndexError, TypeError) as error:
        print(f"{address} does not answer: {error}", file=sys.stderr)
        return 1
    print(content, flush=True)
    if not content.strip():
        print("the answer is empty", file=sys.stderr)
        return 1
    if "<|channel|>" in content:
        print(
            "the answer carries raw harmony markup; check the frontend's vocabulary",
            file=sys.stderr,
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
