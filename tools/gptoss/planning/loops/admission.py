"""How many requests a rank takes at once, and what forbids more."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gptoss.memory.engine_shapes import BLOCK
from gptoss.planning.prediction import Bottleneck
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from gptoss.planning.layouts import Engine, Load


class Places(NamedTuple):
    """Requests that a rank has in its batch at most, and what forbids more."""

    requests: int
    because: Bottleneck


def answering(engine: Engine, load: Load) -> Places:
    """Places of a rank that answers.

    TensorRT-LLM starts a request when blocks for all of its tokens are free, so that none has to
    be stopped later (its capacity scheduler's default, GUARANTEED_NO_EVICT).

    Raises:
        InputError: Not one request fits.
    """
    by_batch = engine.max_batch_size
    by_kv = engine.kv_tokens // in_blocks(load.isl + load.osl)
    if by_kv < 1:
        raise does_not_fit(load.isl + load.osl, engine)
    return Places(by_kv, Bottleneck.KV_ROOM) if by_kv < by_batch else batch_places(by_batch)


def aggregated(engine: Engine, load: Load) -> Places:
    """Places of a rank that answers and computes prompts beside.

    Raises:
        InputError: Not one request fits.
    """
    places = answering(engine, load)
    prompt = 1 if engine.chunked_prefill else load.isl
    beside = engine.max_num_tokens - prompt + 1
    if beside < 1:
        raise too_long(load, engine)
    return places if places.requests <= beside else batch_places(beside)


def prompts(engine: Engine, load: Load) -> float:
    """Prompts of one pass of a rank that only prefills; below one where a prompt takes several.

    Raises:
        InputError: Not one prompt fits.
    """
    by_kv = engine.kv_tokens // in_blocks(load.isl)
    if by_kv < 1:
        raise does_not_fit(load.isl, engine)
    by_tokens = engine.max_num_tokens / load.isl
    if not engine.chunked_prefill:
        by_tokens = float(int(by_tokens))
    if by_tokens <= 0:
        raise too_long(load, engine)
    return min(by_tokens, float(engine.max_batch_size), float(by_kv))


def in_blocks(tokens: int) -> int:
    """Tokens of the blocks that hold so many."""
    return -(-tokens // BLOCK) * BLOCK


def batch_places(count: int) -> Places:
    """Places that the engine's settings allow."""
    return Places(count, Bottleneck.BATCH)


def does_not_fit(tokens: int, engine: Engine) -> InputError:
    """What to raise where the KV cache holds no request."""
    return InputError(
        f"a request takes {tokens:,} tokens of KV cache, and a rank of {engine.layout} on "
        f"{engine.layout.gpu} holds {engine.kv_tokens:,}: raise the memory for it or take more GPUs"
    )


def too_long(load: Load, engine: Engine) -> InputError:
    """What to raise where no prompt can be computed."""
    return InputError(
        f"a prompt of {load.isl:,} tokens does not fit into max_num_tokens "
        f"{engine.max_num_tokens:,}: raise it, or set enable_chunked_prefill"
    )
