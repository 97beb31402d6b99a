"""Waits until a model is listed: ``wait_for_model.py ADDRESS MODEL SECONDS``.

/health answers "healthy" while no worker is there; a model that can be asked is in /v1/models.
"""

from __future__ import annotations

import json
import sys
import time
import urllib.request

POLL_SECONDS = 5


def listed(address: str) -> list[str]:
    """Names of the models that a server lists; [] while it does not answer."""
    try:
        with urllib.request.urlopen(f"{address}/v1/models", timeout=10) as response:  # noqa: S310
            return [model["id"] for model in json.load(response)["data"]]
    except (OSError, ValueError, KeyError, TypeError):
        return []


def main(arguments: list[str]) -> int:
    """0 when the model is listed in time, else 1."""
    address, model, seconds = arguments
    deadline = time.monotonic() + int(seconds)
    while model not in (names := listed(address)):
        if time.monotonic() > deadline:
            print(f"{address} does not list {model} after {seconds} s: {names}", file=sys.stderr)
            return 1
        print(f"waiting for {model} at {address}, listed: {names}", flush=True)
        time.sleep(POLL_SECONDS)
    print(f"{address} lists {model}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
