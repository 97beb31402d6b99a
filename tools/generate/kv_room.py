"""The table of docs/choosing.md: what the KV cache of one replica holds, by GPU and parallelism."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from generate.markdown import table
from gptoss.facts.world import Facts
from gptoss.showing.kv_room import kv_room
from gptoss.sources.load import load
from gptoss.sources.request import Request

if TYPE_CHECKING:
    from gptoss.facts.world import Gpu

SIZES = (1, 2, 4, 8)
# What gpt-oss takes on Blackwell; on Hopper only bfloat16 is supported.
DTYPES = {True: "fp8", False: "auto"}


def kv_room_table() -> str:
    """A row a kind of GPU, with millions of tokens for each number of GPUs of a replica."""
    columns = [(size, False) for size in SIZES] + [(size, True) for size in SIZES[2:]]
    names = [f"{size} × ADP" if adp else f"TP{size}" for size, adp in columns]
    rows = [["GPU", "type", *names], ["---", "---", *["--:"] * len(names)]]
    for gpu in sorted(Facts().gpus.values(), key=lambda gpu: gpu.memory_gib):
        cells = [_millions(gpu, size, adp) for size, adp in columns]
        rows.append([gpu.name, DTYPES[gpu.is_blackwell], *cells])
    return table(rows)


def _millions(gpu: Gpu, size: int, adp: bool) -> str:
    """Tokens that a replica of so many GPUs holds; nothing where one node has fewer."""
    if size > gpu.per_node:
        return ""
    engine = {
        "tensor_parallel_size": size,
        "moe_expert_parallel_size": size,
        "enable_attention_dp": adp,
        "kv_cache_config": {"dtype": DTYPES[gpu.is_blackwell]},
    }
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "engine.yaml")
        file.write_text(json.dumps(engine), encoding="utf-8")
        request = Request((str(file),), gpu=gpu.key, gpus=size, roles=("aggregated",))
        (deployment,) = load(request).deployments
    room = kv_room(deployment.workers[0], deployment)
    return f"{room.tokens / 1e6:.1f}" if room else ""
