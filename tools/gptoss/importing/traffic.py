"""The benchmark's traffic as the chart's values have it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.facts.programs import AIPERF, newest
from gptoss.importing.benchmark_flags import flags_of, take_whole
from gptoss.importing.context import leaf
from gptoss.importing.document import Block, Leaf

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gptoss.command_lines.arguments import InForce
    from gptoss.deployment.jobs import Benchmark
    from gptoss.importing.context import Context
    from gptoss.text.places import Located

DEFAULT_FACTOR = 10
ASSUMED_TOKENS = 1024
ASSUMED_PER_GPU = 16


def workload(context: Context) -> Block:
    """The traffic; a modest one where the source has no benchmark, for the chart needs one."""
    benchmark = context.deployment.benchmark
    if benchmark is None:
        return _assumed(context)
    found: Block = {}
    _tokens(found, "inputTokens", benchmark.input_tokens, benchmark, context)
    _tokens(found, "outputTokens", benchmark.output_tokens, benchmark, context)
    flags = flags_of(benchmark)
    take_whole(found, "inputTokensStddev", flags.get("--synthetic-input-tokens-stddev"), 0, 0)
    take_whole(found, "outputTokensStddev", flags.get("--output-tokens-stddev"), 0, 0)
    if benchmark.is_sweep:
        found |= _sweep(benchmark, context)
    else:
        found |= _concurrency(benchmark, context)
    goodput = flags.get("--goodput")
    if goodput and goodput.place:
        found |= _goodput(goodput, context)
    return found


def _assumed(context: Context) -> Block:
    lengths = [w.engine.whole("max_seq_len") for w in context.deployment.workers]
    found, told = assumed_traffic(length for length in lengths if length)
    context.chosen(told)
    return found


def assumed_traffic(lengths: Iterable[int]) -> tuple[Block, str]:
    """A modest traffic, and the words that say so.

    Args:
        lengths: Longest sequence of each worker, in tokens, where it is known.
    """
    tokens = max(1, min(ASSUMED_TOKENS, min(lengths, default=4 * ASSUMED_TOKENS) // 4))
    told = (
        f"the source has no benchmark; {tokens} tokens in and out and {ASSUMED_PER_GPU} requests a "
        "GPU are a guess, write the traffic that you expect under workload"
    )
    guess = "a guess: the source does not say"
    found: Block = {
        "inputTokens": Leaf(tokens, guess),
        "outputTokens": Leaf(tokens, guess),
        "concurrencyPerGpu": Leaf(ASSUMED_PER_GPU, guess),
    }
    return found, told


def _tokens(
    found: Block, key: str, tokens: Located[int] | None, benchmark: Benchmark, context: Context
) -> None:
    if tokens and tokens.value:
        found[key] = leaf(tokens.value, tokens.place)
        return
    told = f"the benchmark does not say workload.{key}; {ASSUMED_TOKENS} is a guess"
    context.chosen(told, benchmark.place)
    found[key] = Leaf(ASSUMED_TOKENS, "a guess: the source does not say")


def _concurrency(benchmark: Benchmark, context: Context) -> Block:
    """Requests in flight: a GPU where the Job or arithmetic says so, else in all."""
    per_gpu, sent, gpus = benchmark.concurrency_per_gpu, benchmark.concurrency, _gpus(context)
    found: Block = {}
    if per_gpu and per_gpu.value:
        found["concurrencyPerGpu"] = leaf(per_gpu.value, per_gpu.place)
        if sent and sent.value != per_gpu.value * gpus:
            counted = benchmark.gpu_count
            context.mended(
                f"the benchmark sends {sent.value} requests at once, but {per_gpu.value} on each "
                f"of {gpus} GPUs are {per_gpu.value * gpus}"
                + (f"; it counts {counted.value} GPUs" if counted else ""),
                counted.place if counted else sent.place,
            )
    elif sent and sent.value and sent.value % gpus == 0:
        found["concurrencyPerGpu"] = leaf(sent.value // gpus, sent.place, f"{sent.value} in all")
    elif sent and sent.value:
        found["concurrency"] = leaf(sent.value, sent.place)
    else:
        told = f"the benchmark's concurrency is not told; {ASSUMED_PER_GPU} a GPU is a guess"
        context.chosen(told, benchmark.place)
        found["concurrencyPerGpu"] = Leaf(ASSUMED_PER_GPU, "a guess: the source does not say")
    requests = benchmark.requests
    if requests and requests.value and sent and requests.value != DEFAULT_FACTOR * sent.value:
        found["requests"] = leaf(requests.value, requests.place)
    return found


def _sweep(benchmark: Benchmark, context: Context) -> Block:
    steps = [step.concurrency for step in benchmark.steps if step.concurrency]
    steps = sorted((step for step in steps if step.value), key=lambda step: step.value)
    if not steps:
        return _concurrency(benchmark, context)
    first, last = steps[0], steps[-1]
    found: Block = {"from": leaf(first.value, first.place), "to": leaf(last.value, last.place)}
    one = benchmark.steps[0]
    if one.requests and one.concurrency and one.concurrency.value:
        rounds = max(1, one.requests.value // one.concurrency.value)
        found["rounds"] = leaf(rounds, one.requests.place)
    doubled = [first.value * 2**step for step in range(len(steps) - 1)] + [last.value]
    if [step.value for step in steps] != doubled:
        told = (
            f"the sweep is {', '.join(str(s.value) for s in steps)}; the chart's doubles each step"
        )
        context.mended(told, benchmark.place)
    return {"sweep": found}


def _gpus(context: Context) -> int:
    """GPUs of all workers as the chart counts them."""
    return sum(w.ranks * w.replica_count for w in context.deployment.workers) or 1


def _goodput(flag: InForce, context: Context) -> Block:
    found: Block = {}
    for pair in str(flag.value).split():
        metric, _, limit = pair.partition(":")
        try:
            number = float(limit)
        except ValueError:
            number = 0
        if metric in newest(AIPERF).metrics and number > 0 and flag.place:
            found[metric] = leaf(number, flag.place)
        else:
            context.left_out(f"goodput {pair}: aiperf knows no such limit", flag.place)
    return {"goodput": found} if found else {}
