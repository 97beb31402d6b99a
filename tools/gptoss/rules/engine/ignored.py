"""Which settings of the engine YAML do nothing, or soon will not?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.facts.engine_keys import EngineSchema, schema_for
from gptoss.rules.engine.validators import amount, is_given, is_on, others, shown
from gptoss.rules.readings import written
from gptoss.rules.rule import Need, Said, Severity, rule
from gptoss.rules.subjects import WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Worker
    from gptoss.facts.world import Facts, Release

DTYPE = "kv_cache_config.dtype"
SPECULATION = "speculative_config"
SAVED = "SaveState decodes one request at a time, without overlap scheduler and CUDA graphs"
SOURCE = (
    "NVIDIA/TensorRT-LLM tensorrt_llm/llmapi/llm_args.py, validators and fields of the versions "
    "that schema/engine names"
)

# A setting, what it says there, why it does nothing, and the settings that make it so.
Ignored = tuple[str, str, tuple[str, ...]]


@rule(
    "E015",
    "engine-setting-ignored",
    Severity.WARNING,
    of=WORKERS,
    needs=(Need.ENGINE, Need.RELEASE),
)
def engine_setting_ignored(worker: Worker, release: Release, facts: Facts) -> Iterator[Said]:
    """A setting of the engine YAML has no effect beside the others.

    The engine starts, at most with a line in its log, and does something else than is written.
    """
    schema = schema_for(facts, release.trtllm)
    for key, reason, also in _ignored(worker, schema):
        setting = worker.engine[key]
        if setting.is_set and schema.has(key):
            yield Said(
                setting,
                f"{key} is {shown(setting.value)}, but {reason}",
                f"remove it, or change {also[0]}" if also else "remove it",
                also=others(worker, key, also),
            )


def _ignored(worker: Worker, schema: EngineSchema) -> Iterator[Ignored]:
    text = worker.engine.text
    names = (schema.field(DTYPE) or {}).get("tolerated_ci", ())
    if (text(DTYPE) or "").lower() in names:
        yield DTYPE, "the engine takes only auto, fp8 and nvfp4 into account", ()
    if is_on(worker, "enable_iter_req_stats") and not is_on(worker, "enable_iter_perf_stats"):
        also = ("enable_iter_perf_stats",)
        yield "enable_iter_req_stats", "enable_iter_perf_stats is off", also
    if is_on(worker, "enable_lora") and is_given(worker, "lora_config"):
        yield "enable_lora", "lora_config decides when it is there", ()
    if is_given(worker, "checkpoint_format") and is_given(worker, "checkpoint_loader"):
        yield "checkpoint_loader", "checkpoint_format decides when it is there", ()
    yield from _unread_blocks(worker)
    yield from _early_first_token(worker)
    yield from _speculation(worker)


def _unread_blocks(worker: Worker) -> Iterator[Ignored]:
    for setting in worker.engine.under("scheduler_config.dynamic_batch_config"):
        if setting.value is not None and written(setting):
            yield setting.key, "only the TensorRT backend reads it", ()
    if str(worker.engine["load_format"].value).upper() != "GMS":
        for setting in worker.engine.under("gms_config"):
            yield setting.key, "load_format is not GMS", ("load_format",)
    if worker.engine.text("checkpoint_format") != "MX":
        reason, also = "checkpoint_format is not MX", ("checkpoint_format",)
        if is_given(worker, "mx_config.server_url"):
            yield "mx_config.server_url", reason, also


def _early_first_token(worker: Worker) -> Iterator[Ignored]:
    key, backend = "enable_early_first_token_response", "cache_transceiver_config.backend"
    if not is_on(worker, key):
        return
    if is_on(worker, "disable_overlap_scheduler"):
        yield key, "the overlap scheduler is off", ("disable_overlap_scheduler",)
    elif is_given(worker, backend):
        yield key, "a KV cache transceiver switches it off", (backend,)


def _speculation(worker: Worker) -> Iterator[Ignored]:
    kind = worker.engine.text(f"{SPECULATION}.decoding_type")
    length, layers = f"{SPECULATION}.max_draft_len", f"{SPECULATION}.num_nextn_predict_layers"
    given, used = amount(worker, length), amount(worker, layers) or 1
    if kind == "MTP" and given is not None and given != used:
        yield length, f"MTP drafts num_nextn_predict_layers ({used:g}) tokens", (layers,)
    if kind == "SaveState":
        if (amount(worker, "max_batch_size") or 1) > 1:
            yield "max_batch_size", SAVED, (f"{SPECULATION}.decoding_type",)
        for setting in worker.engine.under("cuda_graph_config"):
            if setting.value is not None:
                yield setting.key, SAVED, (f"{SPECULATION}.decoding_type",)


@rule(
    "E016",
    "engine-setting-deprecated",
    Severity.INFO,
    of=WORKERS,
    needs=(Need.ENGINE, Need.RELEASE),
)
def engine_setting_deprecated(worker: Worker, release: Release, facts: Facts) -> Iterator[Said]:
    """A setting of the engine YAML is deprecated in this version.

    It still works and goes with a later release; what replaces it already works here.
    """
    schema = schema_for(facts, release.trtllm)
    for setting in worker.engine:
        field = schema.field(setting.key)
        if field is None or not schema.is_deprecated(field) or not written(setting):
            continue
        instead = field.get("use_instead")
        yield Said(
            setting,
            f"{setting.key} is deprecated in TensorRT-LLM {schema.version}",
            f"write {instead}" if instead else "remove it",
        )
    yield from _deprecated_speculation(worker)


def _deprecated_speculation(worker: Worker) -> Iterator[Said]:
    kind = worker.engine[f"{SPECULATION}.decoding_type"]
    if kind.value == "Eagle":
        message = "decoding_type Eagle is taken for Eagle3 on the PyTorch backend"
        yield Said(kind, message, "write decoding_type: Eagle3")
    for name in ("eagle3_one_model", "mtp_eagle_one_model"):
        switch = worker.engine[f"{SPECULATION}.{name}"]
        if switch.is_set and switch.value is False:
            message = f"{name}: false (two models) goes with TensorRT-LLM 1.4"
            yield Said(switch, message, f"write {name}: true")
