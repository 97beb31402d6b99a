"""A clean compose file that the examples of the rules are laid over."""

from __future__ import annotations

from typing import Any

from gptoss.facts.world import Facts
from tests.rules import base

FACTS = Facts()
FRONTEND = ["python3", "-m", "dynamo.frontend"]
CACHE: dict[str, Any] = {
    "volumes": ["models:/opt/models:ro"],
    "environment": {
        "HF_HOME": "/opt/models",
        "HF_HUB_OFFLINE": "1",
        "TIKTOKEN_ENCODINGS_BASE": "/opt/models/tiktoken",
    },
}
NAMESPACES = {"image": "busybox:1.37.0", "command": ["sleep", "infinity"]}
MACHINE = [str(number) for number in range(8)]
ENGINE = "/etc/gpt-oss/engine"


def compose(release: str) -> dict[str, Any]:
    """Frontend, a TP4 prefill and a TP4 decode worker on one 8-GPU machine.

    ``engines`` is their engine YAML, which becomes the content of ``configs``.
    """
    image = f"{FACTS.image}:{release}"
    services = {
        "frontend": {"image": image, "command": FRONTEND, **CACHE},
        "namespaces": {**NAMESPACES, "init": True, "ipc": "shareable", "shm_size": "160gb"},
        "prefill": _worker("prefill", image, "0,1,2,3"),
        "decode": _worker("decode", image, "4,5,6,7"),
    }
    engines = base.engines(disaggregated=True)
    engines["prefill"] |= {"tensor_parallel_size": 4}
    return {
        "x-gpt-oss": {"gpu": "b200"},
        "services": services,
        "configs": {},
        "engines": engines,
    }


def _worker(role: str, image: str, gpus: str) -> dict[str, Any]:
    flags = ["--model", base.SNAPSHOT, "--served-model-name", base.MODEL]
    flags += ["--extra-engine-args", f"{ENGINE}/{role}.yaml", "--disaggregation-mode", role]
    flags += ["--dyn-reasoning-parser", "gpt_oss", "--dyn-tool-call-parser", "harmony"]
    return {
        "image": image,
        "command": ["python3", "-m", "dynamo.trtllm", *flags],
        "configs": [{"source": role, "target": f"{ENGINE}/{role}.yaml"}],
        "gpus": [{"device_ids": MACHINE}],
        "pid": "service:namespaces",
        "ipc": "service:namespaces",
        "volumes": CACHE["volumes"],
        "environment": {
            **CACHE["environment"],
            "CUDA_VISIBLE_DEVICES": gpus,
            "ALL_REDUCE_FUSION_KERNEL_ACC_FP32": "1",
        },
    }
