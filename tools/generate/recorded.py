"""Documents as they are recorded under schema/documents, and the deployments that they describe.

A record is written out in the form that its document has (manifests, a script, a Truss) and read
by the project's own sources, so that precedence, defaults and releases count as for any other.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from gptoss.deployment.settings import nested
from gptoss.sources.containers.script import build_script, build_workload
from gptoss.sources.containers.script_group import GivenScript
from gptoss.sources.kubernetes.build import build
from gptoss.sources.truss.build import build_truss
from gptoss.text import plain_yaml
from gptoss.text.yaml_tree import parse_documents

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gptoss.deployment.model import Deployment
    from gptoss.facts.world import Facts

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path("schema/documents")
ENGINE = "/etc/engine"


@dataclass(frozen=True, slots=True)
class Document:
    """A document that targets are made of.

    Attributes:
        name: Its file under schema/documents, without the ending.
        title, publisher: What it is called, and by whom.
        sources: Where its parts are published, by name.
        deployments: What it deploys, by name.
        because: Why targets differ from them.
        items: What else it says, by its headings, each with its place here.
    """

    name: str
    title: str
    publisher: str
    sources: Mapping[str, str]
    deployments: Mapping[str, Mapping[str, Any]]
    because: tuple[Mapping[str, Any], ...] = ()
    items: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)

    @property
    def file(self) -> str:
        """Its path in the repository."""
        return str(FOLDER / f"{self.name}.yaml")


@cache
def documents() -> tuple[Document, ...]:
    """Every document that is recorded, in the order of their names."""
    found = []
    for path in sorted((ROOT / FOLDER).glob("*.yaml"), key=lambda path: path.stem):
        known = plain_yaml.load(path.read_text(encoding="utf-8"))
        because = tuple(known.pop("because", ()))
        found.append(Document(path.stem, **known, because=because))
    return tuple(found)


def deployment_of(document: Document, name: str, facts: Facts) -> Deployment:
    """A deployment of a document, read as users' files are.

    Raises:
        InputError: The record cannot be read in its form.
    """
    record = document.deployments[name]
    return {"graph": _graph, "script": _script, "truss": _truss}[record["form"]](
        record, f"{document.name}: {name}", facts
    )


def words(flags: Mapping[str, Any]) -> Iterator[str]:
    """Flags as words of a command line: null takes no value, a list is given several times."""
    for name, value in flags.items():
        for each in value if isinstance(value, list) else [value]:
            yield name
            if each is not None:
                yield str(each)


def _graph(record: Mapping[str, Any], label: str, facts: Facts) -> Deployment:
    """A DynamoGraphDeployment with its ConfigMap and its Job."""
    engines = {name: worker["engine"] for name, worker in record["workers"].items()}
    config = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "engine"},
        "data": {f"{name}.yaml": yaml.safe_dump(nested(e)) for name, e in engines.items()},
    }
    parts = {"Frontend": {"componentType": "frontend", "replicas": 1, **_pod(record, "frontend")}}
    for name, worker in record["workers"].items():
        parts[name] = {
            "componentType": "worker",
            "replicas": 1,
            "sharedMemory": {"size": worker["sharedMemory"]},
            "envFromSecret": worker["secrets"][0],
            "resources": {"limits": {"gpu": str(worker["gpus"])}},
            **_pod(record, name),
        }
    graph = {
        "apiVersion": "nvidia.com/v1alpha1",
        "kind": "DynamoGraphDeployment",
        "metadata": {"name": "document"},
        "spec": {"backendFramework": "trtllm", "services": parts},
    }
    objects = [config, graph, _job(record["benchmark"])]
    return build(parse_documents(yaml.safe_dump_all(objects), label), label, facts)


def _pod(record: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The pod of a component: the frontend, or a worker with its engine file."""
    component = record["frontend"] if name == "frontend" else record["workers"][name]
    flags = dict(component["flags"])
    if "engine" in component:
        flags["--extra-engine-args"] = f"{ENGINE}/{name}.yaml"
    module = "dynamo.frontend" if name == "frontend" else "dynamo.trtllm"
    claims = component.get("claims", {})
    mounts = [{"name": claim, "mountPath": path} for claim, path in claims.items()]
    volumes = [{"name": c, "persistentVolumeClaim": {"claimName": c}} for c in claims]
    if "engine" in component:
        mounts.append({"name": "engine", "mountPath": ENGINE})
        volumes.append({"name": "engine", "configMap": {"name": "engine"}})
    container = {
        "image": record["image"],
        "command": ["python3", "-m", module, *words(flags)],
        "env": _variables(component),
        "volumeMounts": mounts,
    }
    return {"extraPodSpec": {"mainContainer": container, "volumes": volumes}}


