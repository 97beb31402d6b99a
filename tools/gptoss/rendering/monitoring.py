"""Prometheus and Grafana for the compose form: what is asked for metrics, and the dashboard."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gptoss.facts import folders
from gptoss.rendering.templating import from_template

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gptoss.rendering.containers import Containers
    from gptoss.rendering.target import Target

# ai-dynamo/dynamo deploy/docker-observability.yml @60f57b2 names these versions.
PROMETHEUS_IMAGE = "prom/prometheus:v3.4.1"
GRAFANA_IMAGE = "grafana/grafana:12.2.0"
# NVIDIA/TensorRT-LLM tensorrt_llm/serve/openai_server.py opens it with return_perf_metrics.
SERVE_PATH = "/prometheus/metrics"
SWITCH = "return_perf_metrics"


@dataclass(frozen=True, slots=True)
class Monitoring:
    """Prometheus and Grafana beside a compose file.

    Attributes:
        services: Their services, as they stand in the compose file.
        files: What they mount, by path beside the compose file.
    """

    services: str
    files: Mapping[str, str]


def monitoring_of(target: Target, plan: Containers) -> Monitoring | None:
    """What watches a target; None where a trtllm-serve tells no metrics."""
    if not plan.is_dynamo and not all(w.engine[SWITCH].value for w in target.deployment.workers):
        return None
    name = "dynamo" if plan.is_dynamo else "trtllm-serve"
    dashboard = folders.chart() / "dashboards" / f"{name}.json"
    services = from_template(
        "monitoring.yaml.j2", prometheus_image=PROMETHEUS_IMAGE, grafana_image=GRAFANA_IMAGE
    )
    files = {
        "prometheus.yaml": from_template("prometheus.yaml.j2", plan=plan, serve_path=SERVE_PATH),
        "datasource.yaml": from_template("datasource.yaml.j2"),
        "dashboards.yaml": from_template("dashboards.yaml.j2"),
        "dashboard.json": _with_gpus(dashboard.read_text(encoding="utf-8"), plan.gpus),
    }
    return Monitoring(services, {f"monitoring/{file}": text for file, text in files.items()})


def _with_gpus(dashboard: str, gpus: int) -> str:
    """A dashboard that knows by how many GPUs to divide."""
    loaded = json.loads(dashboard)
    for variable in loaded["templating"]["list"]:
        if variable["name"] == "gpus":
            number = str(gpus)
            variable |= {"query": number, "current": {"text": number, "value": number}}
    return json.dumps(loaded, indent=2) + "\n"
