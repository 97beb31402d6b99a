"""Flags of vLLM as engine settings of TensorRT-LLM, where one says what the other does.

What the flags mean: vllm-project/vllm v0.11, docs/configuration and vllm/engine/arg_utils.py.
"""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

from gptoss.deployment.hub import is_commit
from gptoss.text.places import Located

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gptoss.importing.charts.carrying import Carrying

    Flags = dict[str, Located[str]]

SHORT = {"tp": "tensor-parallel-size", "pp": "pipeline-parallel-size", "dp": "data-parallel-size"}
ON, OFF = "true", "false"
TENSOR, PIPELINE, DATA = (SHORT[name] for name in ("tp", "pp", "dp"))
EXPERTS = "enable-expert-parallel"
SIZES = {
    "max-model-len": "max_seq_len",
    "max-num-seqs": "max_batch_size",
    "max-num-batched-tokens": "max_num_tokens",
}
CHUNKED = "enable-chunked-prefill"
SWITCHES = {
    "enable-prefix-caching": "kv_cache_config.enable_block_reuse",
    CHUNKED: "enable_chunked_prefill",
}
NUMBER = re.compile(r"(\d+(?:\.\d+)?)([kKmMgG]?)")
UNITS = {"": 1, "k": 1000, "m": 10**6, "g": 10**9, "K": 2**10, "M": 2**20, "G": 2**30}
CHART = "the chart sets its own"
REASONS = {
    "host": CHART,
    "port": CHART,
    "download-dir": "the chart downloads into its model cache",
    "reasoning-parser": CHART,
    "tool-call-parser": CHART,
    "enable-auto-tool-choice": "tool calls are always on",
    "api-key": "the server asks for none; a gateway in front of it does",
    "dtype": "the weights are MXFP4, and TensorRT-LLM takes bfloat16 beside them",
    "quantization": "quantization.override has TensorRT-LLM's kinds",
    "gpu-memory-utilization": "a share of the whole GPU, weights included; "
    "engine.kv_cache_config.free_gpu_memory_fraction is one of what the weights leave",
    "enforce-eager": "CUDA graphs stay on; engine.cuda_graph_config has them",
    "block-size": "engine.kv_cache_config.tokens_per_block has TensorRT-LLM's sizes",
    "async-scheduling": "TensorRT-LLM's overlap scheduler is on unless turned off",
    "kv-transfer-config": "engine.cache_transceiver_config carries the KV cache",
    "trust-remote-code": "the checkpoint brings no code",
}


def flags_of(words: Iterable[Located[str]]) -> Flags:
    """The flags of a ``vllm serve`` command line by name, without their hyphens.

    The model, where it stands without a flag, is called ``model``.
    """
    found: Flags = {}
    waiting = ""
    for word in _single(words):
        text = word.value
        if text.startswith("-") and not text.lstrip("-")[:1].isdigit():
            name, equals, value = text.lstrip("-").partition("=")
            name = SHORT.get(name, name.replace("_", "-"))
            off = name.startswith("no-")
            found[name.removeprefix("no-")] = Located(
                value if equals else OFF if off else ON, word.place
            )
            waiting = "" if equals or off else name
        elif waiting:
            found[waiting] = word
            waiting = ""
        elif text not in ("vllm", "serve"):
            found.setdefault("model", word)
    return found


def _single(words: Iterable[Located[str]]) -> Iterable[Located[str]]:
    """The words, those of a shell command line one by one."""
    for word in words:
        if "vllm serve" in word.value:
            line = word.value.partition("vllm serve")[2].replace("\\\n", " ")
            try:
                parts = shlex.split(line, comments=True)
            except ValueError:
                parts = line.split()
            yield from (Located(part, word.place) for part in parts)
        else:
            yield word


