"""Which deployment a benchmark that is given along measures."""

from __future__ import annotations

from dataclasses import replace
from enum import IntEnum
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit

from gptoss.deployment.model import Platform, Runtime
from gptoss.sources.containers.script import build_workload
from gptoss.sources.containers.script_group import GivenScript
from gptoss.text.errors import InputError
from gptoss.text.places import Place
from gptoss.text.shell.resolved import is_resolved

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gptoss.deployment.jobs import Benchmark
    from gptoss.deployment.model import Deployment
    from gptoss.sources.given import GivenFile

THIS_MACHINE = ("localhost", "127.0.0.1", "0.0.0.0", "::1")  # noqa: S104 (compared with)
PORT = 8000
DEFAULT_URL = f"localhost:{PORT}"


class Answers(IntEnum):
    """Whether a deployment answers what a benchmark asks."""

    NO = 0
    PERHAPS = 1
    YES = 2


def measured(deployments: list[Deployment], workloads: Sequence[GivenFile]) -> list[Deployment]:
    """The deployments with the benchmarks that are given along, in place of their own.

    A benchmark is that of the deployment that answers at its URL under its model's name, of the
    only one that may where none surely does.

    Raises:
        InputError: There is no deployment, more than one benchmark for one, or several deployments
            that a benchmark may measure.
    """
    found: dict[int, str] = {}
    for file in workloads:
        benchmark = build_workload(GivenScript(file.text, file.name))
        if benchmark is None:
            continue
        number = _measured_by(benchmark, deployments, file)
        if file.beside_documents and deployments[number].benchmark:
            continue
        if number in found:
            raise InputError(
                f"{found[number]} measures already; give one benchmark at a time", Place(file.name)
            )
        found[number] = file.name
        deployment = deployments[number]
        label = f"{deployment.source} + {file.label}"
        deployments[number] = replace(deployment, benchmark=benchmark).called(label)
    return deployments


def _measured_by(benchmark: Benchmark, deployments: list[Deployment], file: GivenFile) -> int:
    """The number of the deployment that a benchmark measures."""
    if len(deployments) == 1:
        return 0
    asked = _asked(benchmark)
    if not deployments:
        raise InputError(
            f"this measures {asked} and starts no server; give what starts it along: its script, "
            f"manifests, compose file or target, as in gptoss check serve.sh {file.label}",
            Place(file.name),
        )
    answers = [_answers(deployment, benchmark) for deployment in deployments]
    best = max(answers)
    if best and answers.count(best) == 1:
        return answers.index(best)
    names = " and ".join(dict.fromkeys(each.source for each in deployments))
    said = f"each of {names} may answer there" if best else f"none of {names} answers there"
    message = f"this measures {asked}, and {said}; give it with the one that it measures"
    url = benchmark.arguments["--url"].located if benchmark.arguments else None
    raise InputError(message, url.place if url else benchmark.place)


def _asked(benchmark: Benchmark) -> str:
    """What a benchmark asks, and where, as far as it says."""
    model, url = _text(benchmark, "--model"), _text(benchmark, "--url")
    return f"{model or 'a model'} at {url or DEFAULT_URL}"


def _answers(deployment: Deployment, benchmark: Benchmark) -> Answers:
    names = {
        named.value
        for worker in deployment.workers
        if (named := worker.served_name or worker.model) and is_resolved(named.value)
    }
    model = _text(benchmark, "--model")
    is_path = any(name.startswith((".", "/")) for name in names)
    if names and model and model not in names and not is_path:
        return Answers.NO
    url = _text(benchmark, "--url") or DEFAULT_URL
    parts = urlsplit(url if "//" in url else f"//{url}")
    if parts.hostname in THIS_MACHINE:
        return _on_this_machine(deployment, parts)
    return _by_name(deployment, parts.hostname or "")


def _on_this_machine(deployment: Deployment, url: SplitResult) -> Answers:
    """By the port; that of a container may be published under another one."""
    if deployment.platform is Platform.KUBERNETES:
        return Answers.PERHAPS
    server = deployment.frontend or next(iter(deployment.workers), None)
    if server is None or server.arguments is None:
        return Answers.PERHAPS
    is_server = deployment.runtime is Runtime.SERVE
    if not is_server and deployment.frontend is None:
        return Answers.PERHAPS
    port = server.arguments["--port" if is_server else "--http-port"].value
    try:
        asked = url.port or PORT
    except ValueError:
        return Answers.PERHAPS
    if not isinstance(port, int):
        return Answers.PERHAPS
    if port == asked:
        return Answers.YES
    return Answers.PERHAPS if server.pod.image else Answers.NO


def _by_name(deployment: Deployment, host: str) -> Answers:
    """By the name of the Service, or of the service of a compose file."""
    name = host.partition(".")[0]
    names = {service.name for service in deployment.services}
    if deployment.platform is Platform.CONTAINERS:
        names |= {each.name for each in deployment.workers}
    if deployment.frontend:
        own = deployment.frontend.name.lower()
        is_kubernetes = deployment.platform is Platform.KUBERNETES
        names.add(f"{deployment.name}-{own}" if is_kubernetes else own)
    if name in names:
        return Answers.YES
    return Answers.NO if name.endswith("-frontend") else Answers.PERHAPS


def _text(benchmark: Benchmark, flag: str) -> str | None:
    """The value of a flag where it is written and known."""
    text = benchmark.arguments[flag].text if benchmark.arguments else None
    return text if text and is_resolved(text) else None
