"""Measures checks without Helm in one process: ``python -m benchmarks.in_process``."""

from __future__ import annotations

import time
import tracemalloc
from dataclasses import dataclass

from benchmarks.rendering import TARGETS, rendered
from gptoss.checking.checker import run
from gptoss.checking.judging import without_collector
from gptoss.facts.world import Facts
from gptoss.sources.kubernetes.build import build
from gptoss.text.yaml_tree import parse_documents

NUMBERS = (100, 1000)
STEPS = ("parse", "build", "rules")


@dataclass(frozen=True, slots=True)
class Measured:
    """Milliseconds a manifest of each step, in one run over many."""

    number: int
    parse: float
    build: float
    rules: float

    @property
    def total(self) -> float:
        """Milliseconds a manifest in all."""
        return self.parse + self.build + self.rules


def variants(number: int) -> list[str]:
    """Manifests that differ in one size, made of the shipped targets in turn."""
    texts = [rendered(target) for target in TARGETS]
    return [
        texts[n % len(texts)].replace("max_num_tokens: ", f"max_num_tokens: {1 + n % 9}", 1)
        for n in range(number)
    ]


@without_collector()
def measure(texts: list[str], facts: Facts) -> Measured:
    """Reads and judges every manifest, as ``check`` does."""
    spent = dict.fromkeys(STEPS, 0.0)
    for text in texts:
        started = time.perf_counter()
        documents = parse_documents(text, "manifest.yaml")
        parsed = time.perf_counter()
        deployment = build(documents, "manifest.yaml", facts)
        built = time.perf_counter()
        run(deployment, facts)
        judged = time.perf_counter()
        spent["parse"] += parsed - started
        spent["build"] += built - parsed
        spent["rules"] += judged - built
    each = {step: 1000 * seconds / len(texts) for step, seconds in spent.items()}
    return Measured(len(texts), each["parse"], each["build"], each["rules"])


def peak_mib(texts: list[str], facts: Facts) -> float:
    """Most memory that Python objects take while all deployments are held, in MiB."""
    tracemalloc.start()
    held = [build(parse_documents(text, "manifest.yaml"), "manifest.yaml", facts) for text in texts]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 2**20 if held else 0.0


def main() -> None:
    """Prints milliseconds a manifest, and memory."""
    facts = Facts()
    lines = sum(rendered(target).count("\n") for target in TARGETS) // len(TARGETS)
    measure(variants(3), facts)  # facts are read
    print(f"manifests of {lines:,} lines without Helm, in one process, milliseconds each")
    for number in NUMBERS:
        done = measure(variants(number), facts)
        steps = ", ".join(f"{step} {getattr(done, step):.1f}" for step in STEPS)
        print(f"{number:6,} manifests {done.total:8.1f} ms   ({steps})")
    held = NUMBERS[0]
    print(f"{held:6,} held at once {peak_mib(variants(held), facts):8.1f} MiB")


if __name__ == "__main__":
    main()
