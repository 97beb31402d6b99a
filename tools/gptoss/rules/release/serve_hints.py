"""What to write for trtllm-serve instead of a flag that it does not have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.facts.programs import SERVE

if TYPE_CHECKING:
    from gptoss.facts.world import Facts
    from gptoss.rules.release.parsed import Reading

# What people write for trtllm-serve that is none of its flags, and what to do instead.
ELSEWHERE = {
    "--model": "write the model as the first argument, without a flag",
    "--model-path": "write the model as the first argument, without a flag",
    "--moe_backend": "write moe_config: {backend: ...} in the YAML that --config names",
    "--extra-engine-args": "write --config",
    "--extra_llm_api_config": "write --config",
    "--expert-parallel-size": "write --moe_expert_parallel_size",
    "--dyn-reasoning-parser": "remove it: trtllm-serve reads the channels of gpt-oss itself",
    "--dyn-tool-call-parser": "remove it: trtllm-serve reads the channels of gpt-oss itself",
}


def underscored(reading: Reading, word: str) -> str | None:
    """The flag of trtllm-serve that a word is with hyphens for underscores."""
    spelled = "--" + word.removeprefix("--").replace("-", "_")
    is_flag = reading.program.name == SERVE and spelled in reading.program.spellings
    return spelled if is_flag and spelled != word else None


def serve_hint(reading: Reading, word: str, facts: Facts) -> str | None:
    """What to write instead of a flag that trtllm-serve does not have."""
    if spelled := underscored(reading, word):
        return f"write {spelled}: its flags are spelled with underscores"
    if word in ELSEWHERE:
        return ELSEWHERE[word]
    key = word.removeprefix("--").replace("-", "_")
    if key in facts.engine_fields:
        return f"write {key} in the YAML that --config names; it has no flag"
    return None
