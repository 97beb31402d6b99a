"""Ingresses, HTTPRoutes and load balancers among manifests."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gptoss.deployment import paths
from gptoss.deployment.access import Backend, Certificate, Opening, WayIn
from gptoss.deployment.paths import DEPLOYMENT
from gptoss.sources.kubernetes.graph import GRAPH_LABEL
from gptoss.sources.kubernetes.workloads import selects
from gptoss.sources.parts.reading import a_map, maps, string, string_map, strings
from gptoss.text.places import Located

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gptoss.sources.parts.reading import Scope
    from gptoss.text.yaml_tree import Tree

NGINX, ALB = "nginx.ingress.kubernetes.io/", "alb.ingress.kubernetes.io/"
OPENSHIFT = "haproxy.router.openshift.io/"
HAPROXY = ("haproxy.org/", "haproxy-ingress.github.io/")


@dataclass(frozen=True, slots=True)
class Controller:
    """What serves an Ingress.

    Attributes:
        word: What its class is called after.
        prefixes: What its annotations begin with.
        patience: Annotations that say how long it waits.
        seconds: How long it waits for the next byte unless told.
    """

    word: str
    prefixes: tuple[str, ...]
    patience: tuple[str, ...]
    seconds: int


CONTROLLERS = (
    Controller("openshift", (OPENSHIFT,), (f"{OPENSHIFT}timeout",), 30),
    Controller("nginx", (NGINX,), (f"{NGINX}proxy-read-timeout",), 60),
    Controller("haproxy", HAPROXY, tuple(f"{each}timeout-server" for each in HAPROXY), 50),
    Controller("alb", (ALB,), (f"{ALB}load-balancer-attributes",), 60),
)
# Classes of those whose annotations are not known here.
OTHERS = ("traefik", "kong", "contour", "gce", "istio", "azure")
OLD_CLASS = "kubernetes.io/ingress.class"
IDLE = re.compile(r"idle_timeout\.timeout_seconds=(\d+)")
SECONDS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "": 1}
DURATION = re.compile(r"(\d+)(ms|s|m|h|)")
WHO = (
    "nginx.ingress.kubernetes.io/auth-",
    "haproxy.org/auth-",
    "haproxy-ingress.github.io/auth-",
    "alb.ingress.kubernetes.io/auth-",
    "traefik.ingress.kubernetes.io/router.middlewares",
)

Notes = dict[str, Located[str]]


def ways_in(trees: Iterable[Tree], graph: Tree, root: Scope) -> Iterator[WayIn]:
    """Ingresses and HTTPRoutes among objects, and load balancers in front of what answers.

    Args:
        trees: The objects.
        graph: The graph, or the workload that runs ``trtllm-serve``.
        root: Where they are located.

    Raises:
        InputError: A field has a shape that the API server would refuse.
    """
    for tree in trees:
        if tree.text("kind") == "Ingress":
            yield _ingress(tree, root)
        elif tree.text("kind") == "HTTPRoute":
            yield _route(tree, root)
        elif tree.text("kind") == "Service" and _leads_to(tree, graph):
            yield from _load_balancer(tree, root)


def _leads_to(service: Tree, graph: Tree) -> bool:
    if selects(service, graph):
        return True
    spec = a_map(service.at("spec"), "spec")
    selector = string_map(spec.at("selector") if spec else None, "selector")
    name = graph.text("metadata", "name")
    return any(key == GRAPH_LABEL and value == name for key, value, _ in selector)


def _load_balancer(tree: Tree, root: Scope) -> Iterator[WayIn]:
    """A Service of type LoadBalancer; one that is told whom to let in, or to stay inside, asks."""
    name = tree.text("metadata", "name") or ""
    scope = root.part(paths.services(name))
    spec = a_map(tree.at("spec"), "spec")
    if spec is None or spec.text("type") != "LoadBalancer":
        return
    notes = {key: note.value for key, note in _notes(tree).items()}
    held = bool(strings(spec.at("loadBalancerSourceRanges"), "loadBalancerSourceRanges"))
    inside = any("internal" in f"{key} {value}".lower() for key, value in notes.items())
    place = scope.here(tree.where)
    yield WayIn(
        kind="Service",
        name=name,
        place=place,
        backends=(Backend(Located(name, place), None),),
        asks_who=None if held or inside else False,
        annotations=notes,
    )


def _ingress(tree: Tree, root: Scope) -> WayIn:
    name = tree.text("metadata", "name") or ""
    scope = root.part(DEPLOYMENT.entry("ingresses", name))
    spec = a_map(tree.at("spec"), "spec")
    rules = maps(spec.at("rules") if spec else None, "rules")
    notes = _notes(tree)
    class_name = string(spec.at("ingressClassName") if spec else None, "ingressClassName")
    controller = _controller(class_name or "", notes)
    told = _patience(controller, notes, scope) if controller else None
    default = Located(controller.seconds, scope.here(tree.where)) if controller else None
    certificates = spec.at("tls") if spec else None
    return WayIn(
        kind="Ingress",
        name=name,
        place=scope.here(tree.where),
        openings=tuple(_ingress_openings(rules)),
        backends=tuple(_ingress_backends(spec, rules, scope)),
        gives_up=told or default,
        by_default=told is None,
        buffers=_buffers(notes, scope),
        encrypted=bool(maps(certificates, "tls")) or f"{ALB}certificate-arn" in notes,
        asks_who=any(key.startswith(WHO) for key in notes),
        class_name=class_name,
        annotations={key: note.value for key, note in notes.items()},
        certificates=tuple(map(_certificate, maps(certificates, "tls"))),
    )


def _paths(rule: Tree) -> list[Tree]:
    http = a_map(rule.at("http"), "http")
    return maps(http.at("paths") if http else None, "paths")


def _ingress_openings(rules: list[Tree]) -> Iterator[Opening]:
    for rule in rules:
        host = string(rule.at("host"), "host") or ""
        for path in _paths(rule):
            compared = string(path.at("pathType"), "pathType") or "ImplementationSpecific"
            yield Opening(host, string(path.at("path"), "path") or "/", compared)


def _certificate(tree: Tree) -> Certificate:
    hosts = strings(tree.at("hosts"), "hosts")
    secret = string(tree.at("secretName"), "secretName") or ""
    return Certificate(secret, tuple(host for host, _ in hosts))


def _ingress_backends(spec: Tree | None, rules: list[Tree], scope: Scope) -> Iterator[Backend]:
    written = [spec.at("defaultBackend")] if spec else []
    written.extend(path.at("backend") for rule in rules for path in _paths(rule))
    for tree in written:
        service = a_map(tree.at("service"), "service") if tree else None
        if service is not None:
            yield from _backend(service.at("name"), service.at("port", "number"), scope)


def _backend(name: Tree | None, number: Tree | None, scope: Scope) -> Iterator[Backend]:
    text = scope.text("service", name)
    if text is not None:
        yield Backend(text, scope.whole("port", number, "port"))


def _controller(class_name: str, notes: Notes) -> Controller | None:
    """Who serves an Ingress, by its class or else by its annotations; None for anybody else."""
    old = notes.get(OLD_CLASS)
    word = class_name or (old.value if old else "")
    by_class = [each for each in CONTROLLERS if each.word in word]
    if by_class or any(other in word for other in OTHERS):
        return by_class[0] if by_class else None
    written = [each for each in CONTROLLERS if any(n.startswith(each.prefixes) for n in notes)]
    return written[0] if written else None


def _patience(controller: Controller, notes: Notes, scope: Scope) -> Located[int] | None:
    """Seconds of silence that the annotations tell a controller to bear."""
    for key in controller.patience:
        note = notes.get(key)
        if note is None:
            continue
        idle = IDLE.search(note.value)
        seconds = int(idle[1]) if idle else _seconds(note.value)
        if seconds:
            return Located(seconds, scope.entry("annotations", key, note.place))
    return None


def _route(tree: Tree, root: Scope) -> WayIn:
    name = tree.text("metadata", "name") or ""
    scope = root.part(DEPLOYMENT.entry("routes", name))
    spec = a_map(tree.at("spec"), "spec")
    backends: list[Backend] = []
    paths: list[tuple[str, str]] = []
    gives_up = None
    for rule in maps(spec.at("rules") if spec else None, "rules"):
        for entry in maps(rule.at("backendRefs"), "backendRefs"):
            if (entry.text("kind") or "Service") == "Service":
                backends.extend(_backend(entry.at("name"), entry.at("port"), scope))
        paths.extend(_matched(rule))
        written = rule.at("timeouts", "request") or rule.at("timeouts", "backendRequest")
        told = _seconds(string(written, "timeouts") or "")
        if written is not None and told:
            gives_up = Located(told, scope.at("gives_up", written.where))
    hosts = [host for host, _ in strings(spec.at("hostnames") if spec else None, "hostnames")]
    parents = maps(spec.at("parentRefs") if spec else None, "parentRefs")
    return WayIn(
        kind="HTTPRoute",
        name=name,
        place=scope.here(tree.where),
        openings=tuple(Opening(host, *path) for host in hosts or [""] for path in paths),
        backends=tuple(backends),
        gives_up=gives_up,
        parents=tuple(parent.plain() for parent in parents),
        annotations={key: note.value for key, note in _notes(tree).items()},
    )


def _matched(rule: Tree) -> Iterator[tuple[str, str]]:
    """Paths that a rule of a route is for, and how each is compared; every path unless told."""
    matches = maps(rule.at("matches"), "matches")
    for match in matches:
        value, compared = match.at("path", "value"), match.at("path", "type")
        yield string(value, "value") or "/", string(compared, "type") or "PathPrefix"
    if not matches:
        yield "/", "PathPrefix"


def _seconds(text: str) -> int | None:
    """A duration in whole seconds; None for none, and for what is not written as one."""
    found = DURATION.findall(text)
    total = sum(float(number) * SECONDS[unit] for number, unit in found)
    return int(total) or None


def _buffers(notes: Notes, scope: Scope) -> Located[str] | None:
    """What tells ingress-nginx, which hands answers on unless told otherwise, to collect them."""
    key = f"{NGINX}proxy-buffering"
    note = notes.get(key)
    if note is None or note.value.lower() != "on":
        return None
    return Located(note.value, scope.entry("annotations", key, note.place))


def _notes(tree: Tree) -> Notes:
    metadata = a_map(tree.at("metadata"), "metadata")
    found = string_map(metadata.at("annotations") if metadata else None, "annotations")
    return {key: Located(value, at.where) for key, value, at in found}
