"""The way in, and what network policies leave open."""

from __future__ import annotations

import re
from typing import Any

import pytest

from gptoss.text import plain_yaml
from tests.chart.policies import Pod, can_ask, can_reach
from tests.chart.rendering import CHART, ROOT, objects, one, refusal, run, text, with_values
from tests.rules.patches import merge

DISAGG, SERVE = "disagg-gb200", "serve-h100-2"
INGRESS = ("ingress.enabled=true", "ingress.hosts[0].host=chat.example.com")
ROUTE = ("httpRoute.enabled=true", "httpRoute.parentRefs[0].name=public")
POLICY = "networkPolicy.enabled=true"
CLIENTS = "networkPolicy.frontend.from[0].podSelector.matchLabels.app=client"


def ingress(target: str, *settings: str) -> dict[str, Any]:
    return one("Ingress", objects(target, *INGRESS, *settings))


@pytest.mark.parametrize(
    ("target", "service"), [(DISAGG, "gpt-oss-frontend"), (SERVE, "gpt-oss-server")]
)
def test_ingress_and_route_lead_the_api_to_what_answers(target: str, service: str) -> None:
    found = objects(target, *INGRESS, *ROUTE, "ingress.tls[0].secretName=chat-tls")
    spec = one("Ingress", found)["spec"]
    (rule,) = spec["rules"]
    backend = {"service": {"name": service, "port": {"number": 8000}}}
    assert rule["host"] == "chat.example.com"
    assert rule["http"]["paths"] == [{"path": "/v1", "pathType": "Prefix", "backend": backend}]
    assert spec["tls"] == [{"secretName": "chat-tls", "hosts": ["chat.example.com"]}]
    (route,) = one("HTTPRoute", found)["spec"]["rules"]
    assert route["matches"] == [{"path": {"type": "PathPrefix", "value": "/v1"}}]
    assert route["backendRefs"] == [{"name": service, "port": 8000}]
    assert route["timeouts"] == {"request": "3600s"}


def test_a_gateway_can_be_asked_first() -> None:
    gateway = ("backend.service=gpt-oss-gateway", "backend.port=8080")
    settings = [f"{kind}.{each}" for kind in ("ingress", "httpRoute") for each in gateway]
    found = objects(DISAGG, *INGRESS, *ROUTE, *settings, "httpRoute.timeoutSeconds=null")
    (path,) = one("Ingress", found)["spec"]["rules"][0]["http"]["paths"]
    assert path["backend"]["service"] == {"name": "gpt-oss-gateway", "port": {"number": 8080}}
    (route,) = one("HTTPRoute", found)["spec"]["rules"]
    assert route["backendRefs"] == [{"name": "gpt-oss-gateway", "port": 8080}]
    assert "timeouts" not in route


@pytest.mark.parametrize(
    ("controller", "expected"),
    [
        ("nginx", {"nginx.ingress.kubernetes.io/proxy-read-timeout": "900"}),
        ("haproxy", {"haproxy.org/timeout-server": "900s"}),
        ("openshift", {"haproxy.router.openshift.io/timeout": "900s"}),
        ("aws", {"alb.ingress.kubernetes.io/load-balancer-attributes": "mine=1"}),
    ],
)
def test_a_controller_is_told_to_wait_and_its_user_has_the_last_word(
    controller: str, expected: dict[str, str]
) -> None:
    mine = r"ingress.annotations.alb\.ingress\.kubernetes\.io/load-balancer-attributes=mine=1"
    found = ingress(DISAGG, f"ingress.controller={controller}", "ingress.timeoutSeconds=900", mine)
    assert expected.items() <= found["metadata"]["annotations"].items()


def test_the_service_that_answers_takes_options_under_either_runtime() -> None:
    options = ("service.type=LoadBalancer", r"service.loadBalancerSourceRanges={10.0.0.0/8}")
    for target, name in ((DISAGG, "gpt-oss-api"), (SERVE, "gpt-oss-server")):
        spec = one("Service", objects(target, *options), name)["spec"]
        assert spec["type"] == "LoadBalancer"
        assert spec["loadBalancerSourceRanges"] == ["10.0.0.0/8"]
        assert [port["port"] for port in spec["ports"]] == [8000]
    assert "kind: Service\n" not in text(DISAGG)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (("ingress.enabled=true",), "ingress.hosts: the Ingress needs a name"),
        (("httpRoute.enabled=true",), "httpRoute.parentRefs: the HTTPRoute needs a Gateway"),
        (
            ("service.loadBalancerClass=x",),
            "service.loadBalancerClass: a Service of type ClusterIP",
        ),
        (
            (*INGRESS, "ingress.controller=aws", "ingress.timeoutSeconds=5000"),
            "ingress.timeoutSeconds: a load balancer of AWS waits 4000 s at most, not 5000",
        ),
    ],
)
def test_what_no_way_in_can_be_made_of_is_refused(settings: tuple[str, ...], said: str) -> None:
    assert said in refusal(DISAGG, *settings)


