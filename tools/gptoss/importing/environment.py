"""Variables of a container: those that the engine reads go along, the others are explained."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gptoss.importing.context import leaf
from gptoss.text.secrets import is_secret

if TYPE_CHECKING:
    from gptoss.deployment.pods import Pod
    from gptoss.facts.programs import Program
    from gptoss.importing.context import Context
    from gptoss.importing.document import Block
    from gptoss.text.command import Variable

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
QUANTIZATION = "OVERRIDE_QUANT_ALGO"
TOKENS = ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN")
# What the chart sets itself, for its own volume.
CACHE = ("HF_HOME", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "TRANSFORMERS_CACHE", "HOME")
CHART = (*CACHE, "HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "TIKTOKEN_ENCODINGS_BASE")
# What looks like a setting and is read by a shell at most.
UNREAD = ("ENGINE_ARGS", "EXTRA_ENGINE_ARGS", "MODEL_NAME", "MODEL_PATH", "SERVED_MODEL_NAME")
# What the platform gives a container: discovery, and which GPUs it sees.
PLATFORM = (
    "CUDA_VISIBLE_DEVICES",
    "DYN_DISCOVERY_BACKEND",
    "DYN_NAMESPACE",
    "DYN_SYSTEM_ENABLED",
    "DYN_SYSTEM_PORT",
    "ETCD_ENDPOINTS",
    "NATS_SERVER",
    "NVIDIA_DRIVER_CAPABILITIES",
    "NVIDIA_VISIBLE_DEVICES",
)


def environment(
    name: str, pod: Pod, program: Program | None, context: Context, handled: tuple[str, ...] = ()
) -> Block:
    """The ``env`` of a component.

    Args:
        name: The component.
        pod: Its pod.
        program: What it runs, to know which variables become engine settings.
        context: The import.
        handled: Variables that other values stand for.
    """
    flags = program.flags.values() if program else ()
    engine = {flag.env for flag in flags if flag.engine and flag.env}
    skipped = {*handled, *engine, *(pod.mentions or ())}
    found: Block = {}
    for variable in pod.environment.values():
        if variable.name in skipped:
            continue
        reason = _reason(variable, pod)
        if reason is None:
            assert variable.value is not None  # noqa: S101 (has a reason otherwise)
            found[variable.name] = leaf(variable.value, variable.place)
        elif reason:
            context.left_out(f"{name}: ${variable.name} {reason}", variable.place)
    return found


def _reason(variable: Variable, pod: Pod) -> str | None:
    """Why a variable is left out; None when it is not, '' when that needs no word."""
    value = variable.value
    if variable.name in TOKENS:
        literal = (
            "stands there as plain text; put it into a Secret and name that in " if value else ""
        )
        return literal and f"{literal}modelCache.download.tokenSecret"
    if variable.name in UNREAD:
        return "is read by nobody: the command does not mention it"
    if variable.name in CHART or variable.name in PLATFORM:
        return ""
    if value is None:
        source = f"Secret {variable.secret}" if variable.secret else "elsewhere"
        return f"comes from {source}; write its source under env"
    if is_secret(variable.name, value):
        return "looks like a secret in plain text; put it into a Secret and name that under env"
    if not NAME.fullmatch(variable.name):
        return "has a name that a container's environment cannot have"
    if value.startswith("/") and pod.mount_at(value):
        return f"is {value}, in a volume that the chart does not mount; add extraVolumes for it"
    return None
