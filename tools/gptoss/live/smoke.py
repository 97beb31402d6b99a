"""The chart's smoke script, told what a target offers."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from gptoss.deployment.model import Role, Runtime
from gptoss.facts import folders
from gptoss.rendering.containers import containers
from gptoss.rendering.target import read_target
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from types import ModuleType

    from gptoss.deployment.model import Deployment
    from gptoss.rendering.target import Target
    from gptoss.sources.request import Request

SCRIPT = "smoke.py"
LISTING_SECONDS = 10


def script() -> ModuleType:
    """The script of the chart's pods as a module."""
    return folders.chart_module(SCRIPT)


def is_address(word: str) -> bool:
    """Whether a word is the address of a server and no target."""
    return word.startswith(("http://", "https://"))


def words_for_address(url: str, model: str | None, release: str | None) -> list[str]:
    """The script's arguments for a server of which only the address is known.

    Raises:
        InputError: No model is named, and the server does not list exactly one.
    """
    return [url, model or _listed(url), *(["--release", release] if release else [])]


def words_for_target(request: Request, url: str | None, model: str | None) -> list[str]:
    """The script's arguments for a target: its name, address, release and what it offers.

    Args:
        request: The target, and what is laid over it.
        url: Where it is served; where its launch script serves it unless given.
        model: Name to ask for, instead of the target's own.

    Raises:
        InputError: There is not exactly one target, or it has no launch script and no address is
            given.
    """
    target = read_target(request)
    deployment = target.deployment
    served = deployment.workers[0].served_name or deployment.workers[0].model
    words = [url or _launched(target), model or (served.value if served else "")]
    if deployment.runtime is Runtime.DYNAMO and deployment.release:
        words += ["--release", deployment.release.version]
    for name, is_offered in _offers(deployment).items():
        words += [f"--{name}", "yes" if is_offered else "no"]
    return [*words, "--context", str(_context(deployment))]


def _launched(target: Target) -> str:
    try:
        return f"http://127.0.0.1:{containers(target, '').port}"
    except InputError as error:
        raise InputError(f"say where it is served, with --url: {error}") from error


def _offers(deployment: Deployment) -> dict[str, Any]:
    """What the script may expect; trtllm-serve reads the channels of gpt-oss itself."""
    answering = [worker for worker in deployment.workers if worker.role is not Role.PREFILL]
    flags = {"reasoning": "--dyn-reasoning-parser", "tools": "--dyn-tool-call-parser"}
    is_dynamo = deployment.runtime is Runtime.DYNAMO
    return {
        **{
            name: not is_dynamo or all(worker.arguments[flag].value for worker in answering)
            for name, flag in flags.items()
        },
        "structured": all(worker.engine.text("guided_decoding_backend") for worker in answering),
        "disaggregated": deployment.is_disaggregated,
        "names": is_dynamo,
    }


def _context(deployment: Deployment) -> int:
    """Tokens that fit a request."""
    lengths = [worker.engine.whole("max_seq_len") for worker in deployment.workers]
    model = deployment.model
    return min([n for n in lengths if n] or [model.max_position if model else 131072])


def _listed(url: str) -> str:
    """The one model that a server lists."""
    smoke = script()
    answer = smoke.Server(smoke.base(url), "", time.monotonic() + LISTING_SECONDS).ask("/v1/models")
    try:
        names = [str(model["id"]) for model in answer.json["data"]]
    except (KeyError, TypeError):
        raise InputError(f"{url}/v1/models: {answer.reason}") from None
    if len(names) != 1:
        listed = ", ".join(names) or "no model"
        raise InputError(f"{url} lists {listed}; say which to ask for, with --model")
    return names[0]
