"""How the benchmark's numbers follow from the deployment's GPUs, and its command line."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING, Any

from gptoss.errors import InputError
from gptoss.secrets import without_secrets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gptoss.model import Benchmark, Deployment


def plan(deployment: Deployment) -> dict[str, Any]:
    """The benchmark's numbers, computed from the workers' GPUs and not taken from the Job.

    Returns:
        ``gpus``, ``concurrencyPerGpu`` and ``concurrency`` (requests in flight), ``requests``,
        ``isl`` and ``osl`` (tokens), ``capacity`` (requests that can decode at once), ``argv``,
        and ``job`` with the Job's own ``gpus``, ``concurrency`` and ``requests``.

    Raises:
        InputError: The deployment has no benchmark, or one whose traffic is not to be found.
    """
    benchmark = deployment.benchmark
    if benchmark is None or benchmark.command is None:
        raise InputError(
            f"{deployment.source} has no benchmark; give its Job along with the deployment"
        )
    if benchmark.concurrency is None or benchmark.requests is None:
        raise InputError("the benchmark's concurrency is not to be found", benchmark.place)
    sent, in_all = benchmark.concurrency.value, benchmark.requests.value
    gpus = deployment.gpus
    per_gpu = benchmark.concurrency_per_gpu
    concurrency = per_gpu.value * gpus if per_gpu else sent
    if not concurrency:
        reason = "the workers have no GPUs" if sent else "the benchmark's concurrency is 0"
        raise InputError(f"{reason}, so nothing would be sent", benchmark.place)
    requests = in_all * concurrency // sent if sent else in_all
    return {
        "gpus": gpus,
        "concurrencyPerGpu": per_gpu.value if per_gpu else None,
        "concurrency": concurrency,
        "requests": requests,
        "isl": benchmark.input_tokens.value if benchmark.input_tokens else None,
        "osl": benchmark.output_tokens.value if benchmark.output_tokens else None,
        "capacity": deployment.capacity,
        "argv": _argv(benchmark, {str(sent): concurrency, str(in_all): requests}),
        "job": {
            "gpus": benchmark.gpu_count.value if benchmark.gpu_count else None,
            "concurrency": sent,
            "requests": in_all,
        },
    }


def as_json(deployments: Sequence[Deployment]) -> str:
    """The plan as JSON: an object for one deployment, a list for several."""
    plans = [{"source": d.source, **plan(d)} for d in deployments]
    return json.dumps(plans[0] if len(plans) == 1 else plans, indent=2, ensure_ascii=False)


def as_text(deployments: Sequence[Deployment]) -> str:
    """The plan in words, one deployment after the other."""
    return "\n\n".join(_text(deployment, plan(deployment)) for deployment in deployments)


def _text(deployment: Deployment, numbers: dict[str, Any]) -> str:
    lines = [deployment.source]
    lines += [
        f"  {w.name}: {w.replica_count} x {w.gpus} GPUs = {w.replica_count * w.gpus}"
        for w in deployment.workers
    ]
    per_gpu, concurrency = numbers["concurrencyPerGpu"], numbers["concurrency"]
    how = f"{per_gpu} per GPU x {numbers['gpus']} GPUs" if per_gpu else "as the Job says"
    capacity = numbers["capacity"]
    room = "unknown" if capacity is None else f"{capacity:,} requests decode at once"
    requests, ratio = numbers["requests"], numbers["requests"] / concurrency
    lines += [
        f"  GPUs         {numbers['gpus']}",
        f"  concurrency  {concurrency:,} = {how}",
        f"  requests     {requests:,} = {ratio:g} x {concurrency:,}",
        f"  ISL/OSL      {numbers['isl']}/{numbers['osl']} tokens",
        f"  capacity     {room}",
    ]
    job = numbers["job"]
    if (job["concurrency"], job["requests"]) != (concurrency, requests):
        sent = f"{job['concurrency']:,} concurrent, {job['requests']:,} requests"
        lines.append(f"  the Job itself sends {sent}")
    return "\n".join([*lines, "", _command_line(numbers["argv"])])


def _command_line(argv: list[str]) -> str:
    """The command line with one flag a line, to copy into a shell."""
    lines = [shlex.join(argv[:2])]
    for word in argv[2:]:
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


def _argv(benchmark: Benchmark, counts: dict[str, int]) -> list[str]:
    """The Job's words with every count that follows from GPUs replaced.

    Args:
        benchmark: The Job.
        counts: The right number for each number that the Job has.
    """
    assert benchmark.command is not None  # noqa: S101 (checked by plan)
    argv = [without_secrets(word.value) for word in benchmark.command.words]
    for position, word in enumerate(argv[:-1]):
        if word in COUNTED and argv[position + 1] in counts:
            argv[position + 1] = str(counts[argv[position + 1]])
    return argv
