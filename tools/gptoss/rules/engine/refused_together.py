"""Settings of the engine YAML that the engine refuses together, outside speculative decoding."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.rules.engine.validators import Conflict, amount, amounts, is_given, is_on

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Worker

BLACKWELL = 100
DEFAULT_BLOCK = 32
CONNECTOR_PARTS = ("connector_module", "connector_scheduler_class", "connector_worker_class")

# Switches and settings that exclude each other: validator, setting, the other.
EXCLUSIVE = (
    ("hook_needs_tokenizer", "post_processor_hook", "skip_tokenizer_init"),
    ("encode_modes", "encode_only", "mm_encoder_only"),
    ("encode_modes", "encode_only", "torch_compile_config.enable_piecewise_cuda_graph"),
    ("beam_d2h", "enable_speculative_beam_history_d2h", "sampler_force_async_worker"),
    (
        "kv_mamba_dup",
        "kv_cache_config.mamba_state_cache_interval",
        "kv_cache_config.mamba_state_config.periodic_snapshot_interval",
    ),
)
# Settings that need another: validator, setting, the other.
DEPENDENT = (("kv_disk", "kv_cache_config.disk_cache_size", "kv_cache_config.disk_cache_path"),)


def exclusive(worker: Worker) -> Iterator[Conflict]:
    """Two settings of which only one may be there."""
    for validator, key, other in EXCLUSIVE:
        if _in_use(worker, key) and _in_use(worker, other):
            yield Conflict(
                validator, key, f"{key} and {other} are both set", "keep one of them", (other,)
            )


def incomplete(worker: Worker) -> Iterator[Conflict]:
    """A setting without another that it needs."""
    for validator, key, other in DEPENDENT:
        if amount(worker, key) and not is_given(worker, other):
            yield Conflict(validator, key, f"{key} is set but {other} is not", f"set {other}")
    mode = "layer_wise_benchmarks_config.calibration_mode"
    path = "layer_wise_benchmarks_config.calibration_file_path"
    if worker.engine.text(mode) == "COLLECT" and not is_given(worker, path):
        yield Conflict("layerwise", mode, f"{mode} is COLLECT but {path} is not set", f"set {path}")
    if worker.engine.text("orchestrator_type") != "ray":
        for key in ("ray_worker_extension_cls", "ray_placement_config"):
            if is_given(worker, key):
                at = worker.engine.under(key)[0].key
                message = f"{key} is set but orchestrator_type is not ray"
                yield Conflict("ray_only", at, message, "remove it", ("orchestrator_type",))


def attention_balance(worker: Worker) -> Iterator[Conflict]:
    """Negative waits of balanced attention data parallelism."""
    if is_on(worker, "attention_dp_config.enable_balance"):
        for name in ("batching_wait_iters", "timeout_iters"):
            key = f"attention_dp_config.{name}"
            wait = amount(worker, key)
            if wait is not None and wait < 0:
                message = f"{key} is {wait:g}, but enable_balance takes 0 or more"
                yield Conflict("adp_balance", key, message, f"write {name}: 0 or more")


def graph_pairs(worker: Worker) -> Iterator[Conflict]:
    """Largest sizes of encoder graphs that their lists do not end with."""
    for largest, listed in (("max_num_token", "num_tokens"), ("max_seq_len", "seq_lens")):
        key, other = f"cuda_graph_config.{largest}", f"cuda_graph_config.{listed}"
        size, sizes = amount(worker, key), amounts(worker, other)
        if size and sizes and size != max(sizes):
            message = f"{key} is {size:g}, but the largest of {listed} is {max(sizes):g}"
            yield Conflict("cudagraph_encode", key, message, "write one of the two only", (other,))


def expert_slots(worker: Worker) -> Iterator[Conflict]:
    """Expert slots that the expert parallel size does not divide."""
    block, key = "moe_config.load_balancer", "moe_config.load_balancer.num_slots"
    inside = [setting for setting in worker.engine.under(block) if setting.key != block]
    slots, size = amount(worker, key), worker.engine.whole("moe_expert_parallel_size")
    if inside and slots is None and worker.engine[key].value is None:
        yield Conflict("moe_slots", inside[0].key, f"{block} has no num_slots", "set num_slots")
    elif slots is not None and size and size > 0 and slots % size:
        yield Conflict(
            "moe_slots",
            key,
            f"num_slots {slots:g} is not divisible by moe_expert_parallel_size {size}",
            f"write a multiple of {size}",
            ("moe_expert_parallel_size",),
        )


def unsupported(worker: Worker) -> Iterator[Conflict]:
    """Settings that are there but never work, or not on this GPU."""
    prefetch = "peft_cache_config.lora_prefetch_dir"
    if is_given(worker, prefetch):
        yield Conflict("lora_prefetch", prefetch, f"{prefetch} is set", "remove it")
    if worker.gpu and worker.gpu.sm < BLACKWELL:
        for key in ("use_cute_dsl_bf16_bmm", "use_cute_dsl_bf16_gemm"):
            if is_on(worker, key):
                message = f"{key} needs Blackwell, but the GPU is {worker.gpu.name}"
                yield Conflict("cute_dsl_sm", key, message, "remove it")
    balancer = "moe_config.load_balancer"
    loads = str(worker.engine["load_format"].value).upper() == "GMS"
    if loads and is_given(worker, balancer):
        message = f"load_format GMS and {balancer} are both set"
        also = (worker.engine.under(balancer)[0].key,)
        yield Conflict("gms_moe", "load_format", message, "keep one of them", also)


def connector(worker: Worker) -> Iterator[Conflict]:
    """A KV connector without a preset that lacks its module or classes."""
    block = "kv_connector_config"
    if not is_given(worker, block) or is_given(worker, f"{block}.connector"):
        return
    missing = [name for name in CONNECTOR_PARTS if not is_given(worker, f"{block}.{name}")]
    if missing:
        at = worker.engine.under(block)[0].key
        named = " and ".join(missing)
        yield Conflict("connector_preset", at, f"{block} lacks {named}", f"set {named}")


def helix_blocks(worker: Worker) -> Iterator[Conflict]:
    """Helix parallelism whose blocks are not those of the KV cache."""
    key, other = "cp_config.tokens_per_block", "kv_cache_config.tokens_per_block"
    helix = str(worker.engine["cp_config.cp_type"].value).upper() == "HELIX"
    ours, cache = amount(worker, key), amount(worker, other) or DEFAULT_BLOCK
    if helix and (amount(worker, "context_parallel_size") or 1) > 1 and ours not in (None, cache):
        message = f"{key} is {ours:g}, but {other} is {cache:g}"
        yield Conflict("helix", key, message, f"write tokens_per_block: {cache:g}", (other,))


CONFLICTS = (
    exclusive,
    incomplete,
    attention_balance,
    graph_pairs,
    expert_slots,
    unsupported,
    connector,
    helix_blocks,
)


def _in_use(worker: Worker, key: str) -> bool:
    """Whether a switch is on, or a setting that is no switch is given."""
    value = worker.engine[key].value
    if value is None or not worker.engine[key].is_set:
        return False
    return value if isinstance(value, bool) else value not in (0, "")
