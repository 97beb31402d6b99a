"""The Truss form: the ``config.yaml`` that Baseten serves a target of trtllm-serve from.

Its form is that of Truss 0.18.35 (``truss/base/truss_config.py`` and ``trt_llm_config.py``), for
Baseten's TensorRT-LLM with the PyTorch backend, ``inference_stack: v2``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from gptoss.rendering import Rendered
from gptoss.rendering.containers import containers
from gptoss.rendering.target import command_of
from gptoss.rendering.templating import block, from_template
from gptoss.text import plain_yaml
from gptoss.text.errors import InputError
from gptoss.text.secrets import is_secret

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gptoss.deployment.model import Worker
    from gptoss.rendering.containers import Containers
    from gptoss.rendering.target import Target

# Truss' names for those kinds of GPU that it knows, and the most that one machine has.
ACCELERATORS = {"h100": "H100", "h200": "H200", "b200": "B200"}
MOST_GPUS = 8
# Settings that Truss knows by name, which are no patch_kwargs; it has its own defaults for them.
BY_NAME = (
    "tensor_parallel_size",
    "max_batch_size",
    "max_num_tokens",
    "max_seq_len",
    "enable_chunked_prefill",
)
LIMITS = {"max_batch_size": 2048, "max_num_tokens": 131072, "max_seq_len": 1048576}
# What Baseten's server must be told besides: which program, and how it reads gpt-oss' answers.
SERVER = {
    "backend": "pytorch",
    "chat_processor": "harmony",
    "model_level_stop_words": ["<|call|>"],
}
# Flags of the server that say where it listens or what the rest of the file says.
ELSEWHERE = {"--config", "--host", "--port", "--revision", "--served_model_name"}
# Variables of the chart's pods that are about its volumes and users.
OF_THE_POD = {"HF_HOME", "HF_HUB_OFFLINE", "HOME", "TIKTOKEN_ENCODINGS_BASE", "USER"}
# What `gptoss diff` shows between a target and its config.yaml, and why.
REASONS = {
    "release": "Baseten picks the build of TensorRT-LLM; version_overrides can pin one of its own",
    "$HF_HUB_OFFLINE": "Baseten brings the weights; the chart's pods read them from its volume",
    "$USER": "the chart's user has no name in the image, which its libraries ask for",
    "given": "a config.yaml has no benchmark",
}


def render_truss(target: Target) -> Rendered:
    """The configuration of a Truss.

    Raises:
        InputError: It is nothing that Truss serves; the message says why.
    """
    worker = _server(target)
    plan = containers(target, "http://{name}:{port}")
    engine = _engine(target, plan)
    accelerator = _accelerator(target, worker)
    named = {key: worker.engine[key].value for key in BY_NAME}
    for key, most in LIMITS.items():
        if (named[key] or 0) > most:
            raise _refused(target, f"{key} is {named[key]}, and Truss takes {most} at most")
    patch = SERVER | {key: value for key, value in engine.items() if key not in BY_NAME}
    (server,) = plan.workers
    given = {n: v for n, v in server.environment.items() if n not in OF_THE_POD}
    variables = {n: v for n, v in given.items() if not is_secret(n, v)}
    withheld = sorted(given.keys() - variables.keys())
    text = from_template(
        "truss.yaml.j2",
        plan=plan,
        title=plan.description or plan.target,
        written_by=command_of(target.source, "truss"),
        source=target.name,
        reasons=REASONS,
        console_name=re.sub(r"[^a-z0-9]+", "-", f"gpt-oss {target.name}".lower()),
        accelerator=accelerator,
        model=target.values["model"],
        named={key: value for key, value in named.items() if value is not None},
        patch=block(patch),
        variables=variables,
    )
    notes = (f"not written, for secrets: {', '.join(withheld)}",) * bool(withheld)
    return Rendered({"config.yaml": text}, notes)


def _refused(target: Target, why: str) -> InputError:
    return InputError(f"{target.name} is no Truss: {why}")


def _server(target: Target) -> Worker:
    """The one server.

    Raises:
        InputError: It is served by something else, or by several.
    """
    workers = target.deployment.workers
    if target.deployment.frontend is not None:
        why = "Baseten runs TensorRT-LLM as one server, without Dynamo's frontend"
        if len(workers) > 1:
            why += " and without separate prefill and decode workers"
        raise _refused(target, f"{why}; take a target of trtllm-serve, as serve-h100-2")
    (worker,) = workers
    if worker.nodes.value > 1:
        raise _refused(target, f"it spans {worker.nodes.value} machines, and a Truss is one")
    if worker.replica_count > 1:
        raise _refused(
            target,
            f"its {worker.replica_count} replicas are a setting of Baseten's console, not of "
            "config.yaml; set workers.worker.replicas=1",
        )
    return worker


def _accelerator(target: Target, worker: Worker) -> str:
    key = target.values["hardware"]["gpu"]
    if key not in ACCELERATORS:
        known = ", ".join(ACCELERATORS.values())
        raise _refused(target, f"Truss has no accelerator {target.facts.gpus[key].name} ({known})")
    if worker.gpus > MOST_GPUS:
        raise _refused(target, f"it takes {worker.gpus} GPUs, and a machine has {MOST_GPUS}")
    return f"{ACCELERATORS[key]}:{worker.gpus}"


def _engine(target: Target, plan: Containers) -> Mapping[str, Any]:
    """The engine settings, which all stand in one file.

    Raises:
        InputError: The command line has others, for which Truss has no place.
    """
    (server,) = plan.workers
    others = [flag for flag, *_ in server.flags if flag.partition("=")[0] not in ELSEWHERE]
    if others:
        raise _refused(target, f"it has no place for {others[0]}; say it in the engine settings")
    (text,) = plan.engine.values()
    loaded: dict[str, Any] = plain_yaml.load(text)
    return loaded
