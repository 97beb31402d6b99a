"""Lays the example of a rule over a clean deployment.

An example is parts separated by lines ``---``. Each part begins with comment lines: directives
(``# gpu: h100``, ``# decode gpus: 8``, ``# release: 1.5.1``, ``# api: v1beta1``,
``# also: X001 X002``, ``# against: it``, ``# installed api: v1beta1``) and the name of what the
rest of the part is laid over, or of several with ``and`` between, as docs/rules/README.md tells. A
name that begins with ``installed`` is a part of what is installed, with ``# against: it``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from gptoss.facts.world import Facts
from gptoss.sources.chart.build import build_chart
from gptoss.sources.chart.helm import find_helm, render
from gptoss.sources.containers.compose import ComposeFile, build_compose
from gptoss.sources.engine_alone import Told
from gptoss.sources.engines_together import build_servers
from gptoss.sources.gitops.chart_releases import releases
from gptoss.sources.given import GivenFile
from gptoss.sources.kubernetes import build
from gptoss.text.yaml_tree import parse_documents
from tests.rules import base, compose_base, gitops_base, servers_base
from tests.rules.clean import Clean, Part
from tests.rules.patches import dump, merge

if TYPE_CHECKING:
    from gptoss.deployment.model import Deployment

FACTS = Facts()
INSTALLED = "installed "
BENCHMARK = "benchmark"
DIRECTIVES = ("gpu", "release", "api", "also", "against", "installed api")
GPUS = " gpus"


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
    def name(self) -> str:
        """Name of the graph."""
        graphs = [part.data for part in self.parts if part.target == "graph"]
        names = [graph.get("metadata", {}).get("name") for graph in graphs]
        return next(filter(None, names), base.NAME)

    @property
    def gpus(self) -> dict[str, str]:
        """GPUs of a pod, by the workers that are told."""
        return {
            key.removesuffix(GPUS): count
            for key, count in self.directives.items()
            if key.endswith(GPUS)
        }

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
    def is_servers(self) -> bool:
        """Whether it is laid over a configuration of trtllm-serve disaggregated."""
        return "servers" in self._targets

    @property
    def _targets(self) -> set[str]:
        own = [part.target for part in self.parts if not part.target.startswith(INSTALLED)]
        names = own or [part.target.removeprefix(INSTALLED) for part in self.parts]
        return {name.split()[0].removesuffix(".yaml") for name in [*names, *self.gpus]}


def read(text: str) -> Example:
    """Reads an example."""
    example = Example()
    for raw in text.split("\n---\n"):
        lines = raw.split("\n")
        while lines and lines[0].startswith("# "):
            word = lines.pop(0)[2:]
            name, colon, value = word.partition(": ")
            if colon and (name in DIRECTIVES or name.endswith(GPUS)):
                example.directives[name] = value
            else:
                rest = "\n".join(lines)
                example.parts += [Part(target, rest) for target in word.split(" and ")]
                break
        else:
            assert not "".join(lines).strip(), f"a part without a name: {raw}"
    return example


def text_of(example: Example) -> str:
    """The manifests of the base that fits, with the example laid over them."""
    release = example.directives.get("release", FACTS.default_release.version)
    if example.serves:
        clean = Clean.server(release)
    else:
        clean = Clean.graph(example.disaggregated, release, example.name)
    if "gpu" in example.directives:
        clean.select(FACTS.gpus[example.directives["gpu"]])
    for role, count in example.gpus.items():
        clean.ask_for_gpus(role, count)
    parts = [part for part in example.parts if not part.target.startswith(INSTALLED)]
    for part in parts:
        if part.name != BENCHMARK:
            clean.lay(part)
    benchmark = [part for part in parts if part.name == BENCHMARK]
    if not example.serves:
        clean.fit_benchmark(benchmark)
    for part in benchmark:
        clean.lay(part)
    return clean.text(beta=example.directives.get("api") == "v1beta1")


def _compose_text(example: Example) -> str:
    """A compose file with the example laid over it."""
    content = compose_base.compose(FACTS.default_release.version)
    for part in example.parts:
        merge(content, part.data)
    for role, engine in content.pop("engines").items():
        content["configs"][role] = {"content": dump(engine)}
    return dump(content)


def _of_servers(example: Example, release: str) -> Deployment:
    """A configuration of trtllm-serve disaggregated with the example laid over it."""
    content = servers_base.servers()
    for part in example.parts:
        merge(content, part.data)
    (tree,) = parse_documents(dump(content), "example.yaml")
    told = Told(release=release, gpu=example.directives.get("gpu", "gb200"))
    return build_servers(tree, "example.yaml", (), FACTS, told)


def _of_gitops(part: Part) -> Deployment:
    """What Helm renders for a HelmRelease or an Application with the example laid over it."""
    content = gitops_base.BASES[part.target]()
    merge(content, part.data)
    file = GivenFile(Path("example.yaml"))
    file.text = dump(content)
    (source,) = releases([file])
    return build_chart(render(source, find_helm()), FACTS)


def deployment_of(example: Example) -> Deployment:
    """The deployment that an example describes."""
    released = [part for part in example.parts if part.target in gitops_base.BASES]
    if released:
        return _of_gitops(released[0])
    release = example.directives.get("release")
    if example.is_servers:
        return _of_servers(example, release or FACTS.default_release.version)
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
    if "installed api" in example.directives:
        kept["api"] = example.directives["installed api"]
    alone = Example(installed) if installed else example
    before = Example([Part(_untouched(alone), "{}"), *installed], kept)
    return replace(deployment, installed=deployment_of(before))


def _untouched(example: Example) -> str:
    """An engine file of the clean deployment that an example is laid over."""
    if example.serves:
        return "server.yaml"
    return "decode.yaml" if example.disaggregated else "worker.yaml"
