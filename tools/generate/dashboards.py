"""The Grafana dashboards in charts/gpt-oss/dashboards, one a runtime."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from gptoss.text import plain_yaml

SOURCE = Path(__file__).with_name("templates") / "dashboards.yaml"
FOLDER = Path("charts/gpt-oss/dashboards")
# A cluster's Prometheus adds namespace and pod; compose has neither, and matches.
SCOPE = 'namespace=~"$namespace", pod=~"$pods"'
DATA_SOURCE = {"type": "prometheus", "uid": "${source}"}
PERCENTILES = (50, 90, 99)
# Grafana's grid has 24 columns.
COLUMNS, WIDTH, HEIGHT = 3, 8, 8


def dashboards() -> dict[Path, str]:
    """The dashboards as Grafana reads them."""
    texts = plain_yaml.load(SOURCE.read_text(encoding="utf-8"))
    return {
        FOLDER / f"{name}.json": json.dumps(_dashboard(name, told), indent=2) + "\n"
        for name, told in texts.items()
    }


def _dashboard(name: str, told: dict[str, Any]) -> dict[str, Any]:
    return {
        "uid": f"gpt-oss-{name}",
        "title": told["title"],
        "tags": ["gpt-oss"],
        "schemaVersion": 39,
        "refresh": "10s",
        "time": {"from": "now-30m", "to": "now"},
        "templating": {"list": _variables()},
        "panels": [_panel(number, panel) for number, panel in enumerate(told["panels"])],
    }


def _variables() -> list[dict[str, Any]]:
    """The data source, the namespace and the pods to look at, and how many GPUs they have.

    The chart and the compose form write what they know into them.
    """
    return [
        {"name": "source", "label": "Data source", "type": "datasource", "query": "prometheus"},
        {
            "name": "namespace",
            "label": "Namespace",
            "type": "query",
            "datasource": DATA_SOURCE,
            "query": {"query": "label_values(up, namespace)", "refId": "namespace"},
            "refresh": 2,
            "includeAll": True,
            "allValue": ".*",
            "current": {"text": "All", "value": "$__all"},
        },
        _textbox("pods", "Pods", ".*"),
        _textbox("gpus", "GPUs", "1"),
    ]


def _textbox(name: str, label: str, value: str) -> dict[str, Any]:
    current = {"text": value, "value": value}
    return {"name": name, "label": label, "type": "textbox", "query": value, "current": current}


def _panel(number: int, told: dict[str, Any]) -> dict[str, Any]:
    row, column = divmod(number, COLUMNS)
    limits = {key: told[key] for key in ("min", "max") if key in told} or {"min": 0}
    return {
        "id": number + 1,
        "type": "timeseries",
        "title": told["title"],
        "description": told["says"],
        "datasource": DATA_SOURCE,
        "gridPos": {"x": column * WIDTH, "y": row * HEIGHT, "w": WIDTH, "h": HEIGHT},
        "fieldConfig": {"defaults": {"unit": told["unit"]} | limits, "overrides": []},
        "options": {"tooltip": {"mode": "multi"}, "legend": {"displayMode": "list"}},
        "targets": [
            {
                "refId": chr(ord("A") + index),
                "datasource": DATA_SOURCE,
                "legendFormat": legend,
                "expr": expression.replace("{scope", "{" + SCOPE),
            }
            for index, (legend, expression) in enumerate(_lines(told).items())
        ],
    }


def _lines(told: dict[str, Any]) -> dict[str, str]:
    """Expressions by legend."""
    if "histogram" not in told:
        return dict(told["lines"])
    labels = ", ".join(["scope", *([told["labels"]] if "labels" in told else [])])
    buckets = f"sum by (le) (rate({told['histogram']}_bucket{{{labels}}}[$__rate_interval]))"
    return {f"p{n}": f"histogram_quantile({n / 100:g}, {buckets})" for n in PERCENTILES}
