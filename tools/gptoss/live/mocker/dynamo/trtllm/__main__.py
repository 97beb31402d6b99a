"""Dynamo's own mocker with the sizes of a TensorRT-LLM worker; Dynamo reads the arguments."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import dynamo.mocker.main as mocker
import yaml
from dynamo.trtllm.args import parse_args

ROLES = {"prefill": "prefill", "decode": "decode"}
BLOCKS = "65536"


def main() -> None:
    """Becomes the mocker."""
    config = parse_args(sys.argv[1:])
    path = config.extra_engine_args
    engine = yaml.safe_load(Path(path).read_text(encoding="utf-8")) if path else {}
    mode = getattr(config.disaggregation_mode, "value", config.disaggregation_mode)
    sizes = {
        "--max-num-seqs": engine.get("max_batch_size", config.max_batch_size),
        "--max-num-batched-tokens": engine.get("max_num_tokens", config.max_num_tokens),
        "--block-size": engine.get("kv_cache_config", {}).get("tokens_per_block", 32),
        "--speedup-ratio": os.environ["GPTOSS_SIMULATED_SPEED"],
        "--num-gpu-blocks-override": BLOCKS,
        "--disaggregation-mode": ROLES.get(mode, "agg"),
        "--model-path": config.model,
        "--model-name": config.served_model_name,
        "--endpoint": f"dyn://{config.namespace}.{config.component}.{config.endpoint}",
    }
    if engine.get("enable_attention_dp"):
        sizes["--data-parallel-size"] = engine.get("tensor_parallel_size", 1)
    words = [str(word) for pair in sizes.items() for word in pair]
    sys.argv = ["dynamo.mocker", *words]
    mocker.main()


if __name__ == "__main__":
    main()
