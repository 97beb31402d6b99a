"""The engine settings of a system that was chosen, as a values file has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gptoss.deployment.model import Role
from gptoss.planning.layouts import KvType
from gptoss.planning.searching.kv_rooms import free_fraction
from gptoss.planning.searching.space import longest_sequence

if TYPE_CHECKING:
    from gptoss.planning.layouts import Engine, System
    from gptoss.planning.searching.space import Wish

# Tokens are sent in groups of so many: fewer chunks for the frontend, and little to wait for.
STREAM_INTERVAL = 4


def workers_of(system: System, wish: Wish) -> dict[str, dict[str, Any]]:
    """``workers`` of a values file, by name."""
    if system.prefill is None:
        return {"worker": _worker(system.decode, Role.AGGREGATED, wish)}
    return {
        "prefill": _worker(system.prefill, Role.PREFILL, wish),
        "decode": _worker(system.decode, Role.DECODE, wish),
    }


def _worker(engine: Engine, role: Role, wish: Wish) -> dict[str, Any]:
    env = _environment(engine, role)
    return {
        "role": role.value,
        "replicas": engine.replicas,
        "engine": _settings(engine, role, wish),
        **({"env": env} if env else {}),
    }


def _settings(engine: Engine, role: Role, wish: Wish) -> dict[str, Any]:
    """Settings in the order in which the documented targets have them."""
    layout, length = engine.layout, longest_sequence(wish)
    settings: dict[str, Any] = {
        "tensor_parallel_size": layout.gpus,
        "moe_expert_parallel_size": layout.moe_ep,
        "enable_attention_dp": layout.attention_dp,
        "max_batch_size": engine.max_batch_size,
        "max_num_tokens": engine.max_num_tokens,
        "max_seq_len": length,
        "enable_chunked_prefill": engine.chunked_prefill,
        "disable_overlap_scheduler": role is Role.PREFILL,
        "cuda_graph_config": {"enable_padding": True, "max_batch_size": engine.max_batch_size},
        "kv_cache_config": {"free_gpu_memory_fraction": free_fraction(role)},
        "moe_config": {"backend": engine.moe_backend},
        "stream_interval": STREAM_INTERVAL,
    }
    if layout.kv is KvType.FP8:
        settings["kv_cache_config"]["dtype"] = "fp8"
    if role is not Role.AGGREGATED:
        settings["cache_transceiver_config"] = {"backend": "UCX", "max_tokens_in_buffer": length}
    return settings


def _environment(engine: Engine, role: Role) -> dict[str, str]:
    """Variables that the documented targets set, each where it does something."""
    layout, found = engine.layout, {}
    if layout.gpus > 1:
        # Ranks that read 61 GiB at once thrash a shared file system.
        found["TRT_LLM_DISABLE_LOAD_WEIGHTS_IN_PARALLEL"] = "True"
    if layout.gpus > 1 and not layout.attention_dp:
        # In 16 bits gpt-oss-120b loses about 5 points of GPQA (NVIDIA/TensorRT-LLM#16753).
        found["ALL_REDUCE_FUSION_KERNEL_ACC_FP32"] = "1"
    if layout.attention_dp and layout.gpu == "gb200":
        # DeepEP, which the engine may take by itself, fails on GB200 (Dynamo's recipe).
        found["TRTLLM_FORCE_COMM_METHOD"] = "ALLGATHER"
    if role is not Role.AGGREGATED:
        found |= {"OMPI_MCA_coll_ucc_enable": "0", "NCCL_GRAPH_REGISTER": "0"}
    return found
