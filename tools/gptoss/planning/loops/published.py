"""Speeds that others have measured, as ``schema/measured`` holds them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from gptoss.facts.folders import root
from gptoss.planning.layouts import Engine, KvType, Layout, Load, System
from gptoss.text import plain_yaml

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# Where nobody had to wait for room.
PLENTY = 10**8
LAYOUT = re.compile(r"(?:(?P<replicas>\d+) x )?(?P<kind>TP|DEP)(?P<gpus>\d+)")


@dataclass(frozen=True, slots=True)
class Measured:
    """What a system did under a load.

    Attributes:
        group: Name of the file that it stands in.
        system, load: What was measured; lengths are means.
        requests: Requests of each client, all of which start at once.
        ttft, itl: Milliseconds, means over the requests; None where nobody says.
        per_gpu: Output tokens a second a GPU: as published, else by Little's law from the others.
    """

    group: str
    system: System
    load: Load
    requests: int
    ttft: float | None
    itl: float | None
    per_gpu: float


@dataclass(frozen=True, slots=True)
class MeasuredSet:
    """Points that were measured in one way.

    Attributes:
        name: Its file's.
        title: What it is called.
        sources: Where its figures and settings stand.
        about: What has to be known of it.
        points: What was measured.
    """

    name: str
    title: str
    sources: tuple[str, ...]
    about: str
    points: tuple[Measured, ...]


@cache
def measured_sets() -> tuple[MeasuredSet, ...]:
    """All sets, in the order of their names."""
    paths = sorted((root() / "schema" / "measured").glob("*.yaml"), key=lambda path: path.stem)
    return tuple(_set(path.stem, plain_yaml.load(path.read_text("utf-8"))) for path in paths)


def _set(name: str, content: Mapping[str, Any]) -> MeasuredSet:
    points = tuple(
        point for entry in content["measured"] for point in _points(name, {**content, **entry})
    )
    sources = tuple(content["source"])
    return MeasuredSet(name, content["title"], sources, content["about"], points)


def _points(name: str, entry: Mapping[str, Any]) -> Iterator[Measured]:
    """The points of one system; its own keys come before those of its set."""
    mean = (1 + entry.get("shortest", 1)) / 2
    isl, osl = round(entry["isl"] * mean), round(entry["osl"] * mean)
    times, rates = entry.get("points", {}), entry.get("perGpu", {})
    for clients in sorted({*times, *rates}):
        system = _system(f"{entry['gpu']}, {entry['layout']}", entry, clients)
        ttft, itl = times.get(clients, (None, None))
        rate = rates.get(clients) or _by_littles_law(clients, osl, ttft, itl) / system.gpus
        load = Load(clients, isl, osl)
        yield Measured(name, system, load, entry.get("requests", 10), ttft, itl, rate)


def _by_littles_law(clients: int, osl: int, ttft: float, itl: float) -> float:
    """Output tokens a second of clients that each wait for one answer after the other."""
    return 1000 * clients * osl / (ttft + itl * (osl - 1))


def _system(name: str, entry: Mapping[str, Any], clients: int) -> System:
    *prefill, decode = entry["layout"].split(" + ")
    batch = entry.get("maxBatchSize", clients)
    return System(
        name,
        _engine(decode, entry, batch),
        _engine(prefill[0], entry, entry["prefillBatchSize"]) if prefill else None,
        entry["trtllm"],
    )


def _engine(written: str, entry: Mapping[str, Any], batch: int) -> Engine:
    """An engine as it is written, in as many replicas as stand before it."""
    found = LAYOUT.fullmatch(written)
    if found is None:
        raise ValueError(f"{written} is no layout")
    gpus, attention_dp = int(found["gpus"]), found["kind"] == "DEP"
    spread = attention_dp or entry["spread"]
    kv = KvType.FP8 if entry["kv"] == "fp8" else KvType.BF16
    return Engine(
        layout=Layout(entry["gpu"], gpus, attention_dp, gpus if spread else 1, kv),
        replicas=int(found["replicas"] or 1),
        max_batch_size=batch,
        max_num_tokens=entry["maxNumTokens"],
        chunked_prefill=entry["chunkedPrefill"],
        kv_tokens=entry.get("kvTokens", PLENTY),
        moe_backend=entry["moeBackend"],
    )
