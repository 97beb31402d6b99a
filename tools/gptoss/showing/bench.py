"""How the benchmark's numbers follow from the deployment's GPUs, and its command line."""

from __future__ import annotations

import shlex
import textwrap
from typing import TYPE_CHECKING, Any

from gptoss.showing import production
from gptoss.sources.parts.load_generators import WITHOUT_EQUAL
from gptoss.text.as_json import json_text
from gptoss.text.columns import columns
from gptoss.text.errors import InputError
from gptoss.text.printable import printable
from gptoss.text.secrets import words_without_secrets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gptoss.deployment.jobs import Benchmark
    from gptoss.deployment.model import Deployment
    from gptoss.text.command import Command


def plan(deployment: Deployment) -> dict[str, Any]:
    """The benchmark's numbers, computed from the workers' GPUs and not taken from the Job.

    Returns:
        ``gpus``, ``concurrencyPerGpu``, ``isl`` and ``osl`` (tokens), ``capacity`` (requests that
        can decode at once), ``concurrency`` (requests in flight), ``requests`` and ``argv``, which
        are None for a sweep; ``steps``, each run with its ``concurrency``, ``requests`` and
        ``argv``; and ``job`` with the Job's own ``gpus``, ``concurrency`` and ``requests``.

    Raises:
        InputError: The deployment has no benchmark, or one whose traffic is not to be found.
    """
    benchmark = deployment.benchmark
    if benchmark is None or benchmark.command is None:
        raise InputError(
            f"{deployment.source} has no benchmark; give its Job along with the deployment"
        )
    steps = _sweep(benchmark) if benchmark.is_sweep else [_fixed(benchmark, deployment.gpus)]
    per_gpu, gpu_count = benchmark.concurrency_per_gpu, benchmark.gpu_count
    numbers = ("concurrency", "requests", "argv")
    return {
        "gpus": deployment.gpus,
        "concurrencyPerGpu": per_gpu.value if per_gpu else None,
        **(dict.fromkeys(numbers) if benchmark.is_sweep else steps[0]),
        "steps": steps,
        "isl": benchmark.input_tokens.value if benchmark.input_tokens else None,
        "osl": benchmark.output_tokens.value if benchmark.output_tokens else None,
        "capacity": deployment.capacity,
        "job": {
            "gpus": gpu_count.value if gpu_count else None,
            "concurrency": benchmark.concurrency.value if benchmark.concurrency else None,
            "requests": benchmark.requests.value if benchmark.requests else None,
        },
    }


def _fixed(benchmark: Benchmark, gpus: int) -> dict[str, Any]:
    """The one run of a benchmark, with the concurrency that follows from GPUs."""
    if benchmark.concurrency is None or benchmark.requests is None:
        raise InputError("the benchmark's concurrency is not to be found", benchmark.place)
    assert benchmark.command is not None  # noqa: S101 (checked by plan)
    sent, in_all = benchmark.concurrency.value, benchmark.requests.value
    per_gpu = benchmark.concurrency_per_gpu
    concurrency = per_gpu.value * gpus if per_gpu else sent
    if not concurrency:
        reason = "the workers have no GPUs" if sent else "the benchmark's concurrency is 0"
        raise InputError(f"{reason}, so nothing would be sent", benchmark.place)
    requests = in_all * concurrency // sent if sent else in_all
    counts = {str(sent): concurrency, str(in_all): requests}
    return _step(concurrency, requests, _argv(benchmark.command, counts))


def _sweep(benchmark: Benchmark) -> list[dict[str, Any]]:
    """The runs of a sweep, as the Job makes them."""
    steps = []
    for step in benchmark.steps:
        if step.concurrency is None or step.requests is None:
            raise InputError("a step's concurrency is not to be found", benchmark.place)
        argv = _argv(step.command, {})
        steps.append(_step(step.concurrency.value, step.requests.value, argv))
    return steps


def _step(concurrency: int, requests: int, argv: list[str]) -> dict[str, Any]:
    return {"concurrency": concurrency, "requests": requests, "argv": argv}


def as_json(deployments: Sequence[Deployment], explain: bool = False) -> str:
    """The plan as JSON: an object for one deployment, a list for several."""
    plans = [{"source": d.source, **plan(d)} for d in deployments]
    if explain:
        for deployment, found in zip(deployments, plans, strict=True):
            found["production"] = [point._asdict() for point in production.points(deployment)]
    return json_text(plans[0] if len(plans) == 1 else plans)


