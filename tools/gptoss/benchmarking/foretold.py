"""What was to be expected of runs: predicted from the settings that their plans have kept."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gptoss.benchmarking.plans import PredictedPoint, Prediction
from gptoss.deployment.model import Role, Runtime
from gptoss.deployment.settings import nested
from gptoss.facts.world import Facts
from gptoss.live.environments import has_planning
from gptoss.planning.layouts import Load
from gptoss.planning.loops.closed_loop import predict
from gptoss.planning.steps.library import library
from gptoss.planning.systems import system_of
from gptoss.planning.telling.plan_words import told_bottleneck
from gptoss.sources.engine_alone import EngineFile, Told, build_engines
from gptoss.sources.parts.role_names import role_of_file
from gptoss.text.errors import InputError
from gptoss.text.places import Located, Place
from gptoss.text.yaml_tree import parse_documents

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.benchmarking.plans import Plan
    from gptoss.benchmarking.run_report import Report
    from gptoss.benchmarking.runs import Run
    from gptoss.deployment.model import Deployment
    from gptoss.planning.layouts import System
    from gptoss.planning.steps.step_times import Times

SOURCE = "gptoss plan"
# What a plan keeps beside engine settings.
REPLICAS, NO_ENGINE = "replicas", ("env", "extraArgs")


def foretold(report: Report, *, fetch: bool) -> Report:
    """A report whose runs have predictions, where nothing was predicted before they began.

    A run is left as it is when its engine was simulated or its settings do not suffice.

    Args:
        report: The report.
        fetch: Whether the data may be fetched; else nothing is predicted where they are not.

    Raises:
        InputError: The data cannot be fetched.
    """
    systems = {run.folder: system for run in report.runs if (system := _system(run))}
    if not systems or not (fetch or has_planning()):
        return report
    with library() as times:
        runs = [_foretold(run, systems.get(run.folder), times) for run in report.runs]
    return replace(report, runs=tuple(runs))


def _system(run: Run) -> System | None:
    """What served, if the run has kept enough of it and nothing was predicted before."""
    plan = run.plan
    clients = [point.concurrency for point in run.points]
    if plan.simulated or plan.prediction or not (plan.gpu and plan.isl and plan.osl and clients):
        return None
    try:
        return system_of(deployment_of(plan))
    except InputError:
        return None


def _foretold(run: Run, system: System | None, times: Times) -> Run:
    if system is None:
        return run
    try:
        told = _prediction(run, system, times)
    except InputError:
        return run
    return replace(run, plan=run.plan.model_copy(update={"prediction": told}))


def _prediction(run: Run, system: System, times: Times) -> Prediction:
    """What is predicted of each concurrency.

    Raises:
        InputError: There are no data for a layout, or nobody says the concurrency.
    """
    plan = run.plan
    clients = dict.fromkeys(p.concurrency for p in run.points if p.concurrency)
    found = [predict(system, Load(each, plan.isl or 0, plan.osl or 0), times) for each in clients]
    if not found:
        raise InputError(f"{run.folder}: nobody says how many requests were in flight")
    least = min((each.judged for each in found), key=lambda judged: judged.belief)
    return Prediction(
        source=SOURCE,
        confidence=least.belief.told,
        reasons=(f"bottleneck: {told_bottleneck(found[-1])}", *least.reasons),
        points=tuple(
            PredictedPoint(
                concurrency=each.load.clients,
                tokens_per_second_per_gpu=each.per_gpu,
                tokens_per_second_per_user=each.per_user,
                ttft_ms=each.ttft,
                itl_ms=each.itl,
            )
            for each in found
        ),
    )


def deployment_of(plan: Plan) -> Deployment:
    """The engines of a plan, from the settings that were in force.

    Raises:
        InputError: GPU or release are not known.
    """
    engines: dict[str, dict[str, Any]] = defaultdict(dict)
    for path, value in plan.settings.items():
        worker, _, key = path.partition(".")
        if worker not in ("frontend", "quantization"):
            engines[worker][key] = value
    runtime = Runtime(plan.runtime) if plan.runtime else Runtime.DYNAMO
    files = list(_files(engines))
    told = Told(release=plan.release, gpu=plan.gpu)
    return build_engines(files, Facts(), told, runtime)


def _files(engines: dict[str, dict[str, Any]]) -> Iterator[EngineFile]:
    for name, written in engines.items():
        settings = nested(written)
        place = Place(f"plan.json: {name}")
        count = settings.get(REPLICAS, 1)
        engine = {k: v for k, v in settings.items() if k not in (REPLICAS, *NO_ENGINE)}
        (tree,) = parse_documents(json.dumps(engine), place.file)
        yield EngineFile(
            name=name,
            source=place.file,
            place=place,
            tree=tree,
            role=role_of_file(name) or Role.AGGREGATED,
            replicas=Located(count, place),
        )