def carry_flags(flags: Flags, worker: str, gpus: Located[str] | None, carrying: Carrying) -> None:
    """Puts what flags say under a worker's engine, and says what of them is left out.

    Args:
        flags: The flags by name.
        worker: Name of the worker.
        gpus: GPUs that one pod asks for.
        carrying: The import.
    """
    rest = dict(flags)
    _carry_parallel(rest, worker, gpus, carrying)
    for name, key in SIZES.items():
        _carry_number(rest, name, f"workers.{worker}.engine.{key}", carrying)
    for name, key in SWITCHES.items():
        if flag := rest.pop(name, None):
            _put(carrying, f"workers.{worker}.engine.{key}", flag.value.lower() != OFF, name, flag)
    if CHUNKED not in flags:
        carrying.choose(f"workers.{worker}.engine.{SWITCHES[CHUNKED]}", True, "as vLLM by default")
    dtype = rest.pop("kv-cache-dtype", None)
    if dtype and dtype.value.startswith("fp8"):
        key = f"workers.{worker}.engine.kv_cache_config.dtype"
        _put(carrying, key, "fp8", "kv-cache-dtype", dtype)
    revision = rest.get("revision")
    if revision and is_commit(revision.value):
        _put(carrying, "model.revision", revision.value, "revision", rest.pop("revision"))
    for name, flag in rest.items():
        if name not in ("model", "served-model-name"):
            why = REASONS.get(name, "TensorRT-LLM has no like of it, or another name")
            carrying.left_out(f"{worker}: --{name}: {why}", flag.place)


def _carry_parallel(
    rest: Flags, worker: str, gpus: Located[str] | None, carrying: Carrying
) -> None:
    """Puts the parallel sizes: tensor, pipeline, experts, and data as attention data parallelism.

    With data parallelism vLLM spreads the experts over all ranks and runs attention on each, which
    is what attention data parallelism of TensorRT-LLM does.
    """
    engine = f"workers.{worker}.engine"
    tensor, data = rest.pop(TENSOR, None), rest.pop(DATA, None)
    experts = rest.pop(EXPERTS, None)
    ranks, copies = _whole(tensor), _whole(data)
    source, name = tensor, TENSOR
    if data and copies > 1 and ranks == 1:
        source, name, ranks = data, DATA, copies
        _put(carrying, f"{engine}.enable_attention_dp", True, DATA, data)
    elif data and copies > 1:
        told = f"--{DATA} {copies} of {ranks} GPUs each: TensorRT-LLM has attention data "
        told += "parallelism of single GPUs only; raise replicas instead"
        carrying.left_out(f"{worker}: {told}", data.place)
    pipeline = _whole(rest.get(PIPELINE))
    if source is None and gpus and _whole(gpus) > 1 and pipeline == 1:
        source, name, ranks = gpus, "", _whole(gpus)
    if source:
        _put(carrying, f"{engine}.tensor_parallel_size", ranks, name, source)
    if experts and experts.value != OFF and ranks > 1:
        _put(carrying, f"{engine}.moe_expert_parallel_size", ranks, EXPERTS, experts)
    _carry_number(rest, PIPELINE, f"{engine}.pipeline_parallel_size", carrying)
    needed = ranks * pipeline
    if gpus and _whole(gpus) != needed:
        carrying.mended(
            f"{worker}: it asks for {gpus.value} GPUs, but its parallel sizes need {needed}; the "
            "chart gives it as many as they need",
            gpus.place,
        )


def _carry_number(rest: Flags, name: str, to: str, carrying: Carrying) -> None:
    flag = rest.get(name)
    number = NUMBER.fullmatch(flag.value) if flag else None
    if flag and number:
        del rest[name]
        _put(carrying, to, int(float(number[1]) * UNITS[number[2]]), name, flag)


def _put(carrying: Carrying, to: str, value: object, name: str, at: Located[str]) -> None:
    carrying.choose(to, value, f"{at.place.file}:{at.place.line} {name}".rstrip())


def _whole(flag: Located[str] | None) -> int:
    """A size; 1 where there is none or it is no number."""
    return int(flag.value) if flag and flag.value.isdecimal() and int(flag.value) else 1
