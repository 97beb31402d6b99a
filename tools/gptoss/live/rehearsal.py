"""An update and the way back, carried out on simulated workers while clients ask."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from gptoss.comparing.compare import compare
from gptoss.deployment.model import Runtime
from gptoss.live.cached import say
from gptoss.live.clients import Load, Service
from gptoss.live.questions import questions
from gptoss.live.rehearsed import Rehearsal, way
from gptoss.live.rollover import START_SECONDS, Rollover
from gptoss.live.simulation import simulate
from gptoss.rendering.containers import containers
from gptoss.rendering.target import read_target
from gptoss.sources.chart.values_files import is_values
from gptoss.sources.given import GivenFile
from gptoss.text import deadline
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from gptoss.comparing.upgrade import Upgrade
    from gptoss.live.rehearsed import Way
    from gptoss.rendering.target import Target
    from gptoss.sources.request import Request

CLIENTS = 6
# How often each question is asked, about, before the next thing happens.
ROUNDS = 2
# Stands for the seconds of the longest answer, for which each worker serves on when it goes.
GRACE_SECONDS = 5
DISCOVERY, NAMESPACE = "DYN_FILE_KV", "DYN_NAMESPACE"
# Releases that a frontend and its workers may be apart.
WINDOW = 2
ORDER_NOTES = {
    "operator": "order: that of an operator with workers as Deployments; each role of workers is "
    "replaced on its own, here with the first role ready before the others",
    "grove": "order: that of Grove up to Dynamo 1.4; a pod goes before its successor starts",
    "beside": "order: a second deployment, whole before clients are moved to it; takes twice the "
    "GPUs",
}
NOTES = """\
played: the engine and the GPUs; a worker loads in seconds here, and a real one for many minutes, \
so that what is marked * lasts as long
played: discovery by files instead of Kubernetes; Dynamo's own frontends, parsers and workers are \
real
each request is a new connection, and no client asks again
""".splitlines()


@dataclass(frozen=True, slots=True)
class Side:
    """One end of the way.

    Attributes:
        label: What it is called.
        request: How it is read.
        target: What it is.
    """

    label: str
    request: Request
    target: Target


def rehearse(request: Request, to: str, order: str, upgrade: Upgrade | None) -> Rehearsal:
    """Rehearses an update.

    Args:
        request: What is updated.
        to: A release, or an engine file or values file that changes it.
        order: One of ``rollover.ORDERS``.
        upgrade: What is known of the way to the release.

    Raises:
        InputError: There is no such release, file or environment, or something does not start.
    """
    with tempfile.TemporaryDirectory(prefix="gptoss-rehearse-") as folder:
        sides = _sides(request, to, Path(folder), is_release=upgrade is not None)
        deadline.lift()
        old, new = sides
        changes = [] if upgrade else compare(old.target.deployment, new.target.deployment)
        ways = _both_ways(sides, order, Path(folder, "discovery"))
    return Rehearsal(
        old.target.name, order, ways, tuple(_notes(sides, order)), upgrade, tuple(changes)
    )


def _sides(request: Request, to: str, folder: Path, *, is_release: bool) -> tuple[Side, Side]:
    """What is updated as it is, and as it will be."""
    old = read_target(request)
    if old.deployment.runtime is Runtime.SERVE:
        raise InputError(
            f"{old.name} runs on trtllm-serve: one server, which goes before its successor starts; "
            "there is nothing to rehearse"
        )
    own = str(old.values["runtime"]["release"])
    if is_release:
        wanted = replace(request, release=to)
        labels = own, to
    else:
        wanted = replace(request, files=(*request.files, str(_overlay(to, old, folder))))
        labels = "as it is", f"with {Path(to).name}"
    grace = min(GRACE_SECONDS, int(old.values["shutdown"]["longestAnswerSeconds"]))
    setting = f"shutdown.longestAnswerSeconds={grace}"

    def side(label: str, asked: Request) -> Side:
        shortened = replace(asked, settings=(*asked.settings, setting))
        return Side(label, shortened, read_target(asked))

    return side(labels[0], request), side(labels[1], wanted)


def _overlay(to: str, target: Target, folder: Path) -> Path:
    """The values file that makes the change; an engine file is that of the worker of its name.

    Raises:
        InputError: There is no such file, or it belongs to no worker.
    """
    path = Path(to)
    if not path.is_file():
        raise InputError(f"--to {to} is neither a Dynamo release nor a file")
    given = GivenFile(path)
    if is_values(given):
        return path
    workers = target.values["workers"]
    name = path.stem if path.stem in workers else next(iter(workers))
    if name != path.stem and len(workers) > 1:
        raise InputError(f"--to {to}: name the engine file after its worker: {', '.join(workers)}")
    tree = given.only_tree
    if tree is None:
        raise InputError(f"--to {to}: an engine file holds one YAML document")
    written = folder / path.name
    overlay = {"workers": {name: {"engineConfig": None, "engine": tree.plain()}}}
    written.write_text(yaml.safe_dump(overlay), encoding="utf-8")
    return written


def _both_ways(sides: tuple[Side, Side], order: str, discovery: Path) -> tuple[Way, Way]:
    with ExitStack() as stack:
        there, back = (
            stack.enter_context(
                simulate(side.request, apart=True, parts=(), more=_variables(order, n, discovery))
            )
            for n, side in enumerate(sides)
        )
        for name in there.roles:
            there.start(name)
        say(f"{sides[0].label} starts")
        there.ready(START_SECONDS)
        traffic = sides[0].target.values.get("workload") or {}
        asked = questions(traffic.get("inputTokens", 512), traffic.get("outputTokens", 64))
        service = Service(there.url)
        ways = []
        with Load(service, there.model, asked, clients=CLIENTS) as load:
            # A server's first answers take longer than all others.
            load.until(len(asked))
            here, other = (side.label for side in sides)
            for old, new, start, to in ((there, back, here, other), (back, there, other, here)):
                say(f"from {start} to {to}")
                rollover = Rollover(
                    load,
                    service,
                    old,
                    new,
                    discovery=discovery,
                    rounds=ROUNDS * len(asked),
                    with_frontend=order == "beside" or _frontends_differ(sides),
                )
                first = len(load.outcomes)
                rollover.steady("before")
                rollover.run(order)
                rollover.steady("after")
                ways.append(way(start, to, rollover.stretches, load.outcomes[first:]))
        return ways[0], ways[1]


def _frontends_differ(sides: tuple[Side, Side]) -> bool:
    """Whether the operator would replace the frontend: an engine file is nothing to it."""
    old, new = (containers(side.target, "").frontend for side in sides)
    return old != new


def _variables(order: str, generation: int, discovery: Path) -> dict[str, str]:
    """What tells the generations apart, as the operator tells them."""
    own = f"generation-{generation}"
    namespace = own if order == "beside" else "deployment"
    found = {
        DISCOVERY: str(discovery),
        NAMESPACE: namespace,
        f"{NAMESPACE}_PREFIX": namespace,
    }
    return found | ({f"{NAMESPACE}_WORKER_SUFFIX": own} if order == "operator" else {})


def _notes(sides: tuple[Side, Side], order: str) -> list[str]:
    found = [ORDER_NOTES[order], *NOTES]
    grace = sides[0].target.values["shutdown"]["longestAnswerSeconds"]
    found.append(
        f"played: the {grace} s for which a worker that goes finishes its answers are "
        f"{min(grace, GRACE_SECONDS)} s here"
    )
    minors = [int(str(s.target.values["runtime"]["release"]).split(".")[1]) for s in sides]
    if abs(minors[0] - minors[1]) > WINDOW:
        found.append(
            f"{sides[0].label} and {sides[1].label} are more than {WINDOW} releases apart: Dynamo "
            "does not promise that their frontends and workers go together (ai-dynamo/dynamo "
            "docs/fern/pages/reference/general/compatibility.mdx)"
        )
    return found
