"""What is in force on each worker, who sets it, and what it beats."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from gptoss.deployment.model import Runtime
from gptoss.deployment.settings import Layer
from gptoss.showing.job_lines import job_lines, jobs_json
from gptoss.showing.kv_room import in_words, kv_room
from gptoss.showing.scaling_lines import scaling_json, scaling_lines
from gptoss.showing.way_lines import way_lines, ways_json
from gptoss.showing.weights_line import weights_json, weights_line
from gptoss.text.as_json import json_line, json_text, safe
from gptoss.text.columns import columns
from gptoss.text.printable import printable
from gptoss.text.secrets import shown, words_without_secrets

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gptoss.deployment.model import Deployment, Worker
    from gptoss.deployment.pods import DeviceClaim, Pod
    from gptoss.deployment.settings import Claim, Setting
    from gptoss.text.command import Variable
    from gptoss.text.places import Place

WORDS = {
    Layer.DEFAULT: "default",
    Layer.ENVIRONMENT: "environment",
    Layer.FLAG: "flag",
    Layer.ENGINE: "engine YAML",
    Layer.OVERRIDE: "override",
}
# Shown also when nobody sets them: they decide what the worker can hold.
ALWAYS = (
    "tensor_parallel_size",
    "pipeline_parallel_size",
    "moe_expert_parallel_size",
    "enable_attention_dp",
    "max_batch_size",
    "max_num_tokens",
    "max_seq_len",
    "kv_cache_config.free_gpu_memory_fraction",
    "kv_cache_config.dtype",
    "kv_cache_config.enable_block_reuse",
    "moe_config.backend",
    "disable_overlap_scheduler",
    "enable_chunked_prefill",
)
UNKNOWN = "unknown"
VALUE_WIDTH = 20


def as_json(deployments: Sequence[Deployment]) -> str:
    """The settings as JSON: an object for one deployment, a list for several."""
    found = [_deployment_json(deployment) for deployment in deployments]
    return json_text(found[0] if len(found) == 1 else found)


def as_text(deployments: Sequence[Deployment]) -> str:
    """The settings as text, one deployment after the other."""
    return "\n\n".join(_deployment_text(deployment) for deployment in deployments)


def in_force(worker: Worker) -> list[Setting]:
    """The worker's engine settings that somebody sets, and those that decide its size."""
    keys = {setting.key for setting in worker.engine if setting.is_set} | set(ALWAYS)
    return [worker.engine[key] for key in sorted(keys)]


def _deployment_json(deployment: Deployment) -> dict[str, Any]:
    release = deployment.release
    return {
        "source": deployment.source,
        "name": deployment.name,
        "runtime": deployment.runtime.value,
        "release": release.version if release else None,
        "tensorrt_llm": release.trtllm if release else None,
        "apiVersion": deployment.api_version.value,
        "gpus": _all_gpus(deployment),
        "capacity": deployment.capacity,
        "weights": weights_json(deployment),
        "ways_in": ways_json(deployment.ways_in),
        "jobs": jobs_json(deployment),
        "workers": [_worker_json(worker, deployment) for worker in deployment.workers],
    }


def _worker_json(worker: Worker, deployment: Deployment) -> dict[str, Any]:
    room = kv_room(worker, deployment)
    return {
        "name": worker.name,
        "role": worker.role.value,
        "replicas": worker.replica_count if worker.counted else None,
        "scaling": scaling_json(worker, deployment),
        "gpus": _gpus(worker),
        "claims": [
            {"name": claim.name, "gpus": claim.gpus, "channel": claim.is_channel}
            for claim in worker.pod.device_claims
        ],
        "capacity": worker.capacity,
        "kv_cache_estimate": asdict(room) if room else None,
        "command": words_without_secrets(word.value for word in worker.command.words),
        "environment": {
            name: _variable(variable) for name, variable in sorted(worker.pod.environment.items())
        },
        "settings": [_setting_json(setting, worker) for setting in in_force(worker)],
    }


def _gpus(worker: Worker) -> int | None:
    """GPUs of one replica; None where they follow from settings that are not known."""
    return worker.gpus if worker.gpus_per_pod or worker.engine_known else None


def _all_gpus(deployment: Deployment) -> int | None:
    known = all(w.counted and _gpus(w) is not None for w in deployment.workers)
    return deployment.gpus if known else None


def _setting_json(setting: Setting, worker: Worker) -> dict[str, Any]:
    winner = setting.winner
    default = {"layer": "default" if worker.engine_known else UNKNOWN}
    return {
        "key": setting.key,
        "value": safe(setting.key, setting.value) if winner or worker.engine_known else None,
        "set_by": _claim_json(winner) if winner else default,
        "beat": [_claim_json(claim) for claim in setting.beaten],
        "lost": [_claim_json(claim) for claim in setting.lost],
    }


def _claim_json(claim: Claim) -> dict[str, Any]:
    return {
        "layer": WORDS[claim.layer],
        "spelling": claim.spelling,
        "value": safe(claim.spelling, claim.value),
        "file": claim.place.file,
        "line": claim.place.line,
    }


