"""Do the settings of the engine YAML go together?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.rules.engine.refused_together import CONFLICTS
from gptoss.rules.engine.speculation import SPECULATION
from gptoss.rules.engine.validators import refused
from gptoss.rules.rule import Need, Said, Severity, rule
from gptoss.rules.subjects import WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Worker
    from gptoss.facts.world import Facts, Release

SOURCE = (
    "NVIDIA/TensorRT-LLM tensorrt_llm/llmapi/llm_args.py, validators of the versions that "
    "schema/engine/validators.yaml names"
)


@rule(
    "E012",
    "engine-settings-refused",
    Severity.ERROR,
    of=WORKERS,
    needs=(Need.ENGINE, Need.RELEASE),
)
def engine_settings_refused(worker: Worker, release: Release, facts: Facts) -> Iterator[Said]:
    """Settings of the engine YAML exclude each other or lack another that they need.

    Each is fine alone. The engine validates them together before it loads anything and stops.
    """
    yield from refused(worker, release, facts, CONFLICTS, certain=True)


@rule(
    "E013",
    "engine-settings-doubtful",
    Severity.WARNING,
    of=WORKERS,
    needs=(Need.ENGINE, Need.RELEASE),
)
def engine_settings_doubtful(worker: Worker, release: Release, facts: Facts) -> Iterator[Said]:
    """Settings of the engine YAML probably do not go together in this version.

    Other versions of TensorRT-LLM are known to refuse them. The source of this one was not read
    there.
    """
    yield from refused(worker, release, facts, (*CONFLICTS, *SPECULATION), certain=False)


@rule(
    "E014",
    "speculative-settings-inconsistent",
    Severity.ERROR,
    of=WORKERS,
    needs=(Need.ENGINE, Need.RELEASE),
)
def speculative_settings_inconsistent(
    worker: Worker, release: Release, facts: Facts
) -> Iterator[Said]:
    """The settings of speculative decoding do not make a whole.

    A way of decoding that the PyTorch backend lacks, no draft model, nothing to draft, a tree or a
    schedule that does not fit: the engine stops while it starts.
    """
    yield from refused(worker, release, facts, SPECULATION, certain=True)
