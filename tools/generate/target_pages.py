"""The pages under docs/targets: an index and one page a target."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from generate.documents import beside, departures_table
from generate.requests import examples
from generate.shipped import shipped
from generate.siblings import beside_siblings
from generate.target_cycle import cycle
from generate.target_settings import engine_settings, variables
from gptoss.deployment.model import Role, Runtime
from gptoss.facts import folders
from gptoss.rendering.containers import in_order
from gptoss.reports.common import sizes
from gptoss.rules.kernels.matrix import default_algorithm, override_of
from gptoss.showing import bench
from gptoss.text import plain_yaml

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gptoss.deployment.model import Deployment, Worker
    from gptoss.facts.world import Facts

FOLDER = Path("docs/targets")
TEMPLATES = Path(__file__).with_name("templates")


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something that goes wrong.

    Attributes:
        symptom: What is seen.
        remedy: What to do.
        rules: The rules that would have caught it; none where nothing shows before it runs.
        only: The runtime, ``disaggregated``, or the machines that it is about; every target if
            empty.
    """

    symptom: str
    remedy: str
    rules: list[str]
    only: Sequence[str]

    def concerns(self, deployment: Deployment) -> bool:
        """Whether it can happen to a deployment."""
        kinds = {deployment.runtime.value}
        if deployment.is_disaggregated:
            kinds.add("disaggregated")
        gpu = deployment.workers[0].gpu
        if gpu and deployment.runtime is Runtime.DYNAMO:
            kinds.add("one-machine" if deployment.gpus <= gpu.per_node else "several-machines")
        return not self.only or bool(kinds & set(self.only))


@cache
def target_pages() -> dict[Path, str]:
    """Texts by path: the index, and a page for every shipped target."""
    targets = shipped()
    templates = Environment(
        loader=FileSystemLoader(TEMPLATES),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 (Markdown of our own data)
    )
    page = templates.get_template("target.md.j2")
    index = templates.get_template("targets.md.j2")
    heads = {name: _head(name, target.deployment) for name, target in targets.items()}
    pages = {
        FOLDER / f"{name}.md": page.render(
            heads[name]
            | cycle(target)
            | _page(target.deployment, target.facts)
            | {"siblings": beside_siblings(name)}
        )
        for name, target in targets.items()
    }
    return {FOLDER / "README.md": index.render(targets=heads.values()), **pages}


def _values(path: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = plain_yaml.load(path.read_text(encoding="utf-8"))
    return loaded


def _head(name: str, deployment: Deployment) -> dict[str, Any]:
    """What index and page say of a target."""
    gpu = deployment.workers[0].gpu
    assert gpu is not None  # noqa: S101 (every target names its GPU)
    traffic = bench.plan(deployment)
    sent = [step["concurrency"] for step in traffic["steps"]]
    return {
        "name": name,
        "description": _values(folders.values_files()[name])["description"],
        "gpus": deployment.gpus,
        "gpu": gpu,
        "serve": deployment.runtime is Runtime.SERVE,
        "release": deployment.release,
        "topology": " + ".join(_topology(worker) for worker in in_order(deployment)),
        "quantization": _quantization(deployment),
        "transceiver": deployment.workers[0].engine["cache_transceiver_config.backend"].value,
        "workload": f"{traffic['isl']} in, {traffic['osl']} out",
        "concurrency": f"{sent[0]:,}" if len(sent) == 1 else f"{sent[0]:,} to {sent[-1]:,}",
    }


def _topology(worker: Worker) -> str:
    """Parallel sizes, replicas and role of a worker, as in ``TP4 decode``."""
    times = f"{worker.replica_count} × " if worker.replica_count > 1 else ""
    role = "" if worker.role is Role.AGGREGATED else f" {worker.role.value}"
    return f"{times}{sizes(worker)}{role}"


def _quantization(deployment: Deployment) -> str:
    """The quantisation in force: what overrides it, or what the engine takes on this GPU."""
    worker = deployment.workers[0]
    override = override_of(worker)
    return (override[1] if override else default_algorithm(worker)) or "checkpoint's"


def _page(deployment: Deployment, facts: Facts) -> dict[str, Any]:
    """What only the target's own page says."""
    serve = deployment.runtime is Runtime.SERVE
    served_name = deployment.workers[0].served_name or deployment.workers[0].model
    assert served_name is not None  # noqa: S101 (every target names its model)
    return {
        "workers": [
            {
                "worker": worker,
                "gpus": _devices(deployment, worker),
                "sizes": sizes(worker),
                "engine": engine_settings(worker, facts),
                "variables": variables(worker),
            }
            for worker in in_order(deployment)
        ],
        "router_mode": _router_mode(deployment),
        "disaggregated": deployment.is_disaggregated,
        "requests": examples(served_name.value, serve=serve),
        "comparisons": [(c, departures_table(c, "../")) for c in beside(deployment.source)],
        "bench": bench.as_text([deployment]),
        "troubles": [trouble for trouble in _troubles() if trouble.concerns(deployment)],
    }


def _devices(deployment: Deployment, worker: Worker) -> str:
    """The GPUs of a worker, numbered through the deployment, as in ``GPUs 0-3``."""
    workers = in_order(deployment)
    earlier = workers[: workers.index(worker)]
    first = sum(other.gpus * other.replica_count for other in earlier)
    count = worker.gpus * worker.replica_count
    return f"GPU {first}" if count == 1 else f"GPUs {first}-{first + count - 1}"


def _router_mode(deployment: Deployment) -> str:
    arguments = deployment.frontend.arguments if deployment.frontend else None
    return (arguments["--router-mode"].text if arguments else None) or ""


def _troubles() -> list[Trouble]:
    entries = plain_yaml.load((TEMPLATES / "troubleshooting.yaml").read_text(encoding="utf-8"))
    return [Trouble(**{"rules": [], "only": (), **entry}) for entry in entries]
