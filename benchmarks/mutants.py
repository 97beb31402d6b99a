"""Changes one value or key of the shipped targets at a time: ``python -m benchmarks.mutants``.

Oracles say which mutants are refused where they would run: Dynamo's and aiperf's own parsers for
command lines, kubeconform for objects, the JSON Schema of TensorRT-LLM's engine YAML. The table
says how many of those ``gptoss check`` flags with an error or a warning, and the list below it
names every one that it does not.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks import oracles
from benchmarks.mutations import KINDS, Mutant, mutants_of
from benchmarks.rendering import TARGETS, rendered
from gptoss.checking.checker import run
from gptoss.facts.world import Facts
from gptoss.rules.rule import Severity
from gptoss.sources.kubernetes.build import build
from gptoss.text.errors import InputError
from gptoss.text.yaml_tree import parse_documents

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gptoss.rules.finding import Finding

SEED = 120
FACTS = Facts()


@dataclass(frozen=True, slots=True)
class Judged:
    """A mutant, why oracles refuse it, and what check says.

    Attributes:
        mutant: The mutant.
        refusals: What each oracle that refuses it says.
        said: Rules that say something new, or ``unreadable``; empty when check is content.
        at_line: Whether check points at the changed line.
    """

    mutant: Mutant
    refusals: dict[str, str]
    said: frozenset[str]
    at_line: bool


def main(arguments: Sequence[str]) -> None:
    """Prints how many mutants oracles refuse, and how many of those check flags."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutants", description=__doc__)
    parser.add_argument("--mutants", type=int, default=500, help="mutants of each target")
    options = parser.parse_args(arguments)
    judged: list[Judged] = []
    with oracles.Oracles() as judges:
        for target in TARGETS:
            text = rendered(target)
            everything = list(mutants_of(target, text))
            chosen = random.Random(SEED).sample(  # noqa: S311 (no secret)
                everything, min(options.mutants, len(everything))
            )
            refusals = judges.refusals(text, chosen)
            known = set(map(_key, findings(text)))
            judged += [
                judge(mutant, text, refused, known)
                for mutant, refused in zip(chosen, refusals, strict=True)
            ]
    print_table(judged)
    print_missed(judged)


def findings(text: str) -> list[Finding]:
    """Errors and warnings about a text."""
    deployment = build(parse_documents(text, "mutant.yaml"), "mutant.yaml", FACTS)
    found = run(deployment, FACTS).findings
    return [finding for finding in found if finding.rule.severity >= Severity.WARNING]


def judge(
    mutant: Mutant, text: str, refusals: dict[str, str], known: set[tuple[str, str]]
) -> Judged:
    """What check says about a mutant that it does not say about the target."""
    try:
        new = [finding for finding in findings(mutant.apply(text)) if _key(finding) not in known]
    except InputError as error:
        at_line = error.place is not None and abs(error.place.line - mutant.line) < 2
        return Judged(mutant, refusals, frozenset({"unreadable"}), at_line)
    places = [place for f in new for place in (f.place, *(also.place for also in f.also))]
    at_line = any(abs(place.line - mutant.line) < 2 for place in places)
    return Judged(mutant, refusals, frozenset(f.rule.id for f in new), at_line)


def print_table(judged: Sequence[Judged]) -> None:
    """Prints one row a kind of change."""
    columns = ("mutants", "refused", "flagged", "at line")
    print(f"{'change':22}" + "".join(f"{c:>9}" for c in columns) + f"{'flagged, not refused':>23}")
    for kind in (*KINDS, "all"):
        rows = [item for item in judged if kind in (item.mutant.kind, "all")]
        refused = [item for item in rows if item.refusals]
        flagged = [item for item in refused if item.said]
        at_line = sum(item.at_line for item in flagged)
        others = sum(bool(item.said) for item in rows if not item.refusals)
        print(f"{kind:22}{len(rows):9}{len(refused):9}{len(flagged):9}{at_line:9}{others:23}")
    print("\nrefused by: " + _counted(name for item in judged for name in item.refusals))


def print_missed(judged: Sequence[Judged]) -> None:
    """Prints what is refused and not flagged, alike changes together."""
    missed: dict[tuple[str, str, str], list[Judged]] = defaultdict(list)
    for item in judged:
        if item.refusals and not item.said:
            (oracle, reason), *_ = item.refusals.items()
            missed[oracle, item.mutant.key, item.mutant.kind].append(item)
    print(f"\nnot flagged: {sum(map(len, missed.values()))}")
    for (oracle, key, kind), items in sorted(missed.items()):
        reason = next(iter(items[0].refusals.values()))
        print(f"  {len(items):3}x {oracle}: {key} {kind}: {' '.join(reason.split())[:110]}")


def _key(finding: Finding) -> tuple[str, str]:
    return finding.rule.id, finding.message


def _counted(names: Iterable[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in Counter(names).most_common())


if __name__ == "__main__":
    main(sys.argv[1:])
