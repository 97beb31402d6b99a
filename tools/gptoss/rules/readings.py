"""Readings of a deployment that several families of rules share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.deployment.settings import Layer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gptoss.deployment.model import Deployment, Worker
    from gptoss.deployment.pods import Pod
    from gptoss.deployment.settings import Claim, Setting
    from gptoss.text.command import Variable
    from gptoss.text.places import Located

TOOL_CALL_PARSER = "--dyn-tool-call-parser"
HUB_OFFLINE = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")


def pods(deployment: Deployment) -> Iterator[tuple[str, Pod]]:
    """Every pod with what to call it: components, downloads, benchmark, evaluation, helm test."""
    for component in deployment.components:
        yield component.name, component.pod
    yield from job_pods(deployment)
    for test in deployment.tests:
        yield f"Pod {test.name}", test.pod


def job_pods(deployment: Deployment) -> Iterator[tuple[str, Pod]]:
    """Every pod that runs to an end, with what to call it."""
    for job in deployment.downloads:
        yield f"{job.kind} {job.name}", job.pod
    yield from asking_pods(deployment)


def asking_pods(deployment: Deployment) -> Iterator[tuple[str, Pod]]:
    """Those of Jobs that ask the model."""
    if deployment.benchmark and deployment.benchmark.is_job:
        yield f"Job {deployment.benchmark.name}", deployment.benchmark.pod
    if deployment.accuracy:
        yield f"Job {deployment.accuracy.name}", deployment.accuracy.pod


def is_true(text: str | None) -> bool:
    """Whether a variable's text switches something on."""
    return text is not None and text.lower() in {"1", "true", "yes", "on"}


def offline_switch(environment: Iterable[Variable]) -> Variable | None:
    """The variable that keeps the Hugging Face libraries from the network, if one is set."""
    for found in environment:
        if found.name in HUB_OFFLINE and is_true(found.value):
            return found
    return None


def is_hub_id(model: str) -> bool:
    """Whether a model is named by its repository, not by a path."""
    return not model.startswith(("/", ".", "~", "$")) and model.count("/") == 1


def is_path(model: str) -> bool:
    """Whether a model is named by an absolute path."""
    return model.startswith("/")


def public_name(worker: Worker) -> Located[str] | None:
    """The name that clients ask for: the served name, else the model as it is given."""
    return worker.served_name or worker.model


def written(setting: Setting) -> list[Claim]:
    """The claims that stand in an engine YAML or an override."""
    return [claim for claim in setting.claims if claim.layer in (Layer.ENGINE, Layer.OVERRIDE)]


def parallel_size(worker: Worker, key: str) -> int | None:
    """A parallel size, or None when it is left to the engine (unset, null or -1)."""
    return worker.engine.positive(key)


def tensor_parallel_size(worker: Worker) -> int:
    """GPUs that share each layer."""
    return parallel_size(worker, "tensor_parallel_size") or 1


def takes_tool_calls(worker: Worker) -> bool:
    """Whether Dynamo takes tool calls out of what a worker writes."""
    return worker.arguments[TOOL_CALL_PARSER].place is not None


def pieces_of(worker: Worker) -> int:
    """Tokens in which answers leave the engine at a time."""
    return worker.engine.whole("stream_interval") or 1


def quoted(words: Iterable[str]) -> str:
    """Words as an enumeration: ``a, b and c``."""
    listed = list(words)
    if len(listed) < 2:
        return "".join(listed)
    return f"{', '.join(listed[:-1])} and {listed[-1]}"
