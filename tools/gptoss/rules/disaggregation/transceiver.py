"""Can the KV cache travel from prefill to decode?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gptoss.rules.disaggregation.transports import (
    BACKEND,
    BLOCK,
    BUFFER,
    CPP,
    NIXL,
    RUNTIME,
    backend_of,
    is_before,
    longest_prompt,
    runtime_of,
)
from gptoss.rules.right_answers import engine_value
from gptoss.rules.rule import Need, Said, Severity, rule
from gptoss.rules.subjects import PAIRS, SPLIT_WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Deployment, Worker

# The buffer holds max_seq_len from here on when nobody says otherwise (NVIDIA/TensorRT-LLM #11082).
BUFFER_BY_LENGTH = "1.3.0rc3"


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
    neither sets nor checks it. The worker starts, and the engine refuses every request of a prefill
    or decode worker: "kv_cache_transceiver is disabled".
    """
    backend = worker.engine[BACKEND]
    if backend.value is None:
        yield Said(
            backend,
            f"{BACKEND} is not set, so no KV cache is transferred and every request is refused",
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
def transceiver_buffer_not_whole_blocks(worker: Worker, deployment: Deployment) -> Iterator[Said]:
    """The buffer of the C++ transceiver does not hold a whole number of KV cache blocks.

    The buffer is cut into blocks; the engine checks that nothing remains and stops otherwise. The
    Python transceiver (transceiver_runtime) has no such buffer and takes any number.
    """
    if runtime_of(worker, deployment.release) != CPP:
        return
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
    """The buffer of the C++ transceiver cannot hold the longest prompt.

    A longer prompt goes through memory that is allocated on the way, which is slow and may take
    what GPU memory is left, and with NIXL the transfer fails: what it sends has to be registered
    beforehand. Unset, the buffer holds
    max_seq_len from TensorRT-LLM 1.3.0rc3 on, and 512 MB before.
    """
    release, longest = deployment.release, longest_prompt(deployment)
    if runtime_of(worker, release) != CPP or worker.engine[BACKEND].value is None:
        return
    buffer, tokens = worker.engine[BUFFER], worker.engine.whole(BUFFER)
    by_nixl = backend_of(worker, release) == NIXL
    then = "fail with NIXL" if by_nixl else "go through memory allocated on the way"
    if buffer.value is None and by_nixl and is_before(release, BUFFER_BY_LENGTH):
        yield Said(
            buffer,
            f"max_tokens_in_buffer is not set, and prompts that 512 MB do not hold {then}",
            f"write max_tokens_in_buffer: {longest.tokens if longest else 'the longest prompt'}",
        )
    elif tokens is not None and longest and tokens < longest.tokens:
        yield Said(
            buffer,
            f"max_tokens_in_buffer {tokens} is less than prompts may have ({longest.tokens} "
            f"tokens); longer ones {then}",
            f"write a multiple of tokens_per_block of at least {longest.tokens}",
            also=[(longest.said, f"prompts of up to {longest.tokens} tokens")],
        )


@rule(
    "D005",
    "prefill-and-decode-disagree",
    Severity.ERROR,
    of=PAIRS,
    needs=(Need.ENGINE,),
)
def prefill_and_decode_disagree(
    prefill: Worker, decode: Worker, deployment: Deployment
) -> Iterator[Said]:
    """Prefill and decode differ in how the KV cache is stored or sent.

    Blocks travel as they are. Both sides have to agree on the data type, the tokens a block (which
    only the Python transceiver may make good) and the transceiver, or the transfer is refused.
    Parallel sizes may differ.
    """
    release = deployment.release
    runtimes = [runtime_of(worker, release) for worker in (decode, prefill)]
    pairs = {
        "kv_cache_config.dtype": _values("kv_cache_config.dtype", decode, prefill),
        BLOCK: _values(BLOCK, decode, prefill) if runtimes == [CPP, CPP] else None,
        BACKEND: tuple(backend_of(worker, release) for worker in (decode, prefill)),
        RUNTIME: tuple(runtimes),
    }
    for key, values in pairs.items():
        if values is None or (None in values and key in (BACKEND, RUNTIME)):
            continue
        if _plain(values[0]) == _plain(values[1]):
            continue
        ours, theirs = decode.engine[key], prefill.engine[key]
        at, other = (ours, theirs) if ours.is_set or not theirs.is_set else (theirs, ours)
        yield Said(
            at,
            f"{key} is {_shown(values[0])} on {decode.name} but {_shown(values[1])} on "
            f"{prefill.name}: the KV cache cannot be handed over",
            "write the same value on both sides",
            also=[(other, f"the other side says {_shown(other.value)}")],
        )


def _values(key: str, decode: Worker, prefill: Worker) -> tuple[Any, Any]:
    return decode.engine[key].value, prefill.engine[key].value


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
def transceiver_buffers_differ(
    prefill: Worker, decode: Worker, deployment: Deployment
) -> Iterator[Said]:
    """Prefill and decode have transceiver buffers of different sizes, and one may be too small.

    A prompt that the buffer does not hold is sent in pieces of its size, and the two sides then
    cut it differently: transfers have failed with "Message truncated". Prompts that both buffers
    hold are not concerned.
    """
    ours, theirs = decode.engine[BUFFER], prefill.engine[BUFFER]
    sizes = [worker.engine.whole(BUFFER) for worker in (decode, prefill)]
    if None in sizes or sizes[0] == sizes[1]:
        return
    if any(runtime_of(worker, deployment.release) != CPP for worker in (decode, prefill)):
        return
    longest = longest_prompt(deployment)
    if longest is None or min(size for size in sizes if size is not None) < longest.tokens:
        yield Said(
            ours,
            f"max_tokens_in_buffer is {ours.value} on {decode.name} but {theirs.value} on "
            f"{prefill.name}",
            "write the larger one on both sides",
            also=[(theirs, f"{theirs.value} on {prefill.name}")],
        )
