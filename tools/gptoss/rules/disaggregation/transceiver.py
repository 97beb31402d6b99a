"""Can the KV cache travel from prefill to decode?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gptoss.deployment.model import Role
from gptoss.rules.right_answers import engine_value
from gptoss.rules.rule import Need, Said, Severity, rule
from gptoss.rules.subjects import PAIRS, SPLIT_WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Deployment, Worker


BACKEND = "cache_transceiver_config.backend"
BUFFER = "cache_transceiver_config.max_tokens_in_buffer"
RUNTIME = "cache_transceiver_config.transceiver_runtime"
BLOCK = "kv_cache_config.tokens_per_block"


@rule(
    "D002",
    "transceiver-backend-missing",
    Severity.ERROR,
    of=SPLIT_WORKERS,
    needs=(Need.ENGINE,),
)
def transceiver_backend_missing(worker: Worker) -> Iterator[Said]:
    """A prefill or decode worker has no cache transceiver backend.

    Without cache_transceiver_config.backend the transfer of KV blocks is switched off, and Dynamo
    neither sets nor checks it: requests hang between prefill and decode.
    """
    backend = worker.engine[BACKEND]
    if backend.value is None:
        yield Said(
            backend,
            f"{BACKEND} is not set, so no KV cache is transferred between prefill and decode",
            "write cache_transceiver_config: {backend: UCX}, or DEFAULT, on both sides",
        )


@rule(
    "D003",
    "transceiver-buffer-not-whole-blocks",
    Severity.ERROR,
    of=SPLIT_WORKERS,
    fixable=True,
    needs=(Need.ENGINE,),
)
def transceiver_buffer_not_whole_blocks(worker: Worker) -> Iterator[Said]:
    """The transceiver buffer does not hold a whole number of KV cache blocks.

    The buffer is cut into blocks; the engine checks that nothing remains and stops otherwise.
    """
    tokens, block = worker.engine.whole(BUFFER), worker.engine.whole(BLOCK)
    if tokens and block and tokens % block:
        yield Said(
            worker.engine[BUFFER],
            f"max_tokens_in_buffer {tokens} is not a multiple of tokens_per_block {block}",
            f"write {-(-tokens // block) * block}",
            fix=engine_value(worker, BUFFER, -(-tokens // block) * block),
            also=_set_elsewhere(worker, BLOCK, f"tokens_per_block is {block}"),
        )


def _set_elsewhere(worker: Worker, key: str, message: str) -> list[tuple[Any, str]]:
    setting = worker.engine[key]
    return [(setting, message)] if setting.is_set else []


@rule(
    "D004",
    "transceiver-buffer-too-small",
    Severity.WARNING,
    of=SPLIT_WORKERS,
    needs=(Need.ENGINE,),
)
def transceiver_buffer_too_small(worker: Worker, deployment: Deployment) -> Iterator[Said]:
    """The transceiver buffer is unset or cannot hold the longest prompt.

    A prompt that is longer is sent through buffers made on the fly, which is slow and fails with
    NIXL. TensorRT-LLM recommends at least the longest input.
    """
    longest = _longest_prompt(deployment)
    buffer, tokens = worker.engine[BUFFER], worker.engine.whole(BUFFER)
    if worker.engine[BACKEND].value is None:
        return
    if buffer.value is None:
        yield Said(
            buffer,
            "max_tokens_in_buffer is not set, so KV cache travels through "
            "buffers made on the fly, which fails with NIXL",
            f"write max_tokens_in_buffer: {longest[0] if longest else 'the longest prompt'}",
        )
    elif tokens is not None and longest and tokens < longest[0]:
        yield Said(
            buffer,
            f"max_tokens_in_buffer {tokens} is smaller than prompts may be ({longest[0]} tokens)",
            f"write a multiple of tokens_per_block of at least {longest[0]}",
            also=[(longest[1], f"prompts of up to {longest[0]} tokens")],
        )


def _longest_prompt(deployment: Deployment) -> tuple[int, Any] | None:
    """The most tokens that a prompt may have, with who says so."""
    prompts: list[tuple[int, Any]] = [
        (length, worker.engine["max_seq_len"])
        for worker in deployment.workers_with(Role.PREFILL)
        if worker.engine_known and (length := worker.engine.whole("max_seq_len")) is not None
    ]
    isl = deployment.benchmark.input_tokens if deployment.benchmark else None
    if isl:
        prompts.append((isl.value, isl))
    return max(prompts, key=lambda prompt: prompt[0], default=None)


@rule(
    "D005",
    "prefill-and-decode-disagree",
    Severity.ERROR,
    of=PAIRS,
    needs=(Need.ENGINE,),
)
def prefill_and_decode_disagree(prefill: Worker, decode: Worker) -> Iterator[Said]:
    """Prefill and decode differ in how the KV cache is stored or sent.

    Blocks travel as they are. Both sides have to agree on the data type, the tokens a block and
    the transceiver, or the transfer is refused. Parallel sizes may differ.
    """
    for key in ("kv_cache_config.dtype", BLOCK, BACKEND, RUNTIME):
        ours, theirs = decode.engine[key], prefill.engine[key]
        if key == RUNTIME and None in (ours.value, theirs.value):
            continue
        if _plain(ours.value) != _plain(theirs.value):
            at, other = (ours, theirs) if ours.is_set or not theirs.is_set else (theirs, ours)
            yield Said(
                at,
                f"{key} is {_shown(ours.value)} on {decode.name} but {_shown(theirs.value)} on "
                f"{prefill.name}: the KV cache cannot be handed over",
                "write the same value on both sides",
                also=[(other, f"the other side says {_shown(other.value)}")],
            )


def _plain(value: Any) -> Any:
    """A value as the engine compares it: ``auto`` is the model's own bfloat16."""
    text = value.lower() if isinstance(value, str) else value
    return "bfloat16" if text == "auto" else text


def _shown(value: Any) -> str:
    return "unset" if value is None else str(value)


@rule(
    "D007",
    "transceiver-buffers-differ",
    Severity.WARNING,
    of=PAIRS,
    needs=(Need.ENGINE,),
)
def transceiver_buffers_differ(prefill: Worker, decode: Worker) -> Iterator[Said]:
    """Prefill and decode have transceiver buffers of different sizes.

    Differing transceiver configs have made transfers fail with "Message truncated".
    """
    ours, theirs = decode.engine[BUFFER], prefill.engine[BUFFER]
    if ours.is_set and theirs.is_set and ours.value != theirs.value:
        yield Said(
            ours,
            f"max_tokens_in_buffer is {ours.value} on {decode.name} but {theirs.value} on "
            f"{prefill.name}",
            "write the larger one on both sides",
            also=[(theirs, f"{theirs.value} on {prefill.name}")],
        )
