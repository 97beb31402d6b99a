"""Will the load generator reach the frontend and measure what it is asked to?"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from gptoss.deployment.model import Runtime
from gptoss.facts.programs import AIPERF, newest
from gptoss.rules.fixes import set_flag
from gptoss.rules.readings import is_path, offline_switch, quoted
from gptoss.rules.rule import Said, Severity, rule
from gptoss.rules.subjects import BENCHMARK

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.jobs import Benchmark
    from gptoss.deployment.model import Deployment
    from gptoss.text.places import Located

SERVICE_PORT = 8000
HTTP_PORT = 80


def _flag(benchmark: Benchmark, name: str) -> Located[str] | None:
    return benchmark.arguments[name].located if benchmark.arguments else None


@rule(
    "B010",
    "endpoint-is-not-the-frontend",
    Severity.ERROR,
    of=BENCHMARK,
    fixable=True,
)
def endpoint_is_not_the_frontend(benchmark: Benchmark, deployment: Deployment) -> Iterator[Said]:
    """The benchmark's URL is not the Service of the frontend, or of the server.

    The operator calls the frontend's Service after deployment and component in lower case, and it
    listens on port 8000; a server has the Service that selects its pods. The Job waits for a name
    that never answers. Hosts outside the cluster are not judged.
    """
    url, frontend = _flag(benchmark, "--url"), deployment.frontend
    if url is None or "$" in url.value or " " in url.value:
        return
    if deployment.runtime is Runtime.SERVE:
        yield from _not_the_server(deployment, url)
        return
    if frontend is None:
        return
    parts = urlsplit(url.value if "//" in url.value else f"//{url.value}")
    host = parts.hostname or ""
    name, _, domain = host.partition(".")
    service = f"{deployment.name}-{frontend.name.lower()}"
    if domain and ".svc" not in f".{domain}":
        return
    port = _port(parts.netloc)
    if name != service and name.endswith("-frontend"):
        told = f"asks {host}, but the frontend's Service is called {service}"
    elif name == service and port not in (SERVICE_PORT, None):
        told = f"asks port {port}, but Service {service} listens on {SERVICE_PORT}"
    else:
        return
    yield Said(
        url,
        f"the benchmark {told}",
        f"write http://{service}:{SERVICE_PORT}",
        fix=set_flag(url.place, ("--url", "-u"), f"http://{service}:{SERVICE_PORT}"),
        also=[(frontend, f"component {frontend.name} of {deployment.name}")],
    )


def _not_the_server(deployment: Deployment, url: Located[str]) -> Iterator[Said]:
    """A URL whose host is the Deployment's name or whose port the Service does not have."""
    parts = urlsplit(url.value if "//" in url.value else f"//{url.value}")
    name, _, domain = (parts.hostname or "").partition(".")
    services = {service.name: service for service in deployment.services}
    if not services or (domain and ".svc" not in f".{domain}"):
        return
    first = next(iter(services.values()))
    port, service = _port(parts.netloc) or HTTP_PORT, services.get(name, first)
    ports = [entry.port.value for entry in service.ports]
    right = f"http://{service.name}:{ports[0]}" if ports else f"http://{service.name}"
    if name == service.name and ports and port not in ports:
        told = f"asks port {port}, but Service {name} listens on {quoted(map(str, ports))}"
    elif name not in services and name == deployment.name:
        told = f"asks {name}, but the server's Service is called {service.name}"
    else:
        return
    yield Said(
        url,
        f"the benchmark {told}",
        f"write {right}",
        fix=set_flag(url.place, ("--url", "-u"), right),
        also=[(service, f"Service {service.name}")],
    )


def _port(netloc: str) -> int | None:
    digits = netloc.rpartition(":")[2]
    return int(digits) if digits.isdecimal() else None


@rule(
    "B013",
    "local-tokenizer-offline",
    Severity.ERROR,
    of=BENCHMARK,
)
def local_tokenizer_offline(benchmark: Benchmark) -> Iterator[Said]:
    """The benchmark is offline and names its tokenizer by a path, which aiperf then refuses.

    In offline mode aiperf takes the path for the id of a repository and stops. A path works
    without offline mode, even with no network; an id works offline from a cache.
    """
    tokenizer = _flag(benchmark, "--tokenizer")
    if tokenizer is None or not is_path(tokenizer.value):
        return
    offline = offline_switch(benchmark.pod.environment.values())
    if offline:
        yield Said(
            offline,
            f"{offline.name}={offline.value} makes aiperf refuse the tokenizer path "
            f"{tokenizer.value}",
            f"remove {offline.name}, or give --tokenizer the model's id and HF_HOME the cache",
            also=[(tokenizer, "the tokenizer is a path")],
        )


@rule(
    "B014",
    "results-in-model-cache",
    Severity.INFO,
    of=BENCHMARK,
)
def results_in_model_cache(benchmark: Benchmark, deployment: Deployment) -> Iterator[Said]:
    """The benchmark writes its results into the model cache.

    The cache has to be mounted writable for that, its size was chosen for the model, and whoever
    empties it deletes the results.
    """
    folder = _flag(benchmark, "--artifact-dir")
    if folder is None:
        return
    mount = benchmark.pod.mount_at(folder.value)
    caches = {m.claim for worker in deployment.workers for m in worker.pod.mounts if m.claim}
    if mount and mount.claim in caches:
        yield Said(
            folder,
            f"results go to {folder.value}, inside the model cache (claim {mount.claim})",
            "write them to a volume of their own",
            also=[(mount, f"claim {mount.claim} is mounted at {mount.path}")],
        )


@rule(
    "B016",
    "goodput-metric-unknown",
    Severity.WARNING,
    of=BENCHMARK,
)
def goodput_metric_unknown(benchmark: Benchmark) -> Iterator[Said]:
    """A goodput objective names a metric of a request that aiperf does not have.

    It is accepted and no request can meet it, or it is left out of account, so goodput means
    something else than was asked for.
    """
    limits = _flag(benchmark, "--goodput")
    for pair in limits.value.split() if limits else ():
        metric = pair.partition(":")[0]
        if metric not in newest(AIPERF).metrics and limits is not None:
            yield Said(
                limits,
                f"--goodput names {metric!r}, which is no metric of a request in aiperf",
                "use time_to_first_token, inter_token_latency, request_latency or "
                "output_token_throughput_per_user",
            )
