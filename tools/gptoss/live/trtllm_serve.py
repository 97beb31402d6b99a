"""The ``trtllm-serve`` of a simulation: judges its words, then starts the stand-in server.

Run by a file of that name on the launch script's path as ``VERSION PYTHON WORDS…``; the server runs
on that Python, which has Dynamo's packages.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from gptoss.command_lines.dialects import read_command
from gptoss.facts.programs import SERVE, taken_for
from gptoss.facts.world import Facts
from gptoss.text import plain_yaml
from gptoss.text.command import Command
from gptoss.text.places import Located, Place

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gptoss.command_lines.arguments import Arguments

SERVER = Path(__file__).with_name("shim") / "serve_stand_in.py"
REFUSED = 2


def main(words: Sequence[str]) -> int:
    """Becomes the server; the exit code when the command line is refused."""
    version, python, *given = words
    facts = Facts()
    line = Command(tuple(Located(word, Place(SERVE, 1, 1)) for word in (SERVE, *given)))
    arguments = read_command(taken_for(SERVE, version, facts), line, {})
    for fault in arguments.faults:
        sys.stderr.write(f"{SERVE} (simulated): {fault.name}: {fault.told or fault.kind.value}\n")
    if arguments.faults:
        return REFUSED
    variables = os.environ | {"PYTHONPATH": str(SERVER.parent)}
    os.execve(python, [python, str(SERVER), json.dumps(_settings(arguments, facts))], variables)  # noqa: S606
    return None


def _settings(arguments: Arguments, facts: Facts) -> dict[str, object]:
    """What the server is started with: its place, the model's folder and the engine settings."""
    value = {name: found.value for name, found in arguments.in_force().items()}
    model_id = arguments.words[0].value
    model = facts.models.get(model_id)
    revision = value.get("--revision") or (model and model.revision)
    hub = Path(os.environ["HF_HOME"], "hub", f"models--{model_id.replace('/', '--')}")
    folder = Path(model_id) if Path(model_id).is_dir() else hub / "snapshots" / str(revision)
    engine = value.get("--config") or value.get("--extra_llm_api_options")
    text = Path(str(engine)).read_text(encoding="utf-8") if engine else ""
    return {
        "host": value.get("--host") or "localhost",
        "port": int(str(value.get("--port") or 8000)),
        "name": value.get("--served_model_name") or model_id,
        "engine": {"model": str(folder)} | (plain_yaml.load(text) or {}),
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
