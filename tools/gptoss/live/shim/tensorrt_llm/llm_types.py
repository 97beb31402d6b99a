"""Types of TensorRT-LLM that Dynamo's workers fill in, read or catch."""

from __future__ import annotations

import itertools
import json
import time
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import yaml

from .stand_in_modules import Placeholder

# Defaults of the flags that dynamo.trtllm takes from TensorRT-LLM.
SIZES = {"max_batch_size": 2048, "max_num_tokens": 8192, "max_seq_len": None, "max_beam_width": 1}
_request_numbers = itertools.count(1)


class RequestError(RuntimeError):
    """The engine refuses one request."""


class EngineDeadError(RuntimeError):
    """Never raised here: the simulated engine does not die alone."""


@dataclass
class GuidedDecodingParams:
    """What the answer must look like."""

    json: Any = None
    regex: str | None = None
    grammar: str | None = None
    json_object: bool = False
    structural_tag: str | None = None


@dataclass
class SamplingParams:
    """How one request is sampled; what a worker may set of it."""

    max_tokens: int | None = 32
    min_tokens: int | None = None
    n: int = 1
    best_of: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    min_p: float | None = None
    seed: int | None = None
    repetition_penalty: float | None = None
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
    length_penalty: float | None = None
    use_beam_search: bool = False
    stop: Any = None
    stop_token_ids: list[int] | None = None
    include_stop_str_in_output: bool = False
    ignore_eos: bool = False
    detokenize: bool = True
    skip_special_tokens: bool = True
    logprobs: int | None = None
    prompt_logprobs: int | None = None
    return_perf_metrics: bool = False
    guided_decoding: GuidedDecodingParams | None = None
    logits_processor: Any = None


@dataclass
class DisaggregatedParams:
    """What prefill hands to decode."""

    request_type: str | None = None
    first_gen_tokens: list[int] | None = None
    first_gen_log_probs: list[Any] | None = None
    ctx_request_id: int | None = None
    opaque_state: bytes | None = None
    draft_tokens: list[int] | None = None
    ctx_dp_rank: int | None = None
    ctx_info_endpoint: Any = None
    disagg_request_id: int | None = None
    multimodal_embedding_handles: Any = None
    multimodal_hashes: Any = None


@dataclass
class SchedulingParams:
    """Which rank of attention data parallelism takes a request."""

    attention_dp_rank: int | None = None
    attention_dp_relax: bool | None = None


@dataclass
class CompletionOutput:
    """One answer so far, with all of its tokens."""

    index: int = 0
    token_ids: list[int] = field(default_factory=list)
    finish_reason: str | None = None
    stop_reason: str | int | None = None
    disaggregated_params: DisaggregatedParams | None = None
    logprobs: list[Any] | None = None
    cumulative_logprob: float | None = None
    request_perf_metrics: Any = None


class MetricsCollector(Placeholder):
    """Counts nothing."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *_, **__: None


def get_global_disagg_request_id(machine_id: int) -> int:
    """A number that no other request has."""
    return (machine_id << 40) | (int(time.time()) % 2**20 << 20) | next(_request_numbers)


def update_llm_args_with_extra_options(settings: dict[str, Any], path: str) -> dict[str, Any]:
    """The settings with an engine file laid over them."""
    return settings | (yaml.safe_load(Path(path).read_text(encoding="utf-8")) or {})


def tokenizer_factory(model: str, **_: Any) -> Any:
    """The tokenizer as far as a worker asks for it: the token that begins a text."""
    config = json.loads(Path(model, "generation_config.json").read_text(encoding="utf-8"))
    return SimpleNamespace(tokenizer=SimpleNamespace(bos_token_id=config["bos_token_id"]))


_BUILD_CONFIG = SimpleNamespace(
    model_fields={name: SimpleNamespace(default=value) for name, value in SIZES.items()}
)
_SAMPLING = {
    "SamplingParams": SamplingParams,
    "GuidedDecodingParams": GuidedDecodingParams,
    "DisaggregatedParams": DisaggregatedParams,
}
MODULES: dict[str, dict[str, Any]] = {
    "llmapi": _SAMPLING
    | {"BuildConfig": _BUILD_CONFIG, "ABSENT": frozenset({"ConversationParams"})},
    "llmapi.llm": _SAMPLING | {"ABSENT": frozenset({"PreprocessedInputs"})},
    "llmapi.llm_args": {"BaseLlmArgs": _BUILD_CONFIG, "TOKENIZER_ALIASES": {}},
    "llmapi.llm_utils": {"update_llm_args_with_extra_options": update_llm_args_with_extra_options},
    "llmapi.disagg_utils": {"get_global_disagg_request_id": get_global_disagg_request_id},
    "llmapi.tokenizer": {"tokenizer_factory": tokenizer_factory},
    "executor.request": {
        "DEFAULT_REQUEST_PRIORITY": 0.5,
        "ABSENT": frozenset({"GenerationRequest"}),
    },
    "executor.utils": {"RequestError": RequestError, "EngineDeadError": EngineDeadError},
    "sampling_params": _SAMPLING,
    "scheduling_params": {"SchedulingParams": SchedulingParams},
    "disaggregated_params": _SAMPLING,
    "metrics": {"MetricsCollector": MetricsCollector},
    "metrics.collector": {"MetricsCollector": MetricsCollector},
}
