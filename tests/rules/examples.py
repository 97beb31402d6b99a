"""Lays the example of a rule over a clean deployment.

An example is parts separated by lines ``---``. Each part begins with comment lines: directives
(``# gpu: h100``, ``# release: 1.5.1``, ``# api: v1beta1``, ``# also: X001 X002``,
``# against: it``) and the name of
what the rest of the part is laid over, as docs/rules/README.md tells. A name that begins with
``installed`` is a part of what is installed, with ``# against: it``.
"""

from __future__ import annotations

import shlex
from copy import deepcopy
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from gptoss.facts.world import Facts
from gptoss.sources.containers.compose import ComposeFile, build_compose
from gptoss.sources.kubernetes import build
from gptoss.text.yaml_tree import parse_documents
from tests.rules import base, compose_base, serve_base

if TYPE_CHECKING:
    from gptoss.deployment.model import Deployment

FACTS = Facts()
AGGREGATED_ONLY = ("worker", "worker.yaml")
INSTALLED = "installed "
DIRECTIVES = ("gpu", "release", "api", "also", "against")


@dataclass
class Part:
    """One part of an example: what it is laid over, and its text."""

    target: str
    text: str

    @property
    def data(self) -> Any:
        return yaml.safe_load(self.text)


@dataclass
class Example:
    """An example as written."""

    parts: list[Part] = field(default_factory=list)
    directives: dict[str, str] = field(default_factory=dict)

    @property
    def also(self) -> set[str]:
        """Rules that this example fires besides its own."""
        return set(self.directives.get("also", "").split())

    @property
    def disaggregated(self) -> bool:
        return "worker" not in self._targets

    @property
    def serves(self) -> bool:
        """Whether it is laid over the deployment of trtllm-serve."""
        return bool({"server", "service"} & self._targets)

    @property
    def is_compose(self) -> bool:
        """Whether it is laid over a compose file."""
        return "compose" in self._targets

    @property
    def _targets(self) -> set[str]:
        names = [part.target.removeprefix(INSTALLED) for part in self.parts]
        return {name.split()[0].removesuffix(".yaml") for name in names}


def read(text: str) -> Example:
    """Reads an example."""
    example = Example()
    for raw in text.split("\n---\n"):
        lines = raw.split("\n")
        while lines and lines[0].startswith("# "):
            word = lines.pop(0)[2:]
            name, colon, value = word.partition(": ")
            if colon and name in DIRECTIVES:
                example.directives[name] = value
            else:
                example.parts.append(Part(word, "\n".join(lines)))
                break
        else:
            assert not "".join(lines).strip(), f"a part without a name: {raw}"
    return example


def text_of(example: Example) -> str:
    """The manifests of the base that fits, with the example laid over them."""
    if example.serves:
        return _serve_text(example)
    release = example.directives.get("release", FACTS.default_release.version)
    disaggregated = example.disaggregated
    engines = base.engines(disaggregated)
    texts: dict[str, str] = {}
    graph = deepcopy(base.graph(disaggregated, release))
    jobs = {
        "benchmark": deepcopy(base.benchmark(disaggregated, release)),
        "download": deepcopy(base.download(release)),
    }
    extra: list[Any] = []
    services = graph["spec"]["services"]
    if "gpu" in example.directives:
        _place(services, example.directives["gpu"])
    for part in example.parts:
        if part.target.startswith(INSTALLED):
            continue
        name, _, what = part.target.partition(" ")
        role = name.removesuffix(".yaml")
        if name == "graph":
            merge(graph, part.data)
        elif name == "document":
            extra.append(part.data)
        elif what == "text":
            texts[role] = part.text + "\n"
        elif name.endswith(".yaml"):
            merge(engines[role], part.data)
        elif name in jobs:
            _patch_job(jobs[name], what, part)
        else:
            _patch_service(services["Frontend" if name == "frontend" else name], what, part)
    if example.directives.get("api") == "v1beta1":
        graph = base.as_v1beta1(graph)
    dumped = {role: dump(engine) for role, engine in engines.items()} | texts
    documents = [base.claim(), jobs["download"], base.config_map(dumped), graph]
    return "---\n".join(dump(d) for d in [*documents, jobs["benchmark"], *extra])


