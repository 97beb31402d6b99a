"""Each alert fires for its fault and for nothing else, by Prometheus' own tests of rules."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.chart.rendering import objects, one
from tests.live.prometheus import TOOLS

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.live

ALERTS = "monitoring.prometheusRule.enabled=true"
MINUTES = 180
# A value at the first minute, and what is added every minute from then on.
Series = dict[str, tuple[float, float]]

FRONTEND, PREFILL = "gpt-oss-frontend-5d8-a", "gpt-oss-0-prefill-a"
DECODE, OTHER = "gpt-oss-decode-1f2e-a", "gpt-oss-decode-1f2e-b"
SERVER = "gpt-oss-server-7c9-a"
# Another release of the same namespace, whose name begins alike.
STRANGER = "gpt-oss-2-frontend-5d8-a"


def told(metric: str, pod: str, **labels: str) -> str:
    """A series of a pod."""
    more = "".join(f', {name}="{value}"' for name, value in labels.items())
    return f'{metric}{{namespace="default", pod="{pod}"{more}}}'


def up(pod: str) -> str:
    return told("up", pod)


def latency(metric: str, pod: str, *, late: bool) -> Series:
    """A histogram of which everything lies below the first bound, or nothing does."""
    bounds = {"0.05": not late, "0.5": not late, "5": not late, "48": True, "+Inf": True}
    return {
        told(f"{metric}_bucket", pod, le=bound): (0, 60 * inside)
        for bound, inside in bounds.items()
    }


def dynamo() -> Series:
    """A release of Dynamo in good health."""
    served, refused = {"status": "success", "error_type": ""}, {"status": "error"}
    requests, work = "dynamo_frontend_requests_total", "dynamo_component_requests_total"
    return {
        **{up(pod): (1, 0) for pod in (FRONTEND, PREFILL, DECODE, OTHER)},
        told(requests, FRONTEND, **served): (0, 60),
        told(requests, FRONTEND, error_type="not_found", **refused): (0, 60),
        told(requests, FRONTEND, error_type="internal", **refused): (0, 1),
        told(requests, STRANGER, error_type="internal", **refused): (0, 600),
        told("dynamo_frontend_inflight_requests", FRONTEND): (20, 0),
        told("dynamo_frontend_queued_requests", FRONTEND): (2, 0),
        told("dynamo_frontend_queued_requests", STRANGER): (50, 0),
        told("dynamo_frontend_output_tokens_total", FRONTEND): (0, 6000),
        **{
            told(work, pod, dynamo_endpoint="generate"): (0, 60) for pod in (PREFILL, DECODE, OTHER)
        },
        told("dynamo_component_gpu_cache_usage_percent", DECODE): (0.5, 0),
        **latency("dynamo_frontend_time_to_first_token_seconds", FRONTEND, late=False),
        **latency("dynamo_frontend_inter_token_latency_seconds", FRONTEND, late=False),
    }


def serve() -> Series:
    """A release of trtllm-serve in good health."""
    return {
        up(SERVER): (1, 0),
        told("trtllm_request_success_total", SERVER, finished_reason="stop"): (0, 60),
        told("trtllm_request_error_total", SERVER, http_code="400"): (0, 60),
        told("trtllm_request_error_total", SERVER, http_code="500"): (0, 1),
        told("trtllm_num_requests_running", SERVER): (20, 0),
        told("trtllm_num_requests_waiting", SERVER): (2, 0),
        told("trtllm_generation_tokens_total", SERVER): (0, 6000),
        told("trtllm_kv_cache_utilization", SERVER): (0.5, 0),
        **latency("trtllm_time_to_first_token_seconds", SERVER, late=False),
        **latency("trtllm_time_per_output_token_seconds", SERVER, late=False),
    }


DYNAMO_FAULTS: dict[str, Series] = {
    "": {},
    "GptOssDown": {up(PREFILL): (0, 0)},
    "GptOssReplicasMissing": {up(OTHER): (0, 0)},
    "GptOssRequestsFail": {
        told("dynamo_frontend_requests_total", FRONTEND, error_type="internal", status="error"): (
            0,
            20,
        )
    },
    "GptOssStalled": {told("dynamo_frontend_output_tokens_total", FRONTEND): (100, 0)},
    "GptOssPrefillUnused": {
        told("dynamo_component_requests_total", PREFILL, dynamo_endpoint="generate"): (100, 0)
    },
    "GptOssFirstTokenSlow": latency(
        "dynamo_frontend_time_to_first_token_seconds", FRONTEND, late=True
    ),
    "GptOssTokensSlow": latency("dynamo_frontend_inter_token_latency_seconds", FRONTEND, late=True),
    "GptOssRequestsWait": {told("dynamo_frontend_queued_requests", FRONTEND): (15, 0)},
    "GptOssCacheFull": {told("dynamo_component_gpu_cache_usage_percent", DECODE): (0.97, 0)},
}
SERVE_FAULTS: dict[str, Series] = {
    "": {},
    "GptOssDown": {up(SERVER): (0, 0)},
    "GptOssRequestsFail": {told("trtllm_request_error_total", SERVER, http_code="500"): (0, 20)},
    "GptOssStalled": {told("trtllm_generation_tokens_total", SERVER): (100, 0)},
    "GptOssFirstTokenSlow": latency("trtllm_time_to_first_token_seconds", SERVER, late=True),
    "GptOssTokensSlow": latency("trtllm_time_per_output_token_seconds", SERVER, late=True),
    "GptOssRequestsWait": {told("trtllm_num_requests_waiting", SERVER): (40, 0)},
    "GptOssCacheFull": {told("trtllm_kv_cache_utilization", SERVER): (0.97, 0)},
}


def case(alert: str, series: Series) -> dict[str, Any]:
    """A test of promtool: these series, and what fires after three hours of them."""
    fires = [{"labels": f'{{alertname="{alert}"}}', "value": 1}] if alert else []
    return {
        "name": alert or "good health",
        "interval": "1m",
        "input_series": [
            {"series": name, "values": f"{first}+{more}x{MINUTES}"}
            for name, (first, more) in series.items()
        ],
        "promql_expr_test": [
            {
                "expr": 'count by (alertname) (ALERTS{alertstate="firing"})',
                "eval_time": f"{MINUTES}m",
                "exp_samples": fires,
            }
        ],
    }


def judged(folder: Path, rule: dict[str, Any], tests: list[dict[str, Any]]) -> str:
    """What promtool says to tests of a PrometheusRule; nothing when all of them hold."""
    (folder / "rules.yaml").write_text(yaml.safe_dump(rule["spec"]), encoding="utf-8")
    asked = {"rule_files": ["rules.yaml"], "evaluation_interval": "1m", "tests": tests}
    (folder / "tests.yaml").write_text(yaml.safe_dump(asked), encoding="utf-8")
    said = ""
    for words in (["check", "rules", "rules.yaml"], ["test", "rules", "tests.yaml"]):
        done = subprocess.run(
            [TOOLS / "promtool", *words], cwd=folder, capture_output=True, text=True, check=False
        )
        said += (done.stdout + done.stderr) if done.returncode else ""
    return said


@pytest.mark.parametrize(
    ("target", "settings", "health", "faults"),
    [
        (
            "disagg-gb200",
            ("monitoring.engineMetrics=true", "workers.decode.replicas=2"),
            dynamo(),
            DYNAMO_FAULTS,
        ),
        (
            "serve-h100-2",
            ("workers.worker.engine.enable_iter_perf_stats=true",),
            serve(),
            SERVE_FAULTS,
        ),
    ],
)
def test_each_alert_fires_for_its_fault_alone(
    tmp_path: Path,
    target: str,
    settings: tuple[str, ...],
    health: Series,
    faults: dict[str, Series],
) -> None:
    rule = one("PrometheusRule", objects(target, ALERTS, *settings))
    made = {found["alert"] for group in rule["spec"]["groups"] for found in group["rules"]}
    assert made == set(faults) - {""}
    tests = [case(alert, health | fault) for alert, fault in faults.items()]
    assert judged(tmp_path, rule, tests) == ""


def test_a_pod_that_nobody_scrapes_is_down_too(tmp_path: Path) -> None:
    rule = one("PrometheusRule", objects("disagg-gb200", ALERTS))
    series = {name: values for name, values in dynamo().items() if name != up(FRONTEND)}
    assert judged(tmp_path, rule, [case("GptOssDown", series)]) == ""
