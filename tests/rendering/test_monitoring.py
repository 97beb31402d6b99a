"""Prometheus and Grafana in the compose form run only when asked, and read what is told."""

from __future__ import annotations

import json
import re

import pytest

from gptoss.text import plain_yaml
from tests.rendering.forms import DYNAMO, ON_ONE_MACHINE, ROOT, SERVE, compose, rendered
from tests.rendering.panels import DASHBOARDS, asked_by, dashboard

MONITORING = {"prometheus", "grafana"}
EACH_RUNTIME = pytest.mark.parametrize("name", ["disagg-b200-node", "serve-h100-2"])


def scraped(name: str, *settings: str) -> dict[str, str]:
    """The path by each address that Prometheus asks."""
    files = rendered("compose", name, *settings).files
    told = plain_yaml.load(files["monitoring/prometheus.yaml"])
    return {
        target: job.get("metrics_path", "/metrics")
        for job in told["scrape_configs"]
        for group in job["static_configs"]
        for target in group["targets"]
    }


@EACH_RUNTIME
def test_nothing_of_it_runs_unless_its_profile_is_asked_for(name: str) -> None:
    services = compose(name)["services"]
    assert set(services) >= MONITORING
    for service in MONITORING:
        assert services[service]["profiles"] == ["monitoring"]
    needed = {need for s in services.values() for need in s.get("depends_on", {})}
    assert needed & MONITORING == {"prometheus"}


@EACH_RUNTIME
def test_it_is_reached_from_this_machine_only(name: str) -> None:
    services = compose(name)["services"]
    ports = [port for service in MONITORING for port in services[service]["ports"]]
    assert sorted(ports) == ["127.0.0.1:3000:3000", "127.0.0.1:9090:9090"]


@EACH_RUNTIME
def test_every_file_that_it_mounts_is_rendered(name: str) -> None:
    found = rendered("compose", name)
    services = plain_yaml.load(found.files["compose.yaml"])["services"]
    mounted = [volume for service in MONITORING for volume in services[service]["volumes"]]
    files = [source for source, *_ in (v.split(":") for v in mounted) if source.startswith("./")]
    assert len(files) == 4
    assert {file.removeprefix("./") for file in files} <= set(found.files)


def test_every_image_is_pinned_by_its_version() -> None:
    services = compose("agg-gb200")["services"]
    tags = [services[service]["image"].rpartition(":")[2] for service in MONITORING]
    assert all(tag.count(".") == 2 for tag in tags)


@pytest.mark.parametrize("name", [name for name in DYNAMO if name in ON_ONE_MACHINE])
def test_frontend_and_every_worker_of_dynamo_are_asked(name: str) -> None:
    services = compose(name)["services"]
    workers = {worker for worker, service in services.items() if "deploy" in service}
    assert scraped(name) == {"frontend:8000": "/metrics"} | {
        f"{worker}:9090": "/metrics" for worker in workers
    }
    assert all(services[worker]["environment"]["DYN_SYSTEM_PORT"] == "9090" for worker in workers)


def test_every_replica_is_asked() -> None:
    found = scraped("disagg-b200", "workers.prefill.replicas=2")
    assert set(found) == {"frontend:8000", "prefill-0:9090", "prefill-1:9090", "decode:9090"}


@pytest.mark.parametrize("name", SERVE)
def test_trtllm_serve_is_asked_where_it_tells_metrics(name: str) -> None:
    assert scraped(name) == {"server:8000": "/prometheus/metrics"}


def test_a_server_that_tells_no_metrics_has_no_monitoring() -> None:
    found = rendered("compose", "serve-h100-2", "workers.worker.engine.return_perf_metrics=false")
    loaded = plain_yaml.load(found.files["compose.yaml"])
    assert not MONITORING & set(loaded["services"])
    assert set(loaded["volumes"]) == {"models"}
    assert "monitoring" not in "".join([*found.files, found.files["compose.yaml"]])


@pytest.mark.parametrize(
    ("name", "of", "gpus"),
    [("disagg-b200-node", "dynamo", "8"), ("serve-h100-2", "trtllm-serve", "2")],
)
def test_grafana_opens_the_dashboard_of_the_runtime_which_knows_the_gpus(
    name: str, of: str, gpus: str
) -> None:
    shown = json.loads(rendered("compose", name).files["monitoring/dashboard.json"])
    variables = {variable["name"]: variable for variable in shown["templating"]["list"]}
    assert variables["gpus"]["query"] == variables["gpus"]["current"]["value"] == gpus
    assert shown["panels"] == dashboard(of)["panels"]
    grafana = compose(name)["services"]["grafana"]
    home = grafana["environment"]["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"]
    assert f"./monitoring/dashboard.json:{home}:ro" in grafana["volumes"]


@pytest.mark.parametrize("name", DASHBOARDS)
def test_every_panel_asks_in_prometheus_language_and_fits_the_grid(name: str) -> None:
    panels = dashboard(name)["panels"]
    assert {panel for panel, _ in asked_by(dashboard(name))} == {panel["title"] for panel in panels}
    places = [(p["gridPos"]["x"], p["gridPos"]["y"]) for p in panels]
    assert len(set(places)) == len(panels)
    assert all(p["gridPos"]["x"] + p["gridPos"]["w"] <= 24 for p in panels)


@pytest.mark.parametrize("name", DASHBOARDS)
def test_a_dashboard_shows_what_an_operator_asks_first(name: str) -> None:
    titles = " ".join(panel["title"].lower() for panel in dashboard(name)["panels"])
    asked = ("first token", "in flight and queued", "tokens a second", "gpu", "errors", "kv cache")
    for word in asked:
        assert word in titles


def test_the_page_names_services_and_the_profile_that_are_there() -> None:
    page = (ROOT / "docs" / "monitoring.md").read_text(encoding="utf-8")
    commands = re.findall(r"^docker compose ([^#\n]+)", page, re.MULTILINE)
    words = {word for command in commands for word in command.split() if not word.startswith("-")}
    assert words == MONITORING | {"monitoring", "up", "stop"}
