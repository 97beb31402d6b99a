"""The table of docs/choosing.md: what the KV cache of one replica holds, by GPU and parallelism."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from generate.markdown import table
from gptoss.facts.world import Facts
from gptoss.showing.kv_room import kv_room
from gptoss.sources.engine_alone import build_engine
from gptoss.text.yaml_tree import parse_documents

if TYPE_CHECKING:
    from gptoss.facts.world import Gpu

ENGINE = "engine.yaml"
SIZES = (1, 2, 4, 8)
# What gpt-oss takes on Blackwell; on Hopper only bfloat16 is supported.
DTYPES = {True: "fp8", False: "auto"}


def kv_room_table() -> str:
    """A row a kind of GPU, with millions of tokens for each number of GPUs of a replica."""
    columns = [(size, False) for size in SIZES] + [(size, True) for size in SIZES[2:]]
    names = [f"{size} × ADP" if adp else f"TP{size}" for size, adp in columns]
    rows = [["GPU", "type", *names], ["---", "---", *["--:"] * len(names)]]
    facts = Facts()
    for gpu in sorted(facts.gpus.values(), key=lambda gpu: gpu.memory_gib):
        cells = [_millions(facts, gpu, size, adp=adp) for size, adp in columns]
        rows.append([gpu.name, DTYPES[gpu.is_blackwell], *cells])
    return table(rows)


def _millions(facts: Facts, gpu: Gpu, size: int, *, adp: bool) -> str:
    """Tokens that a replica of so many GPUs holds; nothing where one node has fewer."""
    if size > gpu.per_node:
        return ""
    engine = {
        "tensor_parallel_size": size,
        "moe_expert_parallel_size": size,
        "enable_attention_dp": adp,
        "kv_cache_config": {"dtype": DTYPES[gpu.is_blackwell]},
    }
    (tree,) = parse_documents(json.dumps(engine), ENGINE)
    deployment = build_engine(tree, ENGINE, facts, gpu=gpu.key, gpus=size)
    room = kv_room(deployment.workers[0], deployment)
    return f"{room.tokens / 1e6:.1f}" if room else ""
