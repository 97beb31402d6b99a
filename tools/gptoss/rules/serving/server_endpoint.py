"""Do requests, and those who read the metrics, reach a server of trtllm-serve?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.deployment.hub import is_commit
from gptoss.rules.fixes import add_flag, set_flag
from gptoss.rules.rule import SERVE, Need, Said, Severity, rule
from gptoss.rules.subjects import WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Deployment, Worker
    from gptoss.facts.world import Model
    from gptoss.text.places import Located

EVERYWHERE = "0.0.0.0"  # noqa: S104 (of the container)
HOST, PORT, SERVED_NAME = "--host", "--port", "--served_model_name"
LOOPBACK = ("localhost", "127.0.0.1", "::1")
METRICS = "/metrics"
PROMETHEUS = "/prometheus/metrics"


def _port(worker: Worker) -> tuple[int | None, Located[str] | None]:
    """Where a server listens, and who says so; None when it is not known."""
    port = worker.arguments[PORT]
    return (port.value if isinstance(port.value, int) else None), port.located


@rule(
    "S020",
    "server-listens-on-localhost",
    Severity.ERROR,
    of=WORKERS,
    runtimes=SERVE,
    fixable=True,
)
def server_listens_on_localhost(worker: Worker, deployment: Deployment) -> Iterator[Said]:
    """The server listens inside its own pod only.

    trtllm-serve listens on localhost unless --host says otherwise. The Service that leads to its
    port does not reach it there, and neither do probes.
    """
    port, host = _port(worker)[0], worker.arguments[HOST].located
    targets = {port.target for service in deployment.services for port in service.ports}
    if port not in targets or (host and host.value not in LOOPBACK):
        return
    told = f"{HOST} is {host.value}" if host else f"{HOST} is localhost by default"
    fix = set_flag(host.place, HOST, EVERYWHERE) if host else None
    yield Said(
        host or worker.command,
        f"{told}, so nothing outside the pod reaches the server",
        f"write {HOST} {EVERYWHERE}",
        fix=fix or add_flag(worker.command.place, HOST, EVERYWHERE),
    )


@rule(
    "S021",
    "service-leads-to-another-port",
    Severity.ERROR,
    of=WORKERS,
    runtimes=SERVE,
)
def service_leads_to_another_port(worker: Worker, deployment: Deployment) -> Iterator[Said]:
    """No port of a Service leads to the port that the server listens on.

    Every request is refused, although the pod is ready.
    """
    listens, flag = _port(worker)
    for service in deployment.services if listens is not None else ():
        targets = [port.target for port in service.ports]
        if not targets or listens in targets or None in targets:
            continue
        yield Said(
            service.ports[0].port,
            f"Service {service.name} leads to port {targets[0]}, but the server listens on "
            f"{listens}{'' if flag else ' by default'}",
            f"write targetPort: {listens}",
            also=[(flag or worker.command, f"listens on {listens}")],
        )


@rule(
    "S022",
    "served-under-a-commit",
    Severity.WARNING,
    of=WORKERS,
    runtimes=SERVE,
    fixable=True,
    needs=(Need.MODEL,),
)
def served_under_a_commit(worker: Worker, model: Model) -> Iterator[Said]:
    """The public name of the model is the commit that its folder is named after.

    trtllm-serve lists a folder under its last name, and a snapshot of the cache is named after its
    commit. Clients and gateways that choose a model by name do not find it, and every update of
    the model changes the name.
    """
    served = worker.served_name
    if served is None or not is_commit(served.value):
        return
    if worker.arguments[SERVED_NAME].place:
        return
    by_id = "name the model by its id with --revision"
    has_flag = SERVED_NAME in worker.arguments.program.flags
    yield Said(
        worker.model or worker,
        f"the model is served under the name {served.value!r}",
        f"add {SERVED_NAME} {model.id}, or {by_id}" if has_flag else by_id,
        fix=add_flag(worker.command.place, SERVED_NAME, model.id) if has_flag else None,
    )


@rule(
    "S023",
    "metrics-are-not-there",
    Severity.WARNING,
    of=WORKERS,
    runtimes=SERVE,
    needs=(Need.ENGINE,),
)
def metrics_are_not_there(worker: Worker, deployment: Deployment) -> Iterator[Said]:
    """Prometheus reads a path of the server that has no metrics for it.

    trtllm-serve has them under /prometheus/metrics, and only with return_perf_metrics. Under
    /metrics, where Prometheus looks unless told otherwise, is JSON for people, which it cannot
    read.
    """
    for path in deployment.scraped:
        switched_on = worker.engine.switch("return_perf_metrics")
        if path.value == METRICS:
            told, hint = "holds JSON, which Prometheus cannot read", f"write {PROMETHEUS}"
        elif path.value == PROMETHEUS and not switched_on:
            told = "is not there without return_perf_metrics"
            hint = "write return_perf_metrics: true in the engine YAML"
        else:
            continue
        yield Said(path, f"{path.value} {told}", hint)
