"""What the simulated model says depends on what it is asked, and on nothing else."""

from __future__ import annotations

import runpy
from pathlib import Path

from gptoss import live

SCRIPT = Path(live.__file__).parent / "shim" / "harmony_script.py"
PROMPT = """\
<|start|>system<|message|>Current date: {date}

Reasoning: medium<|end|><|start|>user<|message|>Which {what} is ours?<|end|><|start|>assistant"""


def test_an_answer_is_the_same_on_every_day() -> None:
    answer = runpy.run_path(str(SCRIPT))["answer"]
    days = [PROMPT.format(date=f"2026-11-{day}", what="planet") for day in range(10, 30)]
    assert len({answer(prompt, None) for prompt in days}) == 1
    asked = [PROMPT.format(date="2026-11-10", what=what) for what in ("planet", "moon", "star")]
    assert len({answer(prompt, None) for prompt in asked}) > 1
