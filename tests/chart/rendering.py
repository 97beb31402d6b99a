"""Renders the chart through real Helm, once a question."""

import json
import os
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from gptoss.facts.world import Facts
from gptoss.text import plain_yaml
from tests import kept_renderings

ROOT = Path(__file__).resolve().parents[2]
CHART = ROOT / "charts" / "gpt-oss"
HELMS = ("helm3", "helm4")
RELEASES = Facts().releases
TARGETS = tuple(sorted(path.name.removesuffix("-values.yaml") for path in CHART.glob("ci/*.yaml")))
SHIPPED = tuple(name for name in TARGETS if (ROOT / "values" / f"{name}.yaml").is_file())
# What `gptoss tune` made of a documented target.
TUNED = tuple(name for name in SHIPPED if name.endswith("-tuned"))


def _values(target: str) -> Path:
    """The values of a target, shipped or of ct."""
    shipped = CHART / "targets" / f"{target}.yaml"
    return shipped if shipped.is_file() else CHART / "ci" / f"{target}-values.yaml"


SERVE = tuple(name for name in TARGETS if "kind: trtllm-serve" in _values(name).read_text())
DYNAMO = tuple(name for name in TARGETS if name not in SERVE)


def run(helm: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs a pinned Helm in the repository."""
    binary = ROOT / ".tools" / "bin" / helm
    assert binary.exists(), f"{binary} is missing: run `make tools`"
    # Rendering is over before Go's garbage collector would pay off.
    environment = {**os.environ, "GOGC": "off"}
    return kept_renderings.run(
        [binary, *arguments],
        cwd=ROOT,
        env=environment,
        check=False,
        timeout=60,
    )


@cache
def text(target: str, *settings: str, helm: str = "helm4", name: str = "gpt-oss") -> str:
    """What a target renders to."""
    options = [option for setting in settings for option in ("--set", setting)]
    values = CHART / "ci" / f"{target}-values.yaml"
    done = run(helm, "template", name, str(CHART), "--values", str(values), *options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def objects(target: str, *settings: str, helm: str = "helm4") -> list[dict[str, Any]]:
    """The objects that a target renders to."""
    rendered = text(target, *settings, helm=helm)
    documents = plain_yaml.load_all(rendered)
    return [document for document in documents if document]


def with_values(values: dict[str, Any], *, helm: str = "helm4") -> list[dict[str, Any]]:
    """The objects that a user's values file renders to."""
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(json.dumps(values))
        file.flush()
        done = run(helm, "template", "gpt-oss", str(CHART), "--values", file.name)
    assert done.returncode == 0, done.stderr
    return [document for document in plain_yaml.load_all(done.stdout) if document]


def dumped(documents: list[Any]) -> str:
    """Objects as one text of YAML."""
    return yaml.dump_all(documents, Dumper=yaml.CSafeDumper)


def refusal(target: str | None, *settings: str, helm: str = "helm4", name: str = "gpt-oss") -> str:
    """Why Helm refuses a target with settings."""
    options = [option for setting in settings for option in ("--set", setting)]
    values = ["--values", str(CHART / "ci" / f"{target}-values.yaml")] if target else []
    done = run(helm, "template", name, str(CHART), *values, *options)
    assert done.returncode != 0, f"rendered although {settings}"
    return done.stderr


def one(kind: str, found: list[dict[str, Any]], part: str = "") -> dict[str, Any]:
    """The one object of a kind whose name holds a part."""
    matching = [o for o in found if o["kind"] == kind and part in o["metadata"]["name"]]
    assert len(matching) == 1, [o["metadata"]["name"] for o in matching]
    return matching[0]


def engine_of(found: list[dict[str, Any]], worker: str) -> dict[str, Any]:
    """The engine configuration of a worker."""
    data = one("ConfigMap", found, f"-{worker}-engine-")["data"]
    engine: dict[str, Any] = plain_yaml.load(data[f"{worker}.yaml"])
    return engine


def components(found: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """What serves, by name and in one form: type, replicas, annotations and pod spec.

    Components of the graph, or the server of trtllm-serve under its worker's name.
    """
    servers = [o for o in found if o["kind"] == "Deployment"]
    if servers:
        return {"worker": _from_deployment(servers[0])}
    graph = one("DynamoGraphDeployment", found)
    if graph["apiVersion"].endswith("v1alpha1"):
        return {name: _from_service(service) for name, service in graph["spec"]["services"].items()}
    return {entry["name"]: _from_entry(entry) for entry in graph["spec"]["components"]}


def _from_deployment(server: dict[str, Any]) -> dict[str, Any]:
    template = server["spec"]["template"]
    return {
        "type": "server",
        "component_type": "server",
        "replicas": server["spec"].get("replicas"),
        "metadata": template["metadata"],
        "spec": template["spec"],
    }


def _from_service(service: dict[str, Any]) -> dict[str, Any]:
    spec = dict(service["extraPodSpec"])
    main = {"name": "main", **spec.pop("mainContainer")}
    resources: dict[str, Any] = {}
    for kind, amounts in service["resources"].items():
        if kind == "claims":
            resources[kind] = amounts
            continue
        names = {"gpu": "nvidia.com/gpu"}
        quantities = {**amounts, **amounts.get("custom", {})}
        quantities.pop("custom", None)
        resources[kind] = {names.get(key, key): value for key, value in quantities.items()}
    main["resources"] = resources
    spec["containers"] = [main, *spec.get("containers", [])]
    role = service.get("subComponentType", service["componentType"])
    return {
        "type": role,
        "component_type": service["componentType"],
        "replicas": service.get("replicas"),
        "shared_memory": service.get("sharedMemory", {}).get("size"),
        "multinode": service.get("multinode"),
        "runtime_version": service.get("runtimeVersionOverride"),
        "metadata": service["extraPodMetadata"],
        "spec": spec,
    }


def _from_entry(entry: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": entry["type"],
        "component_type": entry["type"],
        "replicas": entry.get("replicas"),
        "shared_memory": entry.get("sharedMemorySize"),
        "multinode": entry.get("multinode"),
        "runtime_version": entry.get("runtimeVersionOverride"),
        "metadata": entry["podTemplate"]["metadata"],
        "spec": entry["podTemplate"]["spec"],
    }


def environment(container: dict[str, Any]) -> dict[str, str]:
    """A container's literal environment."""
    return {e["name"]: e["value"] for e in container.get("env", []) if "value" in e}


def pods(found: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Every pod that the objects lead to, by name, as Pod manifests."""
    specs: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {}
    for name, component in components(found).items():
        specs[name] = (component["metadata"], component["spec"])
    for item in found:
        if item["kind"] in ("Job", "DaemonSet"):
            template = item["spec"]["template"]
            specs[item["metadata"]["name"]] = (template["metadata"], template["spec"])
        if item["kind"] == "Pod":
            specs[item["metadata"]["name"]] = (item["metadata"], item["spec"])
    return {
        name: {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name, **{k: v for k, v in metadata.items() if k != "name"}},
            "spec": spec,
        }
        for name, (metadata, spec) in specs.items()
    }
