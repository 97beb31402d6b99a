"""Both sides of two benchmarks: what they send, how much of it, and with which load generator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.command_lines.extra_inputs import extra_inputs
from gptoss.comparing.differences import NONE, Difference, Side, differ, given, located

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.command_lines.arguments import Arguments
    from gptoss.deployment.jobs import Benchmark

SUBJECT = "benchmark"
FLAGS = {
    "warm-up requests": "--warmup-request-count",
    "random seed": "--random-seed",
    "streaming": "--streaming",
    "endpoint type": "--endpoint-type",
    "ISL deviation": "--synthetic-input-tokens-stddev",
    "OSL deviation": "--output-tokens-stddev",
    "request rate": "--request-rate",
    "goodput": "--goodput",
    "dataset entries": "--num-dataset-entries",
    "most workers": "--workers-max",
    "record processors": "--record-processors",
    "headers": "--header",
}
# What aiperf does without the flag.
DEFAULTS = {"--synthetic-input-tokens-stddev": 0, "--output-tokens-stddev": 0}


def benchmarks(left: Benchmark | None, right: Benchmark | None) -> Iterator[Difference]:
    """What of two benchmarks says what they measure."""
    if left is None or right is None:
        yield from given(SUBJECT, left, right)
        return
    yield from differ(SUBJECT, "tool", located(left.tool), located(right.tool))
    yield from differ(SUBJECT, "ISL", located(left.input_tokens), located(right.input_tokens))
    yield from differ(SUBJECT, "OSL", located(left.output_tokens), located(right.output_tokens))
    yield from differ(SUBJECT, "concurrency", _concurrency(left), _concurrency(right))
    yield from differ(SUBJECT, "requests", _requests(left), _requests(right))
    for setting, flag in FLAGS.items():
        yield from differ(SUBJECT, setting, *(_flag(b.arguments, flag) for b in (left, right)))
    inputs = [_extra_inputs(benchmark.arguments) for benchmark in (left, right)]
    for name in sorted(inputs[0].keys() | inputs[1].keys()):
        sides = [found.get(name, NONE) for found in inputs]
        yield from differ(SUBJECT, f"extra input {name}", *sides)
    lost = [{flag.value: Side(True, flag.place) for flag in b.lost} for b in (left, right)]
    for name in sorted(lost[0].keys() | lost[1].keys()):
        yield from differ(SUBJECT, name, *(found.get(name, NONE) for found in lost))


def _concurrency(benchmark: Benchmark) -> Side:
    """Requests in flight; those of each step of a sweep."""
    if not benchmark.is_sweep:
        return located(benchmark.concurrency)
    steps = [step.concurrency.value if step.concurrency else None for step in benchmark.steps]
    return Side(steps, benchmark.place)


def _requests(benchmark: Benchmark) -> Side:
    """Requests in all; those of each step of a sweep."""
    if not benchmark.is_sweep:
        return located(benchmark.requests)
    steps = [step.requests.value if step.requests else None for step in benchmark.steps]
    return Side(steps, benchmark.place)


def _flag(arguments: Arguments | None, flag: str) -> Side:
    """A flag of the load generator, by its usual name."""
    if arguments is None:
        return NONE
    found = arguments[flag]
    value = sorted(found.value) if isinstance(found.value, list) else found.value
    return Side(DEFAULTS.get(flag) if value is None else value, found.place)


def _extra_inputs(arguments: Arguments | None) -> dict[str, Side]:
    """What is added to every request, by its name there."""
    return {name: Side(value, at.place) for name, (value, at) in extra_inputs(arguments).items()}
