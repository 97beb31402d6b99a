"""Does a kernel exist for this MoE backend, activation type and GPU?

gpt-oss comes with MXFP4 experts. What the activations are turned into (the quantisation
algorithm) and the backend that multiplies them must both exist for the GPU's generation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.deployment.moe_backends import backend_of
from gptoss.facts.moe_kernels import moe_kernels
from gptoss.facts.versions import version_number
from gptoss.rules.kernels.matrix import (
    OVERRIDE,
    default_algorithm,
    override_of,
)
from gptoss.rules.rule import Need, Said, Severity, rule
from gptoss.rules.subjects import WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Deployment, Worker
    from gptoss.facts.world import Facts, Model, Release


@rule(
    "M001",
    "moe-backend-not-for-model",
    Severity.ERROR,
    of=WORKERS,
    needs=(Need.ENGINE, Need.MODEL),
)
def moe_backend_not_for_model(
    worker: Worker, model: Model, deployment: Deployment, facts: Facts
) -> Iterator[Said]:
    """The MoE backend has no kernels for the model's expert layers.

    gpt-oss has a bias and a clamped SwiGLU in its experts, which only some backends support; the
    others stop with an assertion while the model is built. From Dynamo 1.5 on some of them are
    replaced instead.
    """
    known = facts.engine_fields.get("moe_config.backend", {}).get("enum") or ()
    backend = worker.engine["moe_config.backend"]
    if backend.value not in known or backend.value in model.moe_backends:
        return
    found = moe_kernels().backends.get(str(backend.value))
    if found is None or found.stops(deployment.release):
        yield Said(
            backend,
            f"moe_config.backend {backend.value} cannot run the experts of {model.id}",
            f"use one of {', '.join(model.moe_backends)}",
        )


@rule(
    "M002",
    "moe-kernel-missing",
    Severity.ERROR,
    of=WORKERS,
    needs=(Need.ENGINE, Need.MODEL, Need.GPU),
)
def moe_kernel_missing(worker: Worker, deployment: Deployment) -> Iterator[Said]:
    """No kernel exists for the MoE backend and activation type on this GPU.

    TRTLLM has kernels for Blackwell only, W4A8_MXFP4_MXFP8 exists on Blackwell only, and CUTLASS
    runs W4A16_MXFP4 on Hopper only. The engine fails when it builds or first runs the experts,
    with messages such as "list index out of range" or "WFP4A16 MoE is unsupported".
    """
    kernels, name = moe_kernels(), backend_of(worker)
    kind, backend = kernels.generation(worker.gpu), kernels.backends.get(name or "")
    if worker.gpu is None or kind is None or backend is None or not backend.has_kernels:
        return
    if backend.is_replaced(kind.name, deployment.release):
        return
    override = override_of(worker)
    asked = override[1] if override and override[1] in kernels.activations else None
    algorithm = asked or default_algorithm(worker)
    if algorithm in backend.runs[kind.name]:
        return
    setting = worker.engine["moe_config.backend"]
    pinned = setting.is_set and not (asked and backend.runs[kind.name])
    at = setting if pinned or override is None else override[0]
    yield Said(
        at,
        f"MoE backend {backend.name} has no {algorithm} kernel on {worker.gpu.name} "
        f"(SM {worker.gpu.sm})",
        _kernel_hint(kind.auto, asked),
        also=[(setting, f"the backend is {backend.name}")] if setting.is_set else [],
    )


def _kernel_hint(auto: str, asked: str | None) -> str:
    if asked:
        return f"remove {OVERRIDE}, or set it to what the backend has kernels for"
    return f"write moe_config.backend: {auto}, or leave it out"


@rule(
    "M005",
    "triton-deprecated",
    Severity.WARNING,
    of=WORKERS,
    needs=(Need.ENGINE, Need.MODEL, Need.RELEASE),
)
def triton_deprecated(worker: Worker, release: Release) -> Iterator[Said]:
    """The MoE backend is TRITON, which TensorRT-LLM is about to remove.

    It was deprecated in September 2026, with removal announced for three months later.
    """
    backend = worker.engine["moe_config.backend"]
    known = moe_kernels().backends.get(str(backend.value))
    if known is None or not known.deprecated or release.number < version_number(known.deprecated):
        return
    if backend.is_set:
        yield Said(
            backend,
            f"moe_config.backend {known.name} is deprecated in TensorRT-LLM {release.trtllm}",
            "write AUTO, or CUTLASS on Hopper",
        )


@rule(
    "M006",
    "slower-moe-backend-pinned",
    Severity.INFO,
    of=WORKERS,
    needs=(Need.ENGINE, Need.MODEL),
)
def slower_moe_backend_pinned(worker: Worker) -> Iterator[Said]:
    """CUTLASS is pinned where the engine itself would take TRTLLM.

    For gpt-oss on Blackwell AUTO resolves to TRTLLM, which NVIDIA's current guide recommends for
    latency and for throughput. CUTLASS can still win with attention data parallelism over many
    GPUs, of which nothing is said.
    """
    backend = worker.engine["moe_config.backend"]
    kind = moe_kernels().generation(worker.gpu)
    if not backend.is_set or backend.value != "CUTLASS" or worker.attention_dp:
        return
    if worker.gpu and (kind is None or kind.auto != "TRTLLM"):
        return
    where = worker.gpu.name if worker.gpu else "Blackwell"
    yield Said(
        backend,
        f"moe_config.backend CUTLASS is pinned; on {where} AUTO picks TRTLLM for gpt-oss",
        "write AUTO or TRTLLM unless you measured CUTLASS to be faster",
    )


@rule(
    "M007",
    "triton-on-blackwell",
    Severity.WARNING,
    of=WORKERS,
    needs=(Need.ENGINE, Need.MODEL, Need.GPU),
)
def triton_on_blackwell(worker: Worker) -> Iterator[Said]:
    """The TRITON MoE backend is used on Blackwell, where it is experimental.

    It is meant for Hopper. On Blackwell CUTLASS and TRTLLM have native MXFP4 kernels.
    """
    backend, kernels = worker.engine["moe_config.backend"], moe_kernels()
    kind, known = kernels.generation(worker.gpu), kernels.backends.get(str(backend.value))
    if worker.gpu and kind and known and kind.name in known.experimental:
        yield Said(
            backend,
            f"moe_config.backend {known.name} is experimental on {worker.gpu.name}",
            f"write moe_config.backend: {kind.auto}",
        )


@rule(
    "M008",
    "moe-backend-replaced",
    Severity.WARNING,
    of=WORKERS,
    needs=(Need.ENGINE, Need.MODEL, Need.GPU),
)
def moe_backend_replaced(worker: Worker, deployment: Deployment) -> Iterator[Said]:
    """The engine takes another MoE backend than the one that is written.

    CUTEDSL and DENSEGEMM have no kernels for MXFP4 experts: the engine logs a warning and runs
    CUTLASS. From about Dynamo 1.5 on the backend is a preference: where it has no kernels, as
    DEEPGEMM for these experts or TRTLLM on Hopper (1.6), CUTLASS takes its place. Whether gpt-oss
    starts with it then nobody says.
    """
    backend, kernels = worker.engine["moe_config.backend"], moe_kernels()
    known, kind = kernels.backends.get(str(backend.value)), kernels.generation(worker.gpu)
    if known is None or kind is None:
        return
    if known.instead:
        told = f"the engine runs {known.instead} for MXFP4 experts"
    elif known.is_replaced(kind.name, deployment.release):
        told = f"it has none for MXFP4 experts on {kind.name.capitalize()}: another runs, or none"
    else:
        return
    yield Said(
        backend,
        f"moe_config.backend is {known.name}, but {told}",
        f"write moe_config.backend: {kind.auto}, or leave it out",
    )


@rule(
    "M009",
    "triton-slow-in-image",
    Severity.WARNING,
    of=WORKERS,
    needs=(Need.ENGINE, Need.MODEL, Need.GPU, Need.RELEASE),
)
def triton_slow_in_image(worker: Worker, release: Release) -> Iterator[Said]:
    """The TRITON MoE backend runs on a release whose image has a slow Triton.

    TensorRT-LLM 1.3.0rc5 came with Triton 3.5.1, whose kernel for the experts' activation is far
    slower. AUTO is TRITON on Hopper.
    """
    if worker.gpu and worker.gpu.is_hopper and backend_of(worker) == "TRITON":
        yield Said(
            worker.engine["moe_config.backend"],
            f"TRITON multiplies the experts on {worker.gpu.name}, far slower on TensorRT-LLM "
            f"{release.trtllm} than before and after",
            "run release 1.1.1 or later, or write moe_config.backend: CUTLASS",
        )
