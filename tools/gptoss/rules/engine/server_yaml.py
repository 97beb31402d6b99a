"""Does trtllm-serve pass on what its engine YAML says?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.precedence.claims import BUILD_CONFIG
from gptoss.rules.rule import SERVE, Need, Said, Severity, rule
from gptoss.rules.subjects import WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Worker


@rule(
    "E018",
    "build-config-dropped",
    Severity.WARNING,
    of=WORKERS,
    runtimes=SERVE,
    needs=(Need.ENGINE,),
)
def build_config_dropped(worker: Worker) -> Iterator[Said]:
    """The engine YAML has a build_config, which trtllm-serve drops without a word.

    It belongs to the TensorRT engine. What is written in it is in force nowhere; the sizes stand at
    the root of the YAML.
    """
    for setting in worker.engine.under(BUILD_CONFIG)[:1]:
        yield Said(
            setting,
            "trtllm-serve drops build_config, so none of it is in force",
            "write max_batch_size, max_num_tokens and max_seq_len at the root instead",
        )
