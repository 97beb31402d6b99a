"""Ingresses and routes among manifests: where they lead and how long they wait."""

from __future__ import annotations

import pytest

from gptoss.facts.world import Facts
from gptoss.sources.kubernetes.build import build
from gptoss.text.yaml_tree import parse_documents
from tests.rules.clean import Clean
from tests.rules.patches import dump

FACTS = Facts()
GRAPH = Clean.graph(disaggregated=False, release="1.3.1", name="chat").text()
NGINX = "nginx.ingress.kubernetes.io/proxy-read-timeout"
ALB = "alb.ingress.kubernetes.io/load-balancer-attributes"
OLD = "kubernetes.io/ingress.class"


def ingress(class_name: str | None = None, **annotations: str) -> str:
    backend = {"service": {"name": "chat-frontend", "port": {"number": 8000}}}
    spec = {"defaultBackend": backend} | ({"ingressClassName": class_name} if class_name else {})
    return dump(
        {
            "apiVersion": "networking.k8s.io/v1",
            "kind": "Ingress",
            "metadata": {"name": "way", "annotations": annotations},
            "spec": spec,
        }
    )


def patience(document: str) -> tuple[int | None, bool]:
    """Seconds that the one way in of a deployment bears, and whether nobody said so."""
    (way,) = build(parse_documents(f"{GRAPH}---\n{document}", "x.yaml"), "x", FACTS).ways_in
    return way.gives_up.value if way.gives_up else None, way.by_default


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (ingress("nginx"), (60, True)),
        (ingress("nginx-internal", **{NGINX: "900"}), (900, False)),
        (ingress(**{NGINX: "900"}), (900, False)),
        (ingress("internal", **{NGINX: "900"}), (900, False)),
        (ingress(**{OLD: "nginx"}), (60, True)),
        (ingress("traefik", **{NGINX: "900"}), (None, True)),
        (ingress("haproxy"), (50, True)),
        (ingress("haproxy", **{"haproxy.org/timeout-server": "5m"}), (300, False)),
        (ingress("openshift-default"), (30, True)),
        (ingress("alb"), (60, True)),
        (ingress("alb", **{ALB: "a.b=c,idle_timeout.timeout_seconds=400"}), (400, False)),
        (ingress(), (None, True)),
    ],
)
def test_how_long_an_ingress_waits_follows_from_its_controller(
    document: str, expected: tuple[int | None, bool]
) -> None:
    assert patience(document) == expected


@pytest.mark.parametrize(("written", "seconds"), [("10s", 10), ("1h30m", 5400), ("0s", None)])
def test_how_long_a_route_waits_is_written_in_it(written: str, seconds: int | None) -> None:
    rule = {"timeouts": {"request": written}, "backendRefs": [{"name": "other", "port": 80}]}
    route = {
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "HTTPRoute",
        "metadata": {"name": "way"},
        "spec": {"hostnames": ["a.example.com"], "rules": [rule]},
    }
    documents = parse_documents(f"{GRAPH}---\n{dump(route)}", "x.yaml")
    (way,) = build(documents, "x", FACTS).ways_in
    assert (way.gives_up.value if way.gives_up else None) == seconds
    assert way.hosts == ("a.example.com",)
    assert [(each.service.value, each.port and each.port.value) for each in way.backends] == [
        ("other", 80)
    ]


def balancer(**spec: object) -> str:
    selector = {"nvidia.com/dynamo-graph-deployment-name": "chat"}
    return dump(
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": "outside"},
            "spec": {"selector": selector, "ports": [{"port": 80}], **spec},
        }
    )


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (balancer(type="LoadBalancer"), [False]),
        (balancer(type="LoadBalancer", loadBalancerSourceRanges=["10.0.0.0/8"]), [None]),
        (balancer(), []),
        (balancer(type="LoadBalancer", selector={"app": "other"}), []),
    ],
)
def test_a_load_balancer_in_front_of_the_frontend_is_a_way_in(
    document: str, expected: list[bool | None]
) -> None:
    found = build(parse_documents(f"{GRAPH}---\n{document}", "x.yaml"), "x", FACTS).ways_in
    assert [way.asks_who for way in found] == expected
