"""Readings of how the KV cache goes from prefill to decode, which the rules of the family share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from gptoss.deployment.model import Role
from gptoss.facts.versions import trtllm_number
from gptoss.text.shell.resolved import is_resolved

if TYPE_CHECKING:
    from gptoss.deployment.model import Deployment, Worker
    from gptoss.facts.world import Release
    from gptoss.text.command import Variable

BACKEND = "cache_transceiver_config.backend"
BUFFER = "cache_transceiver_config.max_tokens_in_buffer"
RUNTIME = "cache_transceiver_config.transceiver_runtime"
# Which transports UCX may use.
TRANSPORTS = "UCX_TLS"
TIMEOUT = "cache_transceiver_config.kv_transfer_timeout_ms"
BLOCK = "kv_cache_config.tokens_per_block"
REUSE = "kv_cache_config.enable_block_reuse"

CPP, PYTHON = "CPP", "PYTHON"
DEFAULT, NIXL, UCX = "DEFAULT", "NIXL", "UCX"
# What DEFAULT stands for where a variable says so, the strongest first.
SELECTORS = {
    "TRTLLM_USE_NIXL_KVCACHE": NIXL,
    "TRTLLM_USE_UCX_KVCACHE": UCX,
    "TRTLLM_USE_MOONCAKE_KVCACHE": "MOONCAKE",
    "TRTLLM_USE_MPI_KVCACHE": "MPI",
}
# GPUs of which a rack is one NVLink domain, and how many those are (GB200 NVL72).
RACKS_OF, RACK = ("gb200",), 72
# DEFAULT is NIXL from here on (NVIDIA/TensorRT-LLM #7926); it was UCX before.
DEFAULT_IS_NIXL = "1.2.0rc1"
# The transceiver is chosen by model and backend from here on, unless the engine YAML says which.
CHOSEN_BY_MODEL = "1.3.0rc22"


class Prompt(NamedTuple):
    """The most tokens that a prompt may have, with who says so."""

    tokens: int
    said: Any


def is_before(release: Release | None, version: str) -> bool:
    """Whether a release is known to ship a TensorRT-LLM older than a version."""
    return release is not None and trtllm_number(release.trtllm) < trtllm_number(version)


def selector_of(worker: Worker) -> Variable | None:
    """The variable that says what the backend DEFAULT stands for, if there is one."""
    environment = worker.pod.environment
    return next((environment[n] for n in SELECTORS if worker.pod.variable(n) == "1"), None)


def backend_of(worker: Worker, release: Release | None) -> str | None:
    """The transport in force; None where there is none, or it is not known which."""
    written = worker.engine.text(BACKEND)
    if written is None or written.upper() != DEFAULT:
        return written.upper() if written else None
    if selector := selector_of(worker):
        return SELECTORS[selector.name]
    if release is None:
        return None
    return UCX if is_before(release, DEFAULT_IS_NIXL) else NIXL


def runtime_of(worker: Worker, release: Release | None) -> str | None:
    """The transceiver in force, ``CPP`` or ``PYTHON``; None where that is not known.

    Where nobody chooses, newer releases take the Python one for gpt-oss, with NIXL alone.
    """
    chosen = worker.engine[RUNTIME]
    if isinstance(chosen.value, str) and chosen.value in (CPP, PYTHON):
        return str(chosen.value)
    left_open = chosen.value is not None or not chosen.is_set
    may_be_python = backend_of(worker, release) in (NIXL, None)
    if left_open and may_be_python and not is_before(release, CHOSEN_BY_MODEL):
        return None
    return CPP


def longest_prompt(deployment: Deployment) -> Prompt | None:
    """The longest prompt: what prefill takes, or the benchmark sends where that is more."""
    prompts = [
        Prompt(length, worker.engine["max_seq_len"])
        for worker in deployment.workers_with(Role.PREFILL)
        if worker.engine_known and (length := worker.engine.whole("max_seq_len")) is not None
    ]
    isl = deployment.benchmark.input_tokens if deployment.benchmark else None
    if isl:
        prompts.append(Prompt(isl.value, isl))
    return max(prompts, key=lambda prompt: prompt.tokens, default=None)


def literal(worker: Worker, name: str) -> Variable | None:
    """A variable whose value is known."""
    found = worker.pod.environment.get(name)
    return found if found and found.value and is_resolved(found.value) else None


def ucx_names(transports: str) -> tuple[list[str], bool]:
    """The transports of a list, and whether it is one of those that are left out."""
    names = transports.removeprefix("^").split(",")
    plain = [name.strip().lower().removeprefix("\\").partition(":")[0] for name in names]
    return [name for name in plain if name], transports.startswith("^")
