"""Do the variables of UCX, NIXL and the transceiver say what the KV cache travels by?"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gptoss.rules.disaggregation.transports import (
    BACKEND,
    DEFAULT,
    NIXL,
    PYTHON,
    RACKS_OF,
    RUNTIME,
    SELECTORS,
    TIMEOUT,
    TRANSPORTS,
    backend_of,
    literal,
    ucx_names,
)
from gptoss.rules.readings import quoted
from gptoss.rules.rule import Need, Said, Severity, rule
from gptoss.rules.subjects import SPLIT_WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Deployment, Worker
    from gptoss.deployment.settings import Setting
    from gptoss.text.command import Variable

PLUGIN = "TRTLLM_NIXL_KVCACHE_BACKEND"
PLUGINS = ("UCX", "LIBFABRIC")
CANCEL = "TRTLLM_DISAGG_ENABLE_INFLIGHT_CANCEL"
# What cancelling in flight does not go together with, when it is 1.
UNCANCELLABLE = (
    "TRTLLM_DISABLE_KV_CACHE_TRANSFER_OVERLAP",
    "TRTLLM_DISAGG_LAYERWISE",
    "TRTLLM_TRY_ZCOPY_FOR_KVCACHE_TRANSFER",
)
# Names of UCX's transports for InfiniBand, RoCE and EFA begin with these, or stand for them.
RDMA = ("rc", "dc", "ud", "ib", "srd", "gga", "all")
# What a name on the wrong track looks like: in Dynamo's documentation until 2026-01.
MISSPELT = re.compile(r"TRTLLM_USE_([A-Z]+)_KV_CACHE")


@rule(
    "D017",
    "transport-variable-ignored",
    Severity.WARNING,
    of=SPLIT_WORKERS,
    needs=(Need.ENGINE,),
)
def transport_variable_ignored(worker: Worker, deployment: Deployment) -> Iterator[Said]:
    """A variable that chooses the transport is not read, because the engine YAML names another.

    TRTLLM_USE_UCX_KVCACHE and its kind say what the backend DEFAULT stands for, and nothing beside
    another one. TRTLLM_NIXL_KVCACHE_BACKEND says what is below NIXL. A name with one underscore
    more, TRTLLM_USE_UCX_KV_CACHE, which documentation had for a while, is read by nobody.
    """
    written = worker.engine[BACKEND]
    backend = backend_of(worker, deployment.release)
    for found in worker.pod.environment.values():
        told = SELECTORS.get(found.name)
        if match := MISSPELT.fullmatch(found.name):
            right = f"TRTLLM_USE_{match[1]}_KVCACHE"
            said, hint = "is read by nobody", f"write {BACKEND}: {match[1]}; the name is {right}"
        elif not isinstance(written.value, str) or found.value in (None, "0"):
            continue
        elif told and found.value == "1" and backend != told and written.value != DEFAULT:
            said = f"is ignored beside {BACKEND} {written.value}"
            hint = f"write {BACKEND}: {told} on both sides, or remove {found.name}"
        elif found.name == PLUGIN and found.value != "UCX" and backend not in (None, NIXL):
            said = f"is ignored: it says what is below {NIXL}, and the backend is {backend}"
            hint = f"write {BACKEND}: {NIXL} on both sides, or remove {found.name}"
        else:
            continue
        yield Said(
            found,
            f"{found.name}={found.value} {said}",
            hint,
            also=[(written, f"backend is {written.value}")] if written.is_set else [],
        )


@rule(
    "D019",
    "gpu-memory-left-out-of-ucx",
    Severity.ERROR,
    of=SPLIT_WORKERS,
    needs=(Need.ENGINE,),
)
def gpu_memory_left_out_of_ucx(worker: Worker, deployment: Deployment) -> Iterator[Said]:
    """UCX_TLS names transports, and none of those that know GPU memory.

    The list is what UCX may use, all of it. Without ``cuda``, or ``cuda_copy`` by its own name, UCX
    takes GPU memory for the machine's, and the KV cache cannot be registered: the worker stops
    while it starts ("VRAM memory is detected as host by UCX"). Clusters that start MPI jobs set
    UCX_TLS=tcp for everything.
    """
    found = literal(worker, TRANSPORTS)
    plugin = literal(worker, PLUGIN)
    by_ucx = backend_of(worker, deployment.release) in ("UCX", NIXL) or (
        str(worker.engine[BACKEND].value).upper() == DEFAULT
    )
    if found is None or not by_ucx or (plugin and plugin.value != "UCX"):
        return
    if not _knows_gpus(found.value or ""):
        yield Said(
            found,
            f"{TRANSPORTS}={found.value} leaves out the transports for GPU memory, so the KV cache "
            "cannot be registered",
            f"add cuda, as in {_with_gpus(found.value or '')}, or remove {TRANSPORTS}",
        )


def _knows_gpus(transports: str) -> bool:
    names, excludes = ucx_names(transports)
    if excludes:
        return not {"cuda", "cuda_copy"} & set(names)
    return any(name.startswith(("cuda", "all")) for name in names)


def _with_gpus(transports: str) -> str:
    names, excludes = ucx_names(transports)
    if not excludes:
        return ",".join([*names, "cuda"])
    return "^" + ",".join(name for name in names if not name.startswith("cuda"))


@rule(
    "D024",
    "rdma-left-out-of-ucx",
    Severity.WARNING,
    of=SPLIT_WORKERS,
    engine_only=False,
)
def rdma_left_out_of_ucx(worker: Worker) -> Iterator[Said]:
    """A pod asks for RDMA devices and UCX_TLS leaves RDMA out.

    The KV cache then goes over TCP beside idle devices. ``rc`` or ``dc`` in the list uses them.
    Where ``cuda_ipc`` is in it and may reach the other side by NVLink, within a machine or a rack
    of GB200, nothing is said.
    """
    found, devices = literal(worker, TRANSPORTS), _rdma_devices(worker)
    if found is None or not devices:
        return
    names, excludes = ucx_names(found.value or "")
    if excludes:
        idle = "ib" in names
    else:
        by_nvlink = {"cuda", "cuda_ipc"} & set(names) and _reaches_by_nvlink(worker)
        idle = not by_nvlink and not any(name.startswith(RDMA) for name in names)
    if idle:
        yield Said(
            found,
            f"{TRANSPORTS}={found.value} leaves out RDMA, so {quoted(devices)} lies idle and the "
            "KV cache goes over TCP",
            f"add rc, or remove {TRANSPORTS}",
        )


def _reaches_by_nvlink(worker: Worker) -> bool:
    """Whether the other side may be reached by NVLink: on this machine, or in this rack."""
    return worker.pod.isolation is not None or bool(worker.gpu and worker.gpu.key in RACKS_OF)


def _rdma_devices(worker: Worker) -> list[str]:
    """Names of the resources of RDMA devices that a pod asks for, or what it is handed."""
    names = dict.fromkeys((*worker.pod.requests, *worker.pod.limits))
    devices = [n for n in names if re.search(r"rdma|/(ib|hca|mlnx|roce|efa)", n.lower())]
    isolation = worker.pod.isolation
    return devices or (["/dev/infiniband"] if isolation and isolation.has_rdma else [])


@rule(
    "D026",
    "nixl-plugin-missing",
    Severity.WARNING,
    of=SPLIT_WORKERS,
)
def nixl_plugin_missing(worker: Worker) -> Iterator[Said]:
    """What is to be below NIXL does not exist, or is not in the image.

    NIXL sends by UCX or LIBFABRIC and takes UCX for any other name without an error. The images
    have no plugin for LIBFABRIC but those for AWS EFA, whose tag says so; with another one,
    NIXL_PLUGINS_DIR names the folder of the plugin that somebody put there.
    """
    found, image = literal(worker, PLUGIN), worker.pod.image
    if found is None:
        return
    name = (found.value or "").upper()
    if name not in PLUGINS:
        yield Said(
            found,
            f"{PLUGIN}={found.value} is unknown to NIXL, which takes UCX instead",
            f"write {quoted(PLUGINS).replace(' and ', ' or ')}",
        )
    elif name != "UCX" and image and _lacks_plugins(image.value, worker):
        yield Said(
            found,
            f"{PLUGIN}={found.value}, but the image has no such plugin",
            "take the image for EFA (its tag ends in -efa-amd64), or put the plugin into the image "
            "and its folder into NIXL_PLUGINS_DIR",
            also=[(image, f"image {image.value}")],
        )


def _lacks_plugins(image: str, worker: Worker) -> bool:
    """Whether it is NVIDIA's own, not the one for EFA, and nobody says where others are."""
    plain = image.startswith("nvcr.io/nvidia/") and "efa" not in image
    return plain and "NIXL_PLUGINS_DIR" not in worker.pod.environment


