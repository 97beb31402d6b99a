"""What somebody could ask for, in a word or two."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gptoss.facts.world import Facts
from gptoss.planning.layouts import KvType, Layout
from gptoss.planning.searching.space import Wish

if TYPE_CHECKING:
    from gptoss.deployment.model import Role

FACTS = Facts()


def wish(gpu: str, gpus: int, isl: int, osl: int, **more: Any) -> Wish:
    """A wish with a KV cache of FP8 unless said."""
    return Wish(FACTS.gpu(gpu), gpus, isl, osl, **{"kv": KvType.FP8} | more)


def much_room(layout: Layout, role: Role, max_batch_size: int, max_num_tokens: int) -> int:  # noqa: ARG001
    """Three million tokens on each GPU."""
    return 3_000_000 * (1 if layout.attention_dp else layout.gpus)
