"""Do variables switch what they are meant to, and do known defects of a release apply?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.deployment.model import Role
from gptoss.rules.rule import Need, Said, Severity, rule
from gptoss.rules.subjects import WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Worker
    from gptoss.facts.world import Release

PDL = "TRTLLM_ENABLE_PDL"
# TensorRT-LLM versions that count tokens of reused blocks wrongly.
WRONG_COUNT = ("1.3.0rc11", "1.3.0rc12")


@rule(
    "E030",
    "pdl-switch-ignored",
    Severity.WARNING,
    of=WORKERS,
)
def pdl_switch_ignored(worker: Worker) -> Iterator[Said]:
    """``TRTLLM_ENABLE_PDL`` is neither 0 nor 1, so it switches nothing.

    Only these two are understood. With anything else programmatic dependent launch keeps its
    default, which is on.
    """
    found = worker.pod.environment.get(PDL)
    if found and found.value is not None and found.value not in ("0", "1"):
        yield Said(
            found,
            f"{PDL}={found.value} is ignored; the engine understands 0 and 1",
            f'write {PDL}: "0" to switch it off, or remove it',
        )


@rule(
    "E032",
    "chunked-prefill-miscounts-reused-blocks",
    Severity.WARNING,
    of=WORKERS,
    needs=(Need.ENGINE, Need.RELEASE),
)
def chunked_prefill_miscounts_reused_blocks(worker: Worker, release: Release) -> Iterator[Said]:
    """Chunked prefill and block reuse are both on in a release that miscounts their tokens.

    TensorRT-LLM 1.3.0rc11 and rc12 do not count reused blocks in chunks rightly. Under load, with
    a tight max_num_tokens, the engine stops with "total_num_tokens should be less than or equal to
    max_num_tokens". Mended in rc13.
    """
    if release.trtllm not in WRONG_COUNT:
        return
    chunked = worker.engine["enable_chunked_prefill"]
    reuse = worker.engine["kv_cache_config.enable_block_reuse"]
    if worker.role is Role.DECODE or chunked.value is not True or reuse.value is not True:
        return
    yield Said(
        chunked,
        f"chunked prefill with block reuse can stop the engine of TensorRT-LLM "
        f"{release.trtllm} under load",
        "run release 1.2 or later, or switch one of the two off",
        also=[(reuse, "block reuse is on")] if reuse.is_set else [],
    )