def as_text(deployments: Sequence[Deployment], explain: bool = False) -> str:
    """The plan in words, one deployment after the other."""
    texts = []
    for deployment in deployments:
        texts.append(_text(deployment, plan(deployment)))
        if explain:
            texts.append(production.in_words(production.points(deployment)))
    return "\n\n".join(texts)


def _text(deployment: Deployment, numbers: dict[str, Any]) -> str:
    lines = [deployment.source]
    lines += [
        f"  {w.name}: {w.replica_count} x {w.gpus} GPUs = {w.replica_count * w.gpus}"
        for w in deployment.workers
    ]
    capacity = numbers["capacity"]
    room = "unknown" if capacity is None else f"{capacity:,} requests decode at once"
    sweep = len(numbers["steps"]) > 1
    lines += [
        f"  GPUs         {numbers['gpus']}",
        *([] if sweep else _traffic(deployment, numbers)),
        f"  ISL/OSL      {numbers['isl']}/{numbers['osl']} tokens",
        f"  capacity     {room}",
        *(_steps(numbers["steps"], capacity) if sweep else []),
    ]
    first = numbers["steps"][0]["argv"]
    lines += ["", "  the first step (--format json gives each):"] if sweep else [""]
    return "\n".join([*map(printable, lines), _command_line(first), *_other_prompts(deployment)])


def _other_prompts(deployment: Deployment) -> list[str]:
    """What the command line does not send as the load generator does that it stands for."""
    benchmark = deployment.benchmark
    if benchmark is None or benchmark.tool is None or not benchmark.lost:
        return []
    lines = [f"  {benchmark.tool.value} has no equal in aiperf for:"]
    for flag in benchmark.lost:
        why = WITHOUT_EQUAL.get(flag.value)
        lines.append(
            textwrap.indent(
                textwrap.fill(f"{flag.value}: {why}" if why else flag.value, 94), "    "
            )
        )
    return ["", *lines]


def _traffic(deployment: Deployment, numbers: dict[str, Any]) -> list[str]:
    """The lines about a fixed concurrency."""
    per_gpu, concurrency = numbers["concurrencyPerGpu"], numbers["concurrency"]
    requests = numbers["requests"]
    given = deployment.benchmark.concurrency if deployment.benchmark else None
    said = f"as {given.place} says" if given else ""
    how = f"{per_gpu} per GPU x {numbers['gpus']} GPUs" if per_gpu else said
    lines = [
        f"  concurrency  {concurrency:,} = {how}",
        f"  requests     {requests:,} = {requests / concurrency:g} x {concurrency:,}",
    ]
    job = numbers["job"]
    if (job["concurrency"], job["requests"]) != (concurrency, requests):
        sent = f"{job['concurrency']:,} concurrent, {job['requests']:,} requests"
        lines.append(f"  the Job itself sends {sent}")
    return lines


def _steps(steps: list[dict[str, Any]], capacity: int | None) -> list[str]:
    """The steps of a sweep, one line each."""
    rows = [("step", "concurrency", "requests")]
    notes = [""]
    for number, step in enumerate(steps, 1):
        rows.append((str(number), f"{step['concurrency']:,}", f"{step['requests']:,}"))
        waits = capacity is not None and step["concurrency"] > capacity
        notes.append("  (above capacity: requests wait)" if waits else "")
    table = zip(columns(rows, str.rjust), notes, strict=True)
    return [f"  sweep        {len(steps)} steps", "", *(f"  {line}{note}" for line, note in table)]


def _command_line(argv: list[str]) -> str:
    """The command line with one flag a line, to copy into a shell."""
    lines = [printable(shlex.join(argv[:2]))]
    for word in map(printable, argv[2:]):
        if word.startswith("-"):
            lines.append(f"  {shlex.quote(word)}")
        else:
            lines[-1] += f" {shlex.quote(word)}"
    return " \\\n".join(f"  {line}" for line in lines)


COUNTED = (
    "--concurrency",
    "--request-count",
    "--num-requests",
    "--warmup-request-count",
    "--num-warmup-requests",
    "--num-dataset-entries",
    "--num-prompts",
)


def _argv(command: Command, counts: dict[str, int]) -> list[str]:
    """A command's words with every count that follows from GPUs replaced.

    Args:
        command: The command that the Job runs.
        counts: The right number for each number that the Job has.
    """
    argv = words_without_secrets(word.value for word in command.words)
    for position, word in enumerate(argv[:-1]):
        if word in COUNTED and argv[position + 1] in counts:
            argv[position + 1] = str(counts[argv[position + 1]])
    return argv
