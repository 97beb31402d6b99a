"""What the documents say of the targets, compared with what is in force."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from gptoss.command_lines.arguments import Arguments
    from gptoss.deployment.jobs import Benchmark
    from gptoss.deployment.model import Deployment, Worker

ROOT = Path(__file__).resolve().parents[2]
ABSENT = "not set"


@dataclass(frozen=True, slots=True)
class Document:
    """A document that a target is made of: title, publisher and where it is published."""

    title: str
    publisher: str
    source: str


@dataclass(frozen=True, slots=True)
class Departure:
    """A thing that a target does in another way than its document.

    Attributes:
        subject: Worker, ``frontend`` or ``benchmark``.
        setting: What it is about.
        said: The document's value.
        here: The value in force in the target.
        reason: Why.
    """

    subject: str
    setting: str
    said: str
    here: str
    reason: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """A target beside its document.

    Attributes:
        document: The document.
        kept: How many of its statements hold in the target.
        departures: Those that do not.
    """

    document: Document
    kept: int
    departures: tuple[Departure, ...]


def compared(target: str, deployment: Deployment) -> Comparison | None:
    """A target beside its document; None when it was made of none.

    Raises:
        ValueError: A difference has no reason, or a reason no difference.
    """
    known = yaml.safe_load((ROOT / "schema/documents.yaml").read_text(encoding="utf-8"))
    entry = known["targets"].get(target)
    if entry is None:
        return None
    reasons = dict(entry["because"] or {})
    departures = []
    for statement, said in entry["says"].items():
        here = in_force(deployment, statement)
        if here == said:
            continue
        if statement not in reasons:
            raise ValueError(
                f"schema/documents.yaml: {target} has {statement} {here!r}, its document "
                f"{said!r}, and `because` gives no reason"
            )
        subject, _, setting = statement.partition(".")
        setting = setting.removeprefix("engine.").removeprefix("env.").removeprefix("flags.")
        departures.append(
            Departure(subject, setting, shown(said), shown(here), reasons.pop(statement))
        )
    if reasons:
        raise ValueError(
            f"schema/documents.yaml: {target} does as its document says in {', '.join(reasons)}; "
            "remove the reason"
        )
    kept = len(entry["says"]) - len(departures)
    return Comparison(Document(**known["documents"][entry["document"]]), kept, tuple(departures))


def in_force(deployment: Deployment, statement: str) -> Any:
    """The value that a statement such as ``decode.engine.max_batch_size`` is about.

    Raises:
        ValueError: It names nothing that a deployment has.
    """
    subject, _, rest = statement.partition(".")
    if subject == "benchmark":
        return _of_benchmark(deployment.benchmark, rest)
    if subject == "frontend":
        return _flag(deployment.frontend.arguments if deployment.frontend else None, rest)
    for worker in deployment.workers:
        if worker.name == subject:
            return _of_worker(worker, rest)
    raise ValueError(f"schema/documents.yaml: {statement}: there is no worker {subject}")


def shown(value: Any) -> str:
    """A value as YAML writes it."""
    if value is None:
        return ABSENT
    return str(value).lower() if isinstance(value, bool) else str(value)


def _of_worker(worker: Worker, what: str) -> Any:
    kind, _, name = what.partition(".")
    if kind == "engine":
        return worker.engine[name].value
    if kind == "env":
        variable = worker.pod.environment.get(name)
        return variable.value if variable else None
    if kind == "flags":
        return _flag(worker.arguments, what)
    return {"gpus": worker.gpus, "replicas": worker.replica_count}[what]


def _flag(arguments: Arguments | None, what: str) -> str | None:
    """The value of ``flags.--FLAG``; the empty string when it takes none."""
    found = arguments[what.removeprefix("flags.")] if arguments else None
    return found.text if found and found.given else None


def _of_benchmark(benchmark: Benchmark | None, what: str) -> Any:
    if benchmark is None:
        return None
    if what.startswith("flags."):
        text = _flag(benchmark.arguments, what)
        return int(text) if text and text.isdigit() else text
    located = getattr(benchmark, what)
    return located.value if located else None
