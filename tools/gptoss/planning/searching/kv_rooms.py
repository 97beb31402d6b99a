"""How many tokens engines that nobody has deployed hold, from the memory of their GPUs."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from gptoss.deployment.model import Role
from gptoss.memory.engine_shapes import EngineShape, graph_sizes
from gptoss.memory.gpu_memory import gpu_memory
from gptoss.planning.searching.space import longest_sequence, moe_backend

if TYPE_CHECKING:
    from gptoss.facts.models import Model
    from gptoss.planning.layouts import Layout
    from gptoss.planning.searching.space import Room, Wish

# Prefill keeps more of its memory free, as the documented targets do: a pass over long prompts
# takes more beside the cache than any other iteration.
FREE_FRACTION = {Role.PREFILL: 0.8}
OTHER_FRACTION = 0.85


def free_fraction(role: Role) -> float:
    """``free_gpu_memory_fraction`` of a worker."""
    return FREE_FRACTION.get(role, OTHER_FRACTION)


def room_for(wish: Wish, model: Model) -> Room:
    """The KV cache of a wish's engines."""

    @cache
    def room(layout: Layout, role: Role, max_batch_size: int, max_num_tokens: int) -> int:
        length = longest_sequence(wish)
        shape = EngineShape(
            gpu=wish.gpu,
            tp=layout.gpus,
            attention_dp=layout.attention_dp,
            moe_tp=layout.gpus // layout.moe_ep,
            moe_ep=layout.moe_ep,
            moe_backend=moe_backend(wish.gpu),
            kv=layout.kv,
            max_batch_size=max_batch_size,
            max_num_tokens=max_num_tokens,
            max_seq_len=length,
            free_fraction=free_fraction(role),
            graph_sizes=graph_sizes(max_batch_size, padded=True),
            transfers=role is not Role.AGGREGATED,
            buffer_tokens=None if role is Role.AGGREGATED else length,
        )
        memory = gpu_memory(shape, model)
        return memory.kv_tokens if memory.left >= 0 else 0

    return room
