"""What values of several charts have in common: model, environment, resources, ways in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gptoss.importing.charts.carrying import has_key
from gptoss.importing.environment import CHART, PLATFORM, TOKENS
from gptoss.importing.pods import QUANTITY
from gptoss.text.places import Located
from gptoss.text.secrets import is_secret

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gptoss.importing.charts.carrying import Carrying
    from gptoss.text.places import Place
    from gptoss.text.yaml_tree import Tree

REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+")
GPU = "nvidia.com/gpu"
# Variables that only the other server reads.
OTHERS = re.compile(r"(VLLM|LMCACHE|UCX_NET|PYTHONHASHSEED|NGC|RAY)(_|$)")
IN_SECRET = "put it into a Secret and name that in "  # noqa: S105 (words of a message)
# Maps whose keys are free, and whole values beside them, that go under a worker as they stand.
POD_KEYS = {
    "podAnnotations": "podAnnotations",
    "podLabels": "podLabels",
    "extraVolumes": "extraVolumes",
    "extraVolumeMounts": "extraVolumeMounts",
    "priorityClassName": "priorityClassName",
    "runtimeClassName": "runtimeClassName",
    "schedulerName": "schedulerName",
    "terminationGracePeriodSeconds": "terminationGracePeriodSeconds",
}
# Controllers whose annotations the chart writes, by a word of their class.
CONTROLLERS = {"nginx": "nginx", "haproxy": "haproxy", "alb": "aws"}
INGRESS_KEYS = {
    "enabled": "enabled",
    "className": "className",
    "annotations": "annotations",
    "tls": "tls",
}


def text_of(tree: Tree | None) -> str:
    """A scalar as text; '' where there is none."""
    return "" if tree is None or tree.is_container or tree.value is None else str(tree.value)


def word_of(tree: Tree | None) -> Located[str] | None:
    """A scalar as text with its place."""
    text = text_of(tree)
    return Located(text, tree.where) if tree is not None and text else None


def carry_model(named: Tree | None, identifier: str, carrying: Carrying) -> None:
    """Puts the model and the commit of it that the chart pins.

    Args:
        named: What names the model; None where nothing does.
        identifier: Its repository; '' where that is not told.
        carrying: The import.
    """
    known = carrying.facts.models
    if not REPOSITORY.fullmatch(identifier):
        first = next(iter(known.values()))
        told = f"no repository is known for the model {identifier}".rstrip()
        carrying.chosen(f"{told}; {first.id} is taken", named)
        identifier = first.id
    if named is not None:
        carrying.carry(named, "model.id", identifier)
    else:
        carrying.choose("model.id", identifier)
    model = known.get(identifier)
    if model is None:
        told = f"the chart's targets and checks are for {' and '.join(known)}; {identifier} needs "
        told += "the commit in model.revision and engine settings of its own"
        carrying.left_out(told, named or carrying.tree)
        return
    carrying.choose("model.revision", model.revision, "the commit that the chart pins")


def carry_environment(env: Tree | None, worker: str, carrying: Carrying) -> dict[str, Located[str]]:
    """Puts a container's variables under a worker, and says which are left out.

    Returns:
        Those of a form that only the other server reads, by name.
    """
    others: dict[str, Located[str]] = {}
    for entry in env.elements() if env is not None else ():
        name, value, source = text_of(entry.at("name")), entry.at("value"), entry.at("valueFrom")
        carrying.done(entry)
        if name in TOKENS:
            _carry_token(entry, carrying)
        elif name in (*CHART, *PLATFORM):
            continue
        elif name.startswith("NIM_"):
            others[name] = Located(text_of(value), entry.place)
        elif OTHERS.match(name):
            carrying.left_out(f"{worker}: ${name} is read by nobody here", entry.place)
        elif source is not None and source.is_map:
            carrying.choose(f"workers.{worker}.env.{name}", source.plain(), _where(entry.place))
        elif is_secret(name, text_of(value)):
            told = f"{worker}: ${name} looks like a secret in plain text; {IN_SECRET}env"
            carrying.left_out(told, entry.place)
        elif name:
            carrying.choose(f"workers.{worker}.env.{name}", text_of(value), _where(entry.place))
    carrying.done(env)
    return others


def _carry_token(entry: Tree, carrying: Carrying) -> None:
    reference = entry.at("valueFrom", "secretKeyRef")
    if reference is None:
        told = f"the token stands there as plain text; {IN_SECRET}modelCache.download.tokenSecret"
        carrying.left_out(told, entry.place)
        return
    carry_token(reference.at("name"), reference.at("key"), carrying)


def carry_token(name: Tree | None, key: Tree | None, carrying: Carrying) -> None:
    """Puts the Secret with the token of the Hugging Face hub."""
    carrying.carry(name, "modelCache.download.tokenSecret.name")
    carrying.carry(key, "modelCache.download.tokenSecret.key")


def carry_resources(tree: Tree | None, to: str, carrying: Carrying) -> Located[str] | None:
    """Puts requests and limits of CPU, memory and the like.

    Returns:
        GPUs that the limits, or else the requests, ask for.
    """
    gpus = None
    for kind in ("requests", "limits"):
        inner = tree.at(kind) if tree is not None else None
        found = {}
        for name, quantity in inner.items() if inner is not None else ():
            text = text_of(quantity)
            if name == GPU:
                gpus = Located(text, quantity.where)
                carrying.done(quantity)
            elif "rdma" in name:
                carrying.carry(quantity, "hardware.rdma.resource", name)
            elif QUANTITY.fullmatch(text):
                found[name] = text
            elif text:
                carrying.left_out(f"{kind} of {name} is {text}, which is no quantity", quantity)
        if found:
            carrying.carry(inner, f"{to}.resources.{kind}", found)
    return gpus


def carry_pull_secrets(trees: Sequence[Tree | None], carrying: Carrying) -> None:
    """Puts the names of pull Secrets, written as names or as maps that hold one."""
    for tree in trees:
        if tree is None:
            continue
        entries = tree.elements() or [tree]
        names = [text_of(each.at("name") if each.is_map else each) for each in entries]
        if any(names):
            carrying.carry(tree, "imagePullSecrets", [name for name in names if name])


def carry_ingress(tree: Tree | None, carrying: Carrying) -> None:
    """Puts an Ingress; paths stay those of the chart, below ``/v1``."""
    if tree is None or not is_on(tree.at("enabled")):
        return
    carrying.carry_all(tree, INGRESS_KEYS, "ingress.")
    known = (who for word, who in CONTROLLERS.items() if word in text_of(tree.at("className")))
    if controller := next(known, None):
        carrying.choose("ingress.controller", controller, "by its class")
    hosts = tree.at("hosts")
    if hosts is None or not has_key("ingress.hosts"):
        return
    named = [{"host": text_of(each.at("host"))} for each in hosts.elements()]
    carrying.carry(hosts, "ingress.hosts", named)
    paths = {text_of(each.at("path")) for each in _paths(hosts)} - {"/v1", ""}
    if paths:
        told = f"{', '.join(sorted(paths))} of the Ingress: the chart lets in /v1, below which are "
        carrying.mended(f"{told}no metrics; ingress.hosts[].paths has others", hosts)


def is_on(tree: Tree | None) -> bool:
    """Whether a switch is on."""
    return tree is not None and tree.value is True


def _paths(hosts: Tree) -> Iterator[Tree]:
    for host in hosts.elements():
        paths = host.at("paths")
        yield from paths.elements() if paths is not None else ()


def carry_account(tree: Tree | None, carrying: Carrying) -> None:
    """Puts the service account of workers as that of the Jobs; the operator gives workers one."""
    if tree is not None and text_of(tree):
        carrying.carry(tree, "serviceAccount.name")
        told = (
            f"service account {text_of(tree)}: the chart's own Jobs have it, and pods of a graph "
        )
        carrying.mended(f"{told}the one by which the operator lets them find each other", tree)


def carry_monitor(tree: Tree | None, carrying: Carrying, labels: str = "labels") -> None:
    """Puts a PodMonitor or ServiceMonitor as the chart's PodMonitor."""
    if tree is not None and is_on(tree.at("enabled")):
        rows = {"enabled": "enabled", "interval": "interval", "scrapeTimeout": "scrapeTimeout"}
        carrying.carry_all(tree, rows | {labels: "labels"}, "monitoring.podMonitor.")


def _where(place: Place) -> str:
    return f"{place.file}:{place.line}"
