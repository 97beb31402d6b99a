"""Many requests through a simulated disaggregated target whose parts are ended and started again.

``python -m benchmarks.soak --requests 200000``: what was lost, how long each part takes to recover,
and the memory of the frontend. Prints tables; ``--json FILE`` keeps the numbers.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from gptoss.live.clients import Kind, Load, Service
from gptoss.live.injuries import injure
from gptoss.live.questions import questions
from gptoss.live.simulation import simulate
from gptoss.sources.request import Request

if TYPE_CHECKING:
    from gptoss.live.clients import Outcome
    from gptoss.live.injuries import Injury
    from gptoss.live.running import Running

TARGET = "disagg-gb200"
CLIENTS = 16
SPEED = 20.0
GRACE = 2
WHOLE = 50
SAMPLES = 40
# The frontend last: its memory is followed until then.
WORKERS = [(part, action) for action in ("kill", "term") for part in ("prefill", "decode")]
FRONTEND = [("frontend", "kill"), ("frontend", "term")]
STEADY = "no fault"
MIB = 2**20


@dataclass
class Tally:
    """What requests came to, by the fault during which they ended.

    Attributes:
        during: The fault that is going on.
        counts: Requests by fault and by how they ended.
        wrong: Whole answers that are not what the model wrote.
    """

    during: str = STEADY
    counts: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    wrong: Counter[str] = field(default_factory=Counter)

    def note(self, outcome: Outcome) -> None:
        """Counts a request."""
        self.counts[self.during][outcome.title] += 1
        if outcome.answer is not None and outcome.question.wrong(outcome.answer):
            self.wrong[outcome.question.kind] += 1


@dataclass
class Soak:
    """A soak.

    Attributes:
        release: The Dynamo release.
        tally: What requests came to.
        injuries: What was done to parts.
        memory: Seconds since the start, requests so far, the frontend's process, and its MiB.
        seconds: How long all of it took.
    """

    release: str
    tally: Tally = field(default_factory=Tally)
    injuries: list[Injury] = field(default_factory=list)
    memory: list[tuple[float, int, int, float]] = field(default_factory=list)
    seconds: float = 0

    def run(self, requests: int, rounds: int, minutes: float) -> None:
        """Asks so many requests, with so many rounds of faults among them."""
        target = Request((TARGET,), settings=(f"shutdown.longestAnswerSeconds={GRACE}",))
        asked = [each for each in questions(128, 32) if each.kind != "effort"]
        faults = WORKERS * rounds + FRONTEND * rounds
        step = max(1, requests // SAMPLES)
        with simulate(target, release=self.release, apart=True, speed=SPEED) as running:
            running.ready(300)
            began = time.monotonic()
            service = Service(running.url)
            with Load(service, running.model, asked, clients=CLIENTS, note=self.tally.note) as load:
                for number, (part, action) in enumerate(faults, 1):
                    self._until(load, running, began, requests * number // (len(faults) + 1), step)
                    self.tally.during = f"{part} {action}"
                    self.injuries.append(
                        injure(running, load, part, action, down=CLIENTS, whole=WHOLE)
                    )
                    self.tally.during = STEADY
                    told = f"{load.count} requests, {time.monotonic() - began:.0f} s"
                    print(f"{told}: {part} {action}", file=sys.stderr, flush=True)
                    if time.monotonic() - began > minutes * 60:
                        break
                else:
                    self._until(load, running, began, requests, step)
            self.seconds = time.monotonic() - began

    def _until(self, load: Load, running: Running, began: float, goal: int, step: int) -> None:
        while load.count < goal:
            load.until(min(goal - load.count, step), seconds=600)
            process = running.parts["frontend"].process.pid
            seconds = round(time.monotonic() - began, 1)
            self.memory.append((seconds, load.count, process, resident(process)))


def resident(process: int) -> float:
    """MiB of memory that a process holds."""
    pages = int(Path(f"/proc/{process}/statm").read_text(encoding="utf-8").split()[1])
    return round(pages * os.sysconf("SC_PAGE_SIZE") / MIB, 1)


def as_data(soak: Soak) -> dict[str, Any]:
    """The numbers."""
    return {
        "target": TARGET,
        "release": soak.release,
        "clients": CLIENTS,
        "seconds": round(soak.seconds, 1),
        "requests": sum(counted.total() for counted in soak.tally.counts.values()),
        "wrong": soak.tally.wrong,
        "faults": [
            {
                "fault": name,
                "times": len(found),
                "ended": counted,
                "recoverySeconds": [round(each.healed - each.started, 1) for each in found],
            }
            for name, counted in soak.tally.counts.items()
            for found in [[i for i in soak.injuries if f"{i.part} {i.action}" == name]]
        ],
        "frontendMemory": [
            dict(zip(("seconds", "requests", "process", "mib"), sample, strict=True))
            for sample in soak.memory
        ],
    }


def as_text(data: dict[str, Any]) -> str:
    """The numbers as tables in Markdown."""
    rate = data["requests"] / data["seconds"]
    head = f"{data['requests']:,} requests to {data['target']} on Dynamo {data['release']}"
    lines = [
        f"{head}, {data['clients']} at a time, {data['seconds']:,.0f} s ({rate:.0f} a second)",
        "",
        "| fault | times | answered | lost | refused | recovery s, median (longest) |",
        "|---|---|---|---|---|---|",
    ]
    for fault in data["faults"]:
        ended = Counter(fault["ended"])
        answered = ended.pop(Kind.OK, 0)
        refused = {t: n for t, n in ended.items() if t.startswith((Kind.REFUSED, Kind.UNREACHABLE))}
        lost = {title: count for title, count in ended.items() if title not in refused}
        times = fault["recoverySeconds"]
        healed = f"{median(times):.1f} ({max(times):.1f})" if times else "-"
        cells = fault["fault"], fault["times"] or "-", answered, told(lost), told(refused), healed
        lines.append(f"| {' | '.join(map(str, cells))} |")
    lines += ["", "| requests | frontend, MiB |", "|---|---|"]
    samples = data["frontendMemory"]
    for sample in samples[:: max(1, len(samples) // 12)]:
        lines.append(f"| {sample['requests']:,} | {sample['mib']} (process {sample['process']}) |")
    lines += ["", f"whole answers that were wrong: {told(data['wrong'])}"]
    return "\n".join(lines)


def told(counts: dict[str, int]) -> str:
    """Counts with what they count."""
    return (
        ", ".join(f"{count} {title.removeprefix('refused ')}" for title, count in counts.items())
        or "0"
    )


def main() -> None:
    """Runs a soak and prints its tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=20_000)
    parser.add_argument("--release", default="1.3.1")
    parser.add_argument("--rounds", type=int, default=2, help="rounds of all six faults")
    parser.add_argument("--minutes", type=float, default=60, help="after which no fault begins")
    parser.add_argument("--json", type=Path, metavar="FILE")
    given = parser.parse_args()
    soak = Soak(given.release)
    soak.run(given.requests, given.rounds, given.minutes)
    data = as_data(soak)
    if given.json:
        given.json.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
    print(as_text(data))


if __name__ == "__main__":
    main()
