"""Signs that an engine YAML which names no model is for another model than ours."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gptoss.facts.moe_kernels import AUTO, moe_kernels

if TYPE_CHECKING:
    from gptoss.deployment.model import Worker
    from gptoss.facts.world import Model

# Names of models in paths, as repositories and their users write them; the last one counts. Short
# ones stand at the beginning of a word, for a folder made up by a program has any letters.
NAMES = re.compile(
    r"deepseek|llama|qwen|kimi|nemotron|mi[sx]tral|gemma|minimax|exaone"
    r"|(?<![a-z0-9])(?:dsr1|ds[-_]?[rv]\d|(?:chat)?glm[-_]?\d|step[-_]?\d|phi[-_]?\d)"
    r"|gpt[-_]?oss[-_]?20b|gpt[-_]?oss",
    re.IGNORECASE,
)
OURS = re.compile(r"gpt[-_]?oss", re.IGNORECASE)
# What only models with other layers have.
FOREIGN = ("sparse_attention_config", "kv_cache_config.mamba_ssm_cache_dtype")
DRAFTS = ("speculative_config.speculative_model", "speculative_config.speculative_model_dir")


def is_for_another(worker: Worker, source: str, model: Model) -> bool:
    """Whether the file's path, or a setting that the model cannot have, speaks of another model.

    Args:
        worker: The worker with the engine YAML.
        source: The file, as the user named it.
        model: The model that it would be taken for.
    """
    engine, named = worker.engine, NAMES.findall(source)
    drafts = [engine.text(key) for key in DRAFTS if engine[key].is_set]
    experts = engine.whole("moe_expert_parallel_size") or 1
    backend = engine.text("moe_config.backend") or AUTO
    kernels = moe_kernels().backends.get(backend)
    return (
        (bool(named) and not OURS.fullmatch(named[-1]))
        or any(engine.under(key) for key in FOREIGN)
        or engine.text("speculative_config.decoding_type") == "MTP"
        or any(draft and not OURS.search(draft) for draft in drafts)
        or (experts > 0 and model.experts % experts != 0)
        or (engine.whole("max_seq_len") or 0) > model.max_position
        or (backend != AUTO and (kernels is None or not kernels.has_kernels))
    )