def _serve_text(example: Example) -> str:
    """The manifests of trtllm-serve, with the example laid over them."""
    release = example.directives.get("release", FACTS.default_release.version)
    engine, text = deepcopy(serve_base.ENGINE), None
    objects = {
        "server": deepcopy(serve_base.server(release)),
        "service": serve_base.service(),
        "benchmark": serve_base.benchmark(release),
        "download": deepcopy(base.download(release)),
    }
    extra: list[Any] = []
    if "gpu" in example.directives:
        _select(objects["server"]["spec"]["template"]["spec"], example.directives["gpu"])
    for part in example.parts:
        name, _, what = part.target.partition(" ")
        if part.target == "document":
            extra.append(part.data)
        elif name == "server.yaml" and what == "text":
            text = part.text + "\n"
        elif name == "server.yaml":
            merge(engine, part.data)
        elif name == "service":
            merge(objects[name], part.data)
        elif not part.target.startswith(INSTALLED):
            _patch_job(objects[name], what, part)
    config = base.config_map({"server": text or dump(engine)})
    documents = [base.claim(), config, *objects.values(), *extra]
    return "---\n".join(dump(document) for document in documents)


def _compose_text(example: Example) -> str:
    """A compose file with the example laid over it."""
    content = compose_base.compose(FACTS.default_release.version)
    for part in example.parts:
        merge(content, part.data)
    for role, engine in content.pop("engines").items():
        content["configs"][role] = {"content": dump(engine)}
    return dump(content)


def deployment_of(example: Example) -> Deployment:
    """The deployment that an example describes."""
    release = example.directives.get("release")
    if example.is_compose:
        text = _compose_text(example)
        file = ComposeFile("example.yaml", text, parse_documents(text, "example.yaml")[0], Path())
        return build_compose(file, FACTS, release)
    documents = parse_documents(text_of(example), "example.yaml")
    deployment = build.build(documents, "example.yaml", FACTS, release=release)
    if "against" not in example.directives:
        return deployment
    kept = {key: text for key, text in example.directives.items() if key in ("release", "api")}
    installed = [
        Part(part.target.removeprefix(INSTALLED), part.text)
        for part in example.parts
        if part.target.startswith(INSTALLED)
    ]
    before = Example([Part(_untouched(example), "{}"), *installed], kept)
    return replace(deployment, installed=deployment_of(before))


def _untouched(example: Example) -> str:
    """An engine file of the clean deployment that an example is laid over."""
    if example.serves:
        return "server.yaml"
    return "decode.yaml" if example.disaggregated else "worker.yaml"


def merge(target: dict[str, Any], patch: dict[str, Any]) -> None:
    """Merges maps deeply; null removes, everything else replaces."""
    for key, value in patch.items():
        if value is None and not key.endswith("!"):
            target.pop(key, None)
        elif isinstance(value, dict) and isinstance(target.get(key), dict):
            merge(target[key], value)
        else:
            target[key] = value


def dump(data: Any) -> str:
    """YAML with texts of several lines as literal blocks."""
    return yaml.dump(data, Dumper=_Dumper, sort_keys=False, width=1000, allow_unicode=True)


def _patch_service(service: dict[str, Any], what: str, part: Part) -> None:
    container = service["extraPodSpec"]["mainContainer"]
    if what == "container":
        merge(container, part.data)
    elif what:
        _patch_container(container, what, part)
    else:
        merge(service, part.data)


def _patch_job(job: dict[str, Any], what: str, part: Part) -> None:
    container = job["spec"]["template"]["spec"]["containers"][0]
    if what == "container":
        merge(container, part.data)
    elif what:
        _patch_container(container, what, part)
    else:
        merge(job, part.data)


def _patch_container(container: dict[str, Any], what: str, part: Part) -> None:
    key = "args" if "args" in container else "command"
    if what == "flags":
        given = shlex.split(part.text)
        if part.target.startswith("benchmark"):
            for flag in _replaced(container[key], given):
                container[key] = _without(container[key], flag)
        container[key] = container[key] + given
    elif what == "flags removed":
        for flag in part.text.split():
            container[key] = _without(container[key], flag)
    elif what == "env":
        variables = {variable["name"]: variable for variable in container["env"]}
        for name, value in part.data.items():
            variables.pop(name, None)
            if value is not None:
                variables[name] = {"name": name, "value": value}
        container["env"] = list(variables.values())
    else:
        raise ValueError(f"nothing is known about {part.target!r}")


def _replaced(words: list[str], given: list[str]) -> list[str]:
    """Flags of aiperf that are given anew: it refuses most of them when they come twice."""
    return [word for word in given if word.startswith("--") and word in words]


def _without(words: list[str], flag: str) -> list[str]:
    at = words.index(flag)
    has_value = at + 1 < len(words) and not words[at + 1].startswith("--")
    return words[:at] + words[at + 1 + has_value :]


def _place(services: dict[str, Any], gpu: str) -> None:
    for service in services.values():
        if service["componentType"] == "worker":
            _select(service["extraPodSpec"], gpu)


def _select(pod: dict[str, Any], gpu: str) -> None:
    facts = FACTS.gpus[gpu]
    pod["nodeSelector"] = {
        "nvidia.com/gpu.product": facts.product_labels[0],
        "kubernetes.io/arch": facts.architecture,
    }


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)