def _variables(component: Mapping[str, Any]) -> list[dict[str, str]]:
    return [{"name": n, "value": v} for n, v in component.get("environment", {}).items()]


def _job(benchmark: Mapping[str, Any]) -> dict[str, Any]:
    container = {
        "name": "perf",
        "image": benchmark["image"],
        "command": ["aiperf", "profile", *words(benchmark["flags"])],
        "env": _variables(benchmark),
        "securityContext": {"privileged": benchmark["privileged"]},
    }
    pod = {"restartPolicy": "Never", "containers": [container]}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "benchmark"},
        "spec": {"template": {"spec": pod}},
    }


def _script(record: Mapping[str, Any], label: str, facts: Facts) -> Deployment:
    """A ``docker run`` line, and what is typed in its shell."""
    lines = [shlex.join(["docker", "run", *words(record["container"]), record["image"]])]
    for name, worker in record["workers"].items():
        engine = yaml.safe_dump(nested(worker["engine"]))
        lines.append(f"cat > {ENGINE}/{name}.yaml <<'EOF'\n{engine}EOF")
    if "frontend" in record:
        flags = words(record["frontend"]["flags"])
        lines.append(shlex.join(["python3", "-m", "dynamo.frontend", *flags]) + " &")
    lines += [_serving(name, worker) for name, worker in record["workers"].items()]
    lines += _measuring(record.get("benchmark"))
    text = "\n".join(lines) + "\n"
    given = GivenScript(text, label)
    return build_script([given], facts, record.get("release"), record["gpu"])


def _serving(name: str, worker: Mapping[str, Any]) -> str:
    file = f"{ENGINE}/{name}.yaml"
    if model := worker.get("serve"):
        flags = words({**worker["flags"], "--extra_llm_api_options": file})
        return shlex.join(["trtllm-serve", model, *flags]) + " &"
    devices = ",".join(map(str, worker["devices"]))
    flags = words({**worker["flags"], "--extra-engine-args": file})
    command = shlex.join(["python3", "-m", "dynamo.trtllm", *flags])
    return f"CUDA_VISIBLE_DEVICES={devices} {command} &"


def _measuring(benchmark: Mapping[str, Any] | None) -> Iterator[str]:
    """The load generator's command, in the loop of a sweep."""
    if benchmark is None:
        return
    given = [w if "$" in w else shlex.quote(w) for w in words(benchmark["flags"])]
    command = f"{benchmark['tool']} {' '.join(given)}"
    if "concurrencies" in benchmark:
        steps = " ".join(map(str, benchmark["concurrencies"]))
        command = f"for concurrency in {steps}; do\n{command}\ndone"
    yield command


def _truss(record: Mapping[str, Any], label: str, facts: Facts) -> Deployment:
    """A Truss ``config.yaml``, and the benchmark that its README tells of."""
    gpu, checkpoint = record["accelerator"], record["checkpoint"]
    runtime = {
        **nested(record["engine"]["named"]),
        "served_model_name": record["servedName"],
        "patch_kwargs": nested(record["engine"]["patched"]),
    }
    config = {
        "model_name": "document",
        "resources": {"accelerator": f"{gpu['gpu']}:{gpu['count']}", "use_gpu": True},
        "trt_llm": {
            "inference_stack": "v2",
            "build": {
                "checkpoint_repository": {
                    "repo": checkpoint["repository"],
                    "revision": checkpoint["revision"],
                    "source": "HF",
                }
            },
            "runtime": runtime,
        },
    }
    (tree,) = parse_documents(yaml.safe_dump(config), label)
    command = shlex.join(["aiperf", "profile", *words(record["benchmark"]["flags"])])
    benchmark = build_workload(GivenScript(command, label))
    return replace(build_truss(tree, label, facts), benchmark=benchmark)
