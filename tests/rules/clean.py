"""The clean deployment that an example is laid over, part by part."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gptoss.text import plain_yaml
from tests.rules import base, patches, serve_base
from tests.rules.patches import dump
from tests.rules.v1beta1 import as_v1beta1

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gptoss.facts.world import Gpu


@dataclass(frozen=True)
class Part:
    """One part of an example: what it is laid over, and its text."""

    target: str
    text: str

    @property
    def name(self) -> str:
        """``decode`` of ``decode flags``."""
        return self.target.partition(" ")[0]

    @property
    def what(self) -> str:
        """``flags`` of ``decode flags``."""
        return self.target.partition(" ")[2]

    @property
    def data(self) -> Any:
        return plain_yaml.load(self.text)


@dataclass
class Clean:
    """A deployment by the names that parts of examples have.

    Attributes:
        objects: What is written, in this order.
        components: What has pods that serve.
        engines: The engine YAML of each worker, for the ConfigMap.
        texts: Engine YAML that stands as an example writes it.
    """

    objects: dict[str, Any]
    components: dict[str, Any]
    engines: dict[str, Any]
    texts: dict[str, str] = field(default_factory=dict)

    @staticmethod
    def server(release: str) -> Clean:
        """The one of trtllm-serve."""
        objects = {
            "claim": base.claim(),
            "download": base.download(release),
            "config": base.config_map({}),
            "server": serve_base.server(release),
            "service": serve_base.service(),
            "benchmark": serve_base.benchmark(release),
        }
        objects = _unshared(objects)
        engines = _unshared({"server": serve_base.ENGINE})
        return Clean(objects, {"server": objects["server"]}, engines)

    @staticmethod
    def graph(disaggregated: bool, release: str, name: str) -> Clean:
        """The one of Dynamo."""
        objects = {
            "claim": base.claim(),
            "download": base.download(release),
            "config": base.config_map({}, name),
            "graph": base.graph(disaggregated, release, name),
            "benchmark": base.benchmark(disaggregated, release, name),
        }
        objects = _unshared(objects)
        services = objects["graph"]["spec"]["services"]
        components = {key.lower(): service for key, service in services.items()}
        return Clean(objects, components, base.engines(disaggregated))

    def select(self, gpu: Gpu) -> None:
        """Places every worker on nodes with this GPU."""
        for role in self.engines:
            patches.pod_of(self.components[role])["nodeSelector"] = {
                "nvidia.com/gpu.product": gpu.product_labels[0],
                "kubernetes.io/arch": gpu.architecture,
            }

    def ask_for_gpus(self, role: str, count: str) -> None:
        """Gives each pod of a worker so many GPUs."""
        resources = {kind: {"gpu": count} for kind in ("requests", "limits")}
        patches.merge(self.components[role], {"resources": resources})

    def lay(self, part: Part) -> None:
        """Lays a part over it."""
        role = part.name.removesuffix(".yaml")
        if part.name == "document":
            self.objects[f"document {len(self.objects)}"] = part.data
        elif part.what == "text":
            self.texts[role] = part.text + "\n"
        elif part.what == "lines":
            others = {k: v for k, v in self.engines[role].items() if k not in part.data}
            self.texts[role] = f"{part.text}\n{dump(others)}"
        elif part.name != role:
            _set_engine(self.engines[role], part.data)
        else:
            if part.name == "accuracy":
                self.objects.setdefault(part.name, base.accuracy())
            target = self.components.get(part.name) or self.objects[part.name]
            patches.lay(target, part.what, part.text)

    def fit_benchmark(self, parts: Iterable[Part]) -> None:
        """Lets the benchmark ask as much of the graph as fits, but what parts of an example say.

        Other numbers than those that the parts give follow from them.
        """
        services = self.objects["graph"]["spec"]["services"]
        workers = [(role, services[role]) for role in self.engines if role in services]
        gpus = [_gpus(service) for _, service in workers]
        rooms = [_room(self.engines[role], s) for role, s in workers if role != "prefill"]
        if not all(gpus) or not all(rooms) or not rooms:
            return
        flags = shlex.split(" ".join(p.text for p in parts if p.target == "benchmark flags"))
        concurrency = _given(flags, "--concurrency") or max(sum(rooms) // sum(gpus), 1) * sum(gpus)
        requests = _given(flags, "--request-count") or 10 * concurrency
        base.set_load(self.objects["benchmark"], sum(gpus), concurrency, requests)

    def text(self, *, beta: bool = False) -> str:
        """All manifests, with the graph in ``v1beta1`` on demand."""
        engines = {role: dump(engine) for role, engine in self.engines.items()} | self.texts
        self.objects["config"]["data"] = {f"{role}.yaml": text for role, text in engines.items()}
        objects = list(self.objects.values())
        if beta:
            objects = [as_v1beta1(o) if o.get("kind") == base.GRAPH else o for o in objects]
        return "---\n".join(dump(document) for document in objects)


def _unshared(objects: dict[str, Any]) -> dict[str, Any]:
    """The same without a map that stands in two places."""
    copied: dict[str, Any] = json.loads(json.dumps(objects))
    return copied


def _set_engine(engine: dict[str, Any], patch: dict[str, Any]) -> None:
    """Merges into an engine YAML; its CUDA graphs cover its batch, unless the patch has graphs."""
    patches.merge(engine, patch)
    if patch.get("max_batch_size") and "cuda_graph_config" not in patch:
        engine["cuda_graph_config"]["max_batch_size"] = engine["max_batch_size"]


def _gpus(service: dict[str, Any]) -> int:
    """GPUs of all pods of a worker, or 0 when it does not say."""
    resources = service.get("resources", {})
    asked = resources.get("limits", {}).get("gpu") or resources.get("requests", {}).get("gpu", 0)
    nodes = service.get("multinode", {}).get("nodeCount", 1)
    return int(asked) * int(nodes) * int(service.get("replicas", 1))


def _room(engine: dict[str, Any], service: dict[str, Any]) -> int:
    """Requests that all replicas of a worker decode at once."""
    ranks = engine["tensor_parallel_size"] if engine.get("enable_attention_dp") else 1
    return int(engine.get("max_batch_size", 0)) * int(ranks) * int(service.get("replicas", 1))


def _given(words: list[str], flag: str) -> int:
    """The number that a flag is given, or 0."""
    return int(words[words.index(flag) + 1]) if flag in words else 0
