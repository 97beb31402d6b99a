"""The values form: everything that a target comes to, as one values file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gptoss.facts import folders
from gptoss.rendering import Rendered
from gptoss.rendering.target import command_of
from gptoss.rendering.templating import block, from_template
from gptoss.text import plain_yaml

if TYPE_CHECKING:
    from pathlib import Path

    from gptoss.deployment.jobs import Benchmark
    from gptoss.rendering.target import Target

# What a reader looks for in a worker, first.
WORKER_KEYS = ("role", "replicas", "nodes", "engineConfig", "engine", "env")


def render_values(target: Target, folder: Path | None = None) -> Rendered:
    """A values file that holds every value, with what the chart derives from them as comments."""
    order = _loaded((folders.chart() / "defaults.yaml").read_text(encoding="utf-8"))
    values = _ordered(target.values, order)
    workers = {
        worker["name"]: {worker["name"]: _worker(worker, values["workers"])}
        for worker in target.plan["workers"]
    }
    text = from_template(
        "values.yaml.j2",
        command=command_of(target.source, "values"),
        schema=folders.values_schema_line(folder),
        plan=target.plan,
        traffic=_traffic(target.deployment.benchmark),
        blocks={key: block({key: value}) for key, value in values.items()},
        workers={name: block(worker) for name, worker in workers.items()},
    )
    return Rendered({"values.yaml": text})


def _traffic(benchmark: Benchmark | None) -> str:
    """The traffic that the benchmark comes to, in one sentence; '' when that is not known."""
    if benchmark is None:
        return ""
    if benchmark.is_sweep:
        found = [step.concurrency.value for step in benchmark.steps if step.concurrency]
        return f"A sweep over {', '.join(f'{number:,}' for number in found)} requests in flight."
    if benchmark.concurrency is None or benchmark.requests is None:
        return ""
    concurrency, requests = benchmark.concurrency.value, benchmark.requests.value
    return f"{concurrency:,} requests in flight, {requests:,} in all."


def _worker(plan: dict[str, Any], written: dict[str, Any]) -> dict[str, Any]:
    """A worker with its defaults."""
    own = written[plan["name"]]
    engine = {"engine": own["engine"]} if "engine" in own else {}
    return _ordered(plan["options"] | engine, dict.fromkeys(WORKER_KEYS))


def _ordered(values: dict[str, Any], like: dict[str, Any]) -> dict[str, Any]:
    """The values in the order of others; what those do not have comes last."""
    keys = [key for key in like if key in values] + [key for key in values if key not in like]
    return {
        key: _ordered(values[key], like[key])
        if isinstance(values[key], dict) and isinstance(like.get(key), dict)
        else values[key]
        for key in keys
    }


def _loaded(text: str) -> dict[str, Any]:
    loaded: dict[str, Any] = plain_yaml.load(text)
    return loaded
