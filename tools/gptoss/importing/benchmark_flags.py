"""The benchmark's own command line, by the names that its values and tables have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.importing.context import leaf

if TYPE_CHECKING:
    from gptoss.command_lines.arguments import InForce
    from gptoss.deployment.jobs import Benchmark
    from gptoss.importing.document import Block

# Flags of aiperf that values stand for, and those that the chart sets for its own Job.
TOLD = (
    "--model",
    "--tokenizer",
    "--tokenizer-revision",
    "--endpoint-type",
    "--endpoint",
    "--streaming",
    "--url",
    "--synthetic-input-tokens-mean",
    "--synthetic-input-tokens-stddev",
    "--output-tokens-mean",
    "--output-tokens-stddev",
    "--concurrency",
    "--request-count",
    "--warmup-request-count",
    "--num-dataset-entries",
    "--random-seed",
    "--goodput",
    "--use-server-token-count",
    "--artifact-dir",
    "--ui",
)


def flags_of(benchmark: Benchmark) -> dict[str, InForce]:
    """The Job's flags, by the names that the tables here have."""
    if benchmark.arguments is None:
        return {}
    known = benchmark.arguments.program.spellings
    renamed = {known[name].name: name for name in TOLD if name in known}
    found = benchmark.arguments.in_force()
    return {renamed.get(name, name): flag for name, flag in found.items()}


def take_whole(
    found: Block, key: str, flag: InForce | None, default: int | None, least: int = 1
) -> None:
    """Takes a whole number that is not what the chart would take, and that its values can hold."""
    value = flag.value if flag and flag.place else None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if flag and flag.place and isinstance(value, int) and value != default and value >= least:
        found[key] = leaf(value, flag.place)
