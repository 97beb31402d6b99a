"""Do sizes reach the engine while it has a ``build_config``?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.deployment.settings import Layer
from gptoss.precedence.built_sizes import BUILT, SIZES, sizes_law
from gptoss.precedence.claims import BUILD_CONFIG
from gptoss.rules.rule import ANY, Need, Said, Severity, rule
from gptoss.rules.subjects import WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Worker
    from gptoss.deployment.settings import Claim
    from gptoss.facts.world import Facts, Release


@rule(
    "R031",
    "size-lost-to-build-config",
    Severity.WARNING,
    of=WORKERS,
    runtimes=ANY,
    needs=(Need.RELEASE, Need.ENGINE),
)
def size_lost_to_build_config(worker: Worker, release: Release, facts: Facts) -> Iterator[Said]:
    """A size is not in force, because this release takes it from build_config.

    Up to TensorRT-LLM 1.2.0rc3 dynamo.trtllm and trtllm-serve fill a build_config with their flags,
    defaults included, and the engine takes max_batch_size, max_num_tokens, max_seq_len and
    max_beam_width from there. Up to 1.1.0rc5 sizes at the root of the engine YAML never reach it,
    and overrides in no release; nothing but a line of the log says so.
    """
    law = sizes_law(release.trtllm, facts)
    for key in SIZES if law else ():
        setting = worker.engine[key]
        for claim in setting.beaten:
            lost = claim.layer is Layer.OVERRIDE if law != BUILT else claim.layer > Layer.DEFAULT
            if lost and setting.winner and claim.value != setting.value:
                yield _lost(key, claim, setting.winner, release)


def _lost(key: str, claim: Claim, winner: Claim, release: Release) -> Said:
    yaml = winner.layer is Layer.ENGINE or winner.spelling == BUILD_CONFIG
    source = " of the engine YAML" if yaml else f", which {winner.spelling} fills"
    default = " by default" if winner.layer is Layer.DEFAULT else ""
    flag = f"--{key.replace('_', '-')}"
    return Said(
        claim,
        f"{claim.spelling} {claim.value} is not in force: TensorRT-LLM {release.trtllm} takes "
        f"{key} from {BUILD_CONFIG}{source}, and that is {winner.value}{default}",
        f"write {BUILD_CONFIG}.{key}: {claim.value}" if yaml else f"give {flag} {claim.value}",
        also=[(winner, f"{winner.spelling}: {winner.value} is in force")],
    )