def test_notes_say_where_clients_ask_and_that_nobody_checks_keys() -> None:
    listed = ",".join(INGRESS)
    base = ("install", "gpt-oss", str(CHART), "--dry-run=client", "--set", f"target={DISAGG}")
    done = run("helm4", *base, "--set", listed, "--set", "ingress.tls[0].secretName=chat-tls")
    assert "Clients ask https://chat.example.com/v1." in done.stdout
    assert "Dynamo's frontend knows no API keys" in done.stdout


def graph_pod(component: str, **labels: str) -> Pod:
    """A pod of the graph with the labels that the operator gives it."""
    operator = "nvidia.com/dynamo"
    own = {f"{operator}-graph-deployment-name": "gpt-oss", f"{operator}-component": component}
    return Pod({**labels, **own})


def own_pod(component: str) -> Pod:
    chart = {"app.kubernetes.io/name": "gpt-oss", "app.kubernetes.io/instance": "gpt-oss"}
    return Pod({**chart, "app.kubernetes.io/component": component})


# Grove replaces the labels that tell a pod's name and component.
GROVE = {"app.kubernetes.io/name": "other", "app.kubernetes.io/component": "pod"}
FRONTEND, DECODE, PREFILL = (graph_pod(c, **GROVE) for c in ("frontend", "decode", "prefill"))
STRANGER, CLIENT = Pod({"app": "stranger"}), Pod({"app": "client"})
HUB, API_SERVER = "52.1.2.3", "10.96.0.1"


def test_policies_leave_open_what_a_graph_needs_and_nothing_else() -> None:
    policies = [o for o in objects(DISAGG, POLICY, CLIENTS) if o["kind"] == "NetworkPolicy"]
    for one_pod, other in ((PREFILL, DECODE), (DECODE, PREFILL), (FRONTEND, PREFILL)):
        assert can_ask(policies, one_pod, other, 41234)
    assert can_ask(policies, CLIENT, FRONTEND, 8000)
    assert not can_ask(policies, STRANGER, FRONTEND, 8000)
    assert not can_ask(policies, CLIENT, FRONTEND, 41234)
    assert not can_ask(policies, CLIENT, DECODE, 41234)
    assert can_ask(policies, STRANGER, DECODE, 9090)
    for component in ("benchmark", "accuracy", "test"):
        assert can_ask(policies, own_pod(component), FRONTEND, 8000)
        assert not can_ask(policies, own_pod(component), DECODE, 41234)
    assert not can_ask(policies, own_pod("download"), FRONTEND, 8000)
    for pod in (FRONTEND, DECODE, own_pod("benchmark"), own_pod("accuracy")):
        assert can_reach(policies, pod, API_SERVER, 443)
    reach_hub = {c: can_reach(policies, own_pod(c), HUB, 443) for c in ("download", "benchmark")}
    assert reach_hub == {"download": True, "benchmark": False}
    for pod in (FRONTEND, DECODE, own_pod("download")):
        assert can_reach(policies, pod, API_SERVER, 53)
        assert not can_reach(policies, pod, HUB, 80)
    assert not can_reach(policies, DECODE, HUB, 443)


def test_a_server_needs_no_platform() -> None:
    policies = [o for o in objects(SERVE, POLICY) if o["kind"] == "NetworkPolicy"]
    server = own_pod("server")
    assert can_ask(policies, STRANGER, server, 8000)
    assert not can_ask(policies, STRANGER, server, 9090)
    assert can_ask(policies, own_pod("benchmark"), server, 8000)
    assert not can_reach(policies, server, API_SERVER, 443)
    assert can_reach(policies, server, API_SERVER, 53)


def test_etcd_and_nats_are_open_on_the_releases_whose_platform_brings_them() -> None:
    nats = Pod({"app": "nats"})
    for settings, expected in (((CLIENTS,), True), (("runtime.release=1.4.2",), False)):
        found = objects(DISAGG, POLICY, *settings)
        policies = [o for o in found if o["kind"] == "NetworkPolicy"]
        assert can_ask(policies, DECODE, nats, 4222) == expected


def test_every_example_of_the_page_renders() -> None:
    page = (ROOT / "docs" / "access.md").read_text(encoding="utf-8")
    examples = re.findall(r"^```yaml\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    assert len(examples) >= 5
    merged: dict[str, Any] = {"target": DISAGG}
    for example in examples:
        merge(merged, plain_yaml.load(example))
    found = with_values(merged)
    kinds = {each["kind"] for each in found}
    assert {"Ingress", "HTTPRoute", "Service", "NetworkPolicy"} <= kinds