def _deployment_text(deployment: Deployment) -> str:
    capacity = UNKNOWN if deployment.capacity is None else f"{deployment.capacity:,} requests"
    gpus = _gpus_text(_all_gpus(deployment))
    lines = [f"{deployment.source}: {_runs_on(deployment)}, {gpus}, capacity {capacity}"]
    lines += [*weights_line(deployment), *way_lines(deployment.ways_in), *job_lines(deployment)]
    names = _short_names(deployment)
    for worker in deployment.workers:
        holds = UNKNOWN if worker.capacity is None else f"{worker.capacity:,}"
        count = worker.replica_count if worker.counted else UNKNOWN
        size = f"{count} x {_gpus_text(_gpus(worker))}, capacity {holds}"
        lines += ["", f"{worker.name} ({worker.role}): {size}"]
        lines += [f"  {line}" for line in scaling_lines(worker, deployment)]
        if worker.pod.device_claims:
            lines.append(f"  claims {', '.join(map(_claimed, worker.pod.device_claims))}")
        if mighty := _rights(worker.pod):
            lines.append(f"  outside the restricted Pod Security Standard: {', '.join(mighty)}")
        if room := kv_room(worker, deployment):
            lines.append(f"  {in_words(room)}")
        rows = [*_setting_rows(worker, names), *_plain_rows(worker, names)]
        lines += [f"  {line}" for line in columns(rows)]
    frontend = deployment.frontend
    if frontend and (told := list(scaling_lines(frontend, deployment))):
        lines += ["", f"{frontend.name}: {frontend.replica_count}", *(f"  {t}" for t in told)]
    long = {short: path for path, short in names.items() if short != path}
    if long:
        lines += ["", *(f"{short} is {path}" for short, path in sorted(long.items()))]
    return "\n".join(map(printable, lines))


def _rights(pod: Pod) -> list[str]:
    """What a pod asks for that no pod of a restricted namespace gets."""
    asked = {"runs as root": pod.root, "privileged": pod.privileged}
    rights = [name for name, place in asked.items() if place]
    rights += [mount.source for mount in pod.mounts if mount.source.startswith("hostPath")]
    return rights + [each.value for each in (*pod.capabilities, *pod.host_namespaces)]


def _claimed(claim: DeviceClaim) -> str:
    """A claim by dynamic resource allocation, with what it hands out as far as that is known."""
    if claim.is_channel:
        return f"{claim.name} (channel of a ComputeDomain)"
    return f"{claim.name} ({_gpus_text(claim.gpus)})" if claim.gpus else claim.name


def _gpus_text(gpus: int | None) -> str:
    return "GPUs unknown" if gpus is None else f"{gpus} GPUs"


def _runs_on(deployment: Deployment) -> str:
    release = deployment.release
    if deployment.runtime is Runtime.SERVE:
        version = f"TensorRT-LLM {release.trtllm}" if release else "an unknown TensorRT-LLM"
        return f"trtllm-serve of {version}"
    if release is None:
        return "unknown release"
    return f"Dynamo {release.version}, TensorRT-LLM {release.trtllm}"


def _setting_rows(worker: Worker, names: dict[str, str]) -> Iterable[tuple[str, str, str]]:
    """A row for each setting in force, followed by one for each claim that it beats."""
    for setting in in_force(worker):
        winner = setting.winner
        if not winner and not worker.engine_known:
            yield setting.key, UNKNOWN, "not among what was given"
            continue
        who = _claim_text(winner, names) if winner else "default"
        yield setting.key, _value(safe(setting.key, setting.value)), who
        for claim in setting.beaten:
            yield "  beats", _value(safe(claim.spelling, claim.value)), _claim_text(claim, names)
        for claim in setting.lost:
            yield "  lost", _value(safe(claim.spelling, claim.value)), _claim_text(claim, names)


def _plain_rows(worker: Worker, names: dict[str, str]) -> Iterable[tuple[str, str, str]]:
    """Environment and flags that are no engine settings."""
    for name, variable in sorted(worker.pod.environment.items()):
        yield (
            f"${name}",
            _value(_variable(variable)),
            f"env {_where(variable.place, names)}",
        )
    known = {claim.spelling for setting in worker.engine for claim in setting.claims}
    for word, flag, text in worker.arguments.written():
        if word.value.partition("=")[0] not in known:
            value = "on" if text is None else shown(flag, text)
            yield flag, _value(value), f"flag {_where(word.place, names)}"


def _variable(variable: Variable) -> str:
    """A variable's value, without what is secret."""
    if variable.secret:
        return "(from a Secret)"
    return shown(variable.name, variable.value or "")


def _short_names(deployment: Deployment) -> dict[str, str]:
    """Each file's shortest ending that no other file has, so that rows fit a terminal."""
    files = {
        claim.place.file
        for worker in deployment.workers
        for setting in worker.engine
        for claim in (*setting.claims, *setting.lost)
    }
    for worker in deployment.workers:
        files |= {variable.place.file for variable in worker.pod.environment.values()}
        files |= {word.place.file for word in worker.command.words}
    names = {}
    for file in files:
        parts = file.split("/")
        endings = ["/".join(parts[-count:]) for count in range(1, len(parts) + 1)]
        others = [f"/{other}" for other in files if other != file]
        names[file] = next(e for e in endings if not any(o.endswith(f"/{e}") for o in others))
    return names


def _claim_text(claim: Claim, names: dict[str, str]) -> str:
    spelled = claim.spelling if claim.layer is not Layer.ENGINE else WORDS[claim.layer]
    return f"{spelled} {_where(claim.place, names)}"


def _where(place: Place, names: dict[str, str]) -> str:
    return f"{names[place.file]}:{place.line}"


def _value(value: Any) -> str:
    text = value if isinstance(value, str) else json_line(value)
    return text if len(text) <= VALUE_WIDTH else f"…{text[-VALUE_WIDTH + 1 :]}"
