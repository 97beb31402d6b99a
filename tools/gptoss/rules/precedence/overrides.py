"""Do overrides of the engine settings say what they are meant to, and no more?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.deployment.settings import Layer
from gptoss.rules.readings import quoted
from gptoss.rules.rule import DYNAMO, Said, Severity, rule
from gptoss.rules.subjects import WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Worker
    from gptoss.deployment.settings import Claim


@rule(
    "C003",
    "override-replaces-block",
    Severity.WARNING,
    of=WORKERS,
    runtimes=DYNAMO,
)
def override_replaces_block(worker: Worker) -> Iterator[Said]:
    """An override of one key drops the other keys of its block.

    When the override is applied, kv_cache_config, moe_config, attention_dp_config and other typed
    blocks are objects already, which the update replaces as a whole instead of merging. What the
    engine YAML and flags said of the block falls back to defaults.
    """
    blocks: dict[str, list[Claim]] = {}
    for setting in worker.engine:
        if setting.lost:
            block = setting.key.partition(".")[0]
            blocks.setdefault(block, []).append(setting.lost[-1])
    for block, lost in blocks.items():
        winners = (setting.winner for setting in worker.engine.under(block))
        overrides = [claim for claim in winners if claim and claim.layer is Layer.OVERRIDE]
        gone = quoted(f"{claim.spelling} {claim.value}" for claim in lost)
        by, or_else = "the engine YAML", ""
        if overrides:
            by, or_else = "this override", ", or repeat the whole block in the override"
        yield Said(
            overrides[0] if overrides else lost[0],
            f"{by} replaces all of {block}, so {gone} no longer counts",
            f"put the value into the engine YAML instead{or_else}",
            also=[(claim, f"{claim.spelling} is lost") for claim in lost],
        )


@rule(
    "C006",
    "override-not-json",
    Severity.ERROR,
    reports="override-not-json",
    hint="write JSON with double quotes",
    runtimes=DYNAMO,
)
def override_not_json() -> None:
    """``--override-engine-args`` is not a JSON object.

    The flag's help speaks of a Python dictionary, but the worker reads JSON and stops at anything
    else: keys and texts take double quotes.
    """
