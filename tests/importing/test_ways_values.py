"""Ingresses and routes among manifests become sections of the values that make the same again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gptoss.facts.world import Facts
from gptoss.importing.convert import convert
from gptoss.importing.document import plain
from gptoss.sources.load import load
from gptoss.sources.request import Request
from tests.chart.rendering import dumped, objects, one, with_values

if TYPE_CHECKING:
    from pathlib import Path

SETTINGS = (
    "ingress.enabled=true",
    "ingress.className=internal",
    "ingress.controller=nginx",
    "ingress.hosts[0].host=chat.example.com",
    "ingress.hosts[1].host=b.example.com",
    "ingress.hosts[1].paths[0].path=/v1/chat",
    "ingress.hosts[1].paths[0].pathType=Exact",
    "ingress.tls[0].secretName=chat-tls",
    "httpRoute.enabled=true",
    "httpRoute.parentRefs[0].name=public",
    "httpRoute.hostnames[0]=chat.example.com",
    "httpRoute.timeoutSeconds=900",
)


def rendered(folder: Path, target: str, *settings: str) -> list[dict[str, Any]]:
    """What the chart makes of the values that its own objects are imported as."""

    file = folder / "manifests.yaml"
    file.write_text(dumped(objects(target, *settings)), encoding="utf-8")
    (deployment,) = load(Request((str(file),))).deployments
    return with_values(plain(convert(deployment, Facts()).values))


def test_what_the_chart_makes_is_made_again(tmp_path: Path) -> None:
    before = objects("disagg-gb200", *SETTINGS)
    after = rendered(tmp_path, "disagg-gb200", *SETTINGS)
    for kind in ("Ingress", "HTTPRoute"):
        first, second = one(kind, before), one(kind, after)
        assert first["spec"] == second["spec"]
        assert first["metadata"].get("annotations") == second["metadata"].get("annotations")


def test_one_that_leads_elsewhere_is_left_to_its_owner(tmp_path: Path) -> None:
    gateway = ("ingress.backend.service=gateway", "httpRoute.enabled=false")
    after = rendered(tmp_path, "disagg-gb200", *SETTINGS, *gateway)
    assert not {"Ingress", "HTTPRoute"} & {each["kind"] for each in after}
