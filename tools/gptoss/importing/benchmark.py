"""Options of the benchmark Job."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.facts.programs import AIPERF
from gptoss.importing.benchmark_flags import TOLD, flags_of, take_whole
from gptoss.importing.context import leaf
from gptoss.importing.environment import environment
from gptoss.importing.flags import flag_words
from gptoss.importing.pods import note_volumes
from gptoss.importing.whole import OBJECT_NAME
from gptoss.sources.parts.load_generators import GENAI_PERF, WITHOUT_EQUAL
from gptoss.text.secrets import is_secret

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.command_lines.arguments import InForce
    from gptoss.deployment.jobs import Benchmark
    from gptoss.importing.context import Context
    from gptoss.importing.document import Block, Leaf

DEFAULT_SEED = 100
EXTRA_INPUTS = "--extra-inputs"
HEADER = "--header"
CHAT = "chat"
# The frontend of Dynamo 1.2.1 takes it beside ignore_eos; that of 1.3.1 answers 400 to it.
REFUSED = '{"nvext":{"ignore_eos":true}}'
# What the chart's Job says in any case, by the flag that says it.
ALWAYS = {
    "--warmup-request-count": "a warm-up",
    "--random-seed": "a random seed",
    EXTRA_INPUTS: "a fixed answer length (min_tokens, ignore_eos)",
    "--num-dataset-entries": "a prompt of its own for each request",
}


def benchmark_block(context: Context) -> Block:
    """Options of the benchmark Job."""
    benchmark = context.deployment.benchmark
    if benchmark is None:
        return {}
    flags = flags_of(benchmark)
    found: Block = {}
    if not benchmark.is_sweep:
        sent = _sent(benchmark)
        take_whole(found, "warmupRequests", flags.get("--warmup-request-count"), sent)
        take_whole(found, "datasetEntries", flags.get("--num-dataset-entries"), None)
    if benchmark.command and not benchmark.is_sweep:
        _note_silence(benchmark, flags, context)
    take_whole(found, "randomSeed", flags.get("--random-seed"), DEFAULT_SEED, 0)
    claim = _artifacts(benchmark)
    if claim:
        found["artifacts"] = {"existingClaim": claim}
    words = list(_extra_words(flags, context))
    if words:
        found["extraArgs"] = leaf(
            words, benchmark.command.place if benchmark.command else benchmark.place
        )
    variables = environment("benchmark", benchmark.pod, None, context)
    found["env"] = {name: value for name, value in variables.items() if name.startswith("AIPERF_")}
    _note_job(benchmark, context)
    return found


def _note_silence(benchmark: Benchmark, flags: dict[str, InForce], context: Context) -> None:
    """Notes what the chart's Job adds to one that does not say it."""
    kind, streams = flags.get("--endpoint-type"), flags.get("--streaming")
    if kind and kind.place and kind.value != CHAT:
        told = f"benchmark: --endpoint-type {kind.value}; the chart's Job asks for chat completions"
        context.left_out(told, kind.place)
    if not (streams and streams.value):
        context.chosen("benchmark: the chart's Job asks for streamed answers", benchmark.place)
    warmup = flags.get("--warmup-request-count")
    if warmup and warmup.place and warmup.value == 0:
        context.left_out("benchmark: no warm-up; the chart's Job always has one", warmup.place)
    silent = [what for flag, what in ALWAYS.items() if not (flag in flags and flags[flag].place)]
    if silent:
        context.chosen(f"benchmark: the chart's Job adds {', '.join(silent)}", benchmark.place)


def _sent(benchmark: Benchmark) -> int | None:
    """Requests in flight that the source's Job sends, which the chart takes for warm-up too."""
    return benchmark.concurrency.value if benchmark.concurrency else None


def _artifacts(benchmark: Benchmark) -> Leaf | None:
    folder = benchmark.arguments and benchmark.arguments["--artifact-dir"].located
    mount = benchmark.pod.mount_at(folder.value) if folder else None
    if mount is None or not mount.claim or not OBJECT_NAME.fullmatch(mount.claim):
        return None
    return leaf(mount.claim, mount.place)


def _extra_words(flags: dict[str, InForce], context: Context) -> Iterator[str]:
    """Words of flags that no value stands for."""
    for name, flag in flags.items():
        if flag.place is None or name in (*TOLD, EXTRA_INPUTS, HEADER, "--tokenizer"):
            continue
        if flag.flag is None:
            context.left_out(f"benchmark: aiperf has no {name}", flag.place)
            continue
        if is_secret(name, str(flag.value)):
            told = f"benchmark: {name} holds a secret; put it into a Secret and benchmark.env"
            context.left_out(told, flag.place)
            continue
        yield from flag_words(name, flag)
    headers = flags.get(HEADER)
    if headers and headers.place:
        names = ", ".join(word.partition(":")[0] for word in headers.words)
        told = f"benchmark: header {names}; aiperf sends Accept itself, and no key is asked for"
        context.left_out(told, headers.place)
    inputs = flags.get(EXTRA_INPUTS)
    for pair in inputs.words if inputs else ():
        if inputs and inputs.place and pair.replace(" ", "") == REFUSED:
            told = "benchmark: nvext.ignore_eos, which Dynamo refuses since 1.3; ignore_eos says it"
            context.mended(told, inputs.place)
        elif not _is_charts(pair):
            yield from (EXTRA_INPUTS, pair)


def _is_charts(pair: str) -> bool:
    """Whether the chart sends this input itself."""
    return pair.replace(" ", "").split(":")[0] in ("max_tokens", "min_tokens", "ignore_eos")


def _note_job(benchmark: Benchmark, context: Context) -> None:
    """Notes what the chart's Job does otherwise."""
    pod = benchmark.pod
    artifacts = _artifacts(benchmark)
    note_volumes("benchmark", pod, context, *([str(artifacts.value)] if artifacts else []))
    for lost in benchmark.lost:
        why = WITHOUT_EQUAL.get(lost.value)
        told = f"benchmark: {lost.value} has no equal in aiperf{f': {why}' if why else ''}"
        context.left_out(told, lost.place)
    tool = benchmark.tool
    if tool and tool.value != AIPERF:
        same = "traffic" if tool.value == GENAI_PERF else "load with other prompts"
        told = f"benchmark: {tool.value} is replaced by aiperf, which sends the same {same}"
        context.mended(told, tool.place)
    installs = [c for c in pod.commands if c.line.startswith(("pip ", "pip3 ", "apt-get ", "apt "))]
    if installs:
        told = (
            f"benchmark: {installs[0].line[:60]}; the chart's image has aiperf and installs nothing"
        )
        context.mended(told, installs[0].place)
    if pod.privileged:
        context.mended("benchmark: privileged; the chart's Job has no privileges", pod.privileged)
    for away in pod.anti_affinity:
        told = "benchmark: anti-affinity; the chart's Job needs no GPU and may run on any node"
        context.mended(told, away.place)
    if pod.image and pod.image.value.partition(":")[0].startswith("python"):
        context.mended(
            f"benchmark: image {pod.image.value}; the chart's image has aiperf", pod.image.place
        )