@rule(
    "D034",
    "nixl-plugin-chosen-twice",
    Severity.WARNING,
    of=SPLIT_WORKERS,
)
def nixl_plugin_chosen_twice(worker: Worker) -> Iterator[Said]:
    """What is below NIXL is chosen by TensorRT-LLM's variable and by NIXL's own.

    With LIBFABRIC in both, prefill and decode have described their network cards differently:
    "Failed to deserialize data rail endpoints", and no transfer succeeds.
    """
    found, other = literal(worker, PLUGIN), literal(worker, "NIXL_BACKEND")
    if found and other and (found.value or "").upper() == "LIBFABRIC":
        yield Said(
            other,
            f"NIXL_BACKEND={other.value} beside {PLUGIN}={found.value} has made transfers fail",
            "remove NIXL_BACKEND",
            also=[(found, f"{PLUGIN} is {found.value}")],
        )


@rule(
    "D021",
    "in-flight-cancel-refused",
    Severity.ERROR,
    of=SPLIT_WORKERS,
    needs=(Need.ENGINE, Need.RELEASE),
)
def in_flight_cancel_refused(worker: Worker) -> Iterator[Said]:
    """Transfers are to be cancelled in flight, and another setting forbids it.

    TRTLLM_DISAGG_ENABLE_INFLIGHT_CANCEL=1 is for the transceiver in C++ with NIXL over UCX, with a
    time limit, and with transfers overlapped, whole and copied. Otherwise the worker stops while it
    starts.
    """
    found = worker.pod.environment.get(CANCEL)
    if found is None or found.value != "1":
        return
    runtime, backend, limit = (worker.engine[key] for key in (RUNTIME, BACKEND, TIMEOUT))
    also: list[tuple[Setting | Variable, str]] = []
    if runtime.value == PYTHON:
        also.append((runtime, f"transceiver_runtime is {PYTHON}"))
    if isinstance(backend.value, str) and backend.value not in (NIXL, DEFAULT):
        also.append((backend, f"the backend is {backend.value}"))
    if limit.is_set and limit.value is None:
        also.append((limit, "kv_transfer_timeout_ms is null"))
    plugin = literal(worker, PLUGIN)
    variables = [plugin] if plugin and plugin.value != "UCX" else []
    variables += [v for n in UNCANCELLABLE if (v := literal(worker, n)) and v.value == "1"]
    also += [(each, f"{each.name} is {each.value}") for each in variables]
    if also:
        yield Said(
            found,
            f"{CANCEL}=1, but {quoted(said for _, said in also)}: the worker does not start",
            f"mend that on both sides, or remove {CANCEL}",
            also=also,
        )
