"""Who wins where the same thing is said twice, and what is said to nobody?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.deployment.model import Runtime
from gptoss.deployment.settings import Layer
from gptoss.precedence.built_sizes import BUILT, sizes_law
from gptoss.precedence.built_sizes import SIZES as BUILT_SIZES
from gptoss.precedence.serve import flags_win
from gptoss.rules.fixes import add_flag
from gptoss.rules.right_answers import given_value, without_claim
from gptoss.rules.rule import DYNAMO, Need, Said, Severity, rule
from gptoss.rules.subjects import WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Deployment, Worker
    from gptoss.deployment.settings import Claim
    from gptoss.facts.world import Facts

WEAKER = {Layer.ENVIRONMENT: "environment", Layer.FLAG: "flag", Layer.ENGINE: "engine YAML"}
NAMES = {Layer.ENGINE: "engine YAML", Layer.FLAG: "flag"}


@rule(
    "C001",
    "setting-beaten",
    Severity.WARNING,
    of=WORKERS,
    fixable=True,
)
def setting_beaten(worker: Worker, deployment: Deployment, facts: Facts) -> Iterator[Said]:
    """A flag or variable sets a value that the engine YAML or a flag overrules silently.

    dynamo.trtllm lays the engine YAML over what flags and DYN_TRTLLM_* variables say, without a
    word in the log, in every release. Whoever edits the flag changes nothing. trtllm-serve does
    the same up to TensorRT-LLM 1.3.0rc14; from 1.3.0rc18 on its flags win over the YAML. Which of
    them wins in between is not known.
    """
    undecided = _is_undecided(deployment, facts)
    release = deployment.release
    built = sizes_law(release.trtllm, facts) == BUILT if release else False
    for setting in worker.engine:
        winner = setting.winner
        if winner is None or winner.layer not in NAMES or (built and setting.key in BUILT_SIZES):
            continue
        for claim in setting.beaten:
            if claim.layer in WEAKER and claim.value != winner.value:
                both = {claim.layer, winner.layer} == {Layer.FLAG, Layer.ENGINE}
                told = _undecided if both and undecided else _beaten
                yield told(claim, winner)


def _is_undecided(deployment: Deployment, facts: Facts) -> bool:
    """Whether it is not known which of flags and engine YAML wins."""
    if deployment.runtime is Runtime.DYNAMO:
        return False
    release = deployment.release
    return flags_win(release.trtllm if release else "", facts) is None


def _undecided(claim: Claim, winner: Claim) -> Said:
    return Said(
        claim,
        f"{claim.spelling} {claim.value} and {winner.spelling} {winner.value} in "
        f"the {NAMES[winner.layer]} disagree, and which of them wins in this version of "
        "trtllm-serve is not known",
        f"remove {claim.spelling} and keep the value in the {NAMES[winner.layer]}",
        also=[(winner, f"{winner.spelling}: {winner.value}")],
    )


def _beaten(claim: Claim, winner: Claim) -> Said:
    if claim.layer is Layer.ENGINE:
        return Said(
            claim,
            f"{claim.spelling} {claim.value} in the engine YAML is not in force; "
            f"the flag sets {winner.spelling} to {winner.value} and wins",
            f"keep one value, in the engine YAML, and remove {winner.spelling}",
            also=[(winner, f"{winner.spelling}: {winner.value} is in force")],
        )
    return Said(
        claim,
        f"{claim.spelling} {claim.value} is not in force; the "
        f"{NAMES[winner.layer]} sets {winner.spelling} to {winner.value} and wins",
        f"remove {claim.spelling} and keep the value in the {NAMES[winner.layer]}",
        also=[(winner, f"{winner.spelling}: {winner.value} is in force")],
        fix=without_claim(claim),
    )


@rule(
    "C004",
    "variable-read-by-nobody",
    Severity.INFO,
    of=WORKERS,
    runtimes=DYNAMO,
)
def variable_read_by_nobody(worker: Worker) -> Iterator[Said]:
    """A variable looks like a setting, but neither the program nor the command reads it.

    MODEL_PATH, SERVED_MODEL_NAME and ENGINE_ARGS mean nothing to dynamo.trtllm; they only work
    where the command line mentions them. Editing one that it does not mention changes nothing.
    """
    mentions = worker.pod.mentions
    if mentions is None:
        return
    for name, flag in _LOOKALIKES.items():
        found = worker.pod.environment.get(name)
        if found is None or name in mentions:
            continue
        yield Said(
            found,
            f"{name} is set but the command does not mention it, and "
            "dynamo.trtllm does not read it",
            f'remove it, or write {flag} "${{{name}}}" in a shell command',
            also=[(worker.command, "the command")],
        )


_LOOKALIKES = {
    "MODEL_PATH": "--model-path",
    "MODEL_NAME": "--model-path",
    "SERVED_MODEL_NAME": "--served-model-name",
    "ENGINE_ARGS": "--extra-engine-args",
    "EXTRA_ENGINE_ARGS": "--extra-engine-args",
    "PREFILL_ENGINE_ARGS": "--extra-engine-args",
    "DECODE_ENGINE_ARGS": "--extra-engine-args",
    "DISAGGREGATION_MODE": "--disaggregation-mode",
}


@rule(
    "C005",
    "kv-block-size-disagrees",
    Severity.WARNING,
    of=WORKERS,
    runtimes=DYNAMO,
    fixable=True,
    needs=(Need.ENGINE,),
)
def kv_block_size_disagrees(worker: Worker, facts: Facts) -> Iterator[Said]:
    """KV events are published with another block size than the engine's.

    --kv-block-size (32 unless set) is what the router hashes prompts with; tokens_per_block is
    what the engine stores. When they differ the router never finds a prefix again.
    From Dynamo 1.4 on workers ask the engine, and the flag no longer counts.
    """
    if not publishes_events(worker, facts):
        return
    size = worker.arguments["--kv-block-size"]
    block = worker.engine["kv_cache_config.tokens_per_block"]
    known = isinstance(size.value, int) and block.value is not None
    if known and block.value != size.value:
        says = f"--kv-block-size is {size.value}" + ("" if size.place else " by default")
        yield Said(
            size.place or block,
            f"{says}, but kv_cache_config.tokens_per_block is {block.value}: "
            "the router's prefixes never match",
            f"write --kv-block-size {block.value}",
            fix=given_value(size, str(block.value))
            or add_flag(worker.command.place, "--kv-block-size", str(block.value)),
            also=[(block, f"tokens_per_block is {block.value}")],
        )


def publishes_events(worker: Worker, facts: Facts) -> bool:
    """Whether a worker publishes KV events."""
    return any(worker.arguments[flag].value is True for flag in facts.kv_events_flags)
