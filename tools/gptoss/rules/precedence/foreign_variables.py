"""Is a variable set that only another engine reads?"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gptoss.rules.rule import Said, Severity, rule
from gptoss.rules.subjects import WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Worker

# By the engine that reads them; those without a name of their own are read by several.
FOREIGN = {"VLLM_": "vLLM", "SGLANG_": "SGLang", "SGL_": "SGLang"}
# Of images and tools around any engine.
NEUTRAL = re.compile(r".*_(IMAGE|TAG|VERSION|DIR|PATH|HOME)$")


@rule(
    "C007",
    "variable-of-another-engine",
    Severity.WARNING,
    of=WORKERS,
)
def variable_of_another_engine(worker: Worker) -> Iterator[Said]:
    """A worker of TensorRT-LLM has a variable that vLLM or SGLang reads.

    TensorRT-LLM reads none of them, and nothing says so: what the variable is to change stays as it
    is.
    """
    for name, variable in worker.pod.environment.items():
        engine = next((FOREIGN[head] for head in FOREIGN if name.startswith(head)), None)
        if engine and name not in (worker.pod.mentions or ()) and not NEUTRAL.match(name):
            yield Said(
                variable,
                f"{name} is a variable of {engine}, and TensorRT-LLM does not read it",
                "remove it, or write what it is to do in the engine YAML",
            )
