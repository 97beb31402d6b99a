"""What is predicted of tuned siblings, beside the documented targets that they are of."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gptoss.facts.world import Facts
from gptoss.planning.layouts import KvType, Load
from gptoss.planning.loops.closed_loop import predict
from gptoss.planning.searching.space import Limits, Serving, Wish
from gptoss.planning.searching.tuning import tuned
from gptoss.planning.systems import loads_of, system_of
from gptoss.planning.telling.plan_words import engines
from gptoss.rendering.target import read_target
from gptoss.sources.request import Request
from gptoss.text import plain_yaml

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gptoss.facts.models import Model
    from gptoss.planning.layouts import System
    from gptoss.planning.prediction import Prediction
    from gptoss.planning.steps.step_times import Times

ROOT = Path(__file__).resolve().parents[2]
FILE = Path("schema/tuned/siblings.yaml")
PLACES = 4
# Where a gain is in doubt: the target, as its document has it, and the types of KV cache.
DOUBTED = "agg-gb200"
AS_PUBLISHED = ("workers.worker.engine.max_batch_size=800",)
TYPES = tuple(KvType)


@dataclass(frozen=True, slots=True)
class Gain:
    """What a sibling promises.

    Attributes:
        clients: Requests on their way at once.
        beside: Those of the documented target.
        at_least: Its output tokens a second a GPU, as a multiple of the documented target's.
        speed: The least output tokens a second a user; None when none are promised.
        ttft: The most milliseconds to the first token; None when none are promised.
    """

    clients: int
    beside: int
    at_least: float
    speed: float | None = None
    ttft: float | None = None


@dataclass(frozen=True, slots=True)
class Sibling:
    """A tuned target.

    Attributes:
        name: Its name.
        of: The documented target.
        serving: The kind of serving.
        kv: Type of the KV cache; None when it is the documented target's.
        gains: What it gives.
        because: Why the documented target gives less, as a sentence.
    """

    name: str
    of: str
    serving: Serving
    kv: KvType | None
    gains: tuple[Gain, ...]
    because: str

    @property
    def question(self) -> str:
        """The command that asks for it."""
        gain = self.gains[-1]
        words = ["gptoss tune", self.of, f"--clients {gain.clients}"]
        words += [f"--speed {gain.speed:g}"] if gain.speed else []
        words += [f"--ttft {gain.ttft:g}ms"] if gain.ttft else []
        words += [f"--kv {self.kv}"] if self.kv else []
        return " ".join([*words, f"--{self.serving}"])


def siblings() -> tuple[Sibling, ...]:
    """The tuned siblings, in the order of their file."""
    found: Mapping[str, Any] = plain_yaml.load((ROOT / FILE).read_text("utf-8"))
    return tuple(
        Sibling(
            name,
            told["of"],
            Serving(told["serving"]),
            KvType(told["kv"]) if "kv" in told else None,
            tuple(map(_gain, told["gains"])),
            told["because"],
        )
        for name, told in found.items()
    )


def _gain(told: Mapping[str, Any]) -> Gain:
    loads = told["clients"], told["beside"], told["atLeast"]
    return Gain(*loads, told.get("speed"), told.get("ttft"))


def beside_documents(times: Times) -> dict[str, Any]:
    """Predictions by target and clients, of the siblings and of what they are of.

    A sibling's have under ``tuned`` what tuning chooses for the same load.

    Raises:
        InputError: A prediction fails.
    """
    found: dict[str, Any] = {}
    for sibling in siblings():
        of, (traffic, *_) = loaded(sibling.of)
        own, _ = loaded(sibling.name)
        for gain in sibling.gains:
            load = Load(gain.clients, traffic.isl, traffic.osl)
            told = _told(predict(own, load, times))
            told["tuned"] = _told(_chosen(sibling, gain, own, load, times))
            found.setdefault(sibling.name, {})[str(gain.clients)] = told
            beside = Load(gain.beside, traffic.isl, traffic.osl)
            documented = _told(predict(of, beside, times))
            found.setdefault(sibling.of, {})[str(gain.beside)] = documented
    return found


def in_doubt(times: Times) -> dict[str, Any]:
    """What tuning finds where no sibling is made: the published target, and the best by KV type.

    Raises:
        InputError: A prediction fails.
    """
    system, (load, *_) = loaded(DOUBTED, *AS_PUBLISHED)
    found = {"published": _told(predict(system, load, times))}
    for kv in TYPES:
        wish = _wish(system, load, kv)
        found[str(kv)] = _told(tuned(wish, served(), times).choice)
    return found


def loaded(name: str, *settings: str) -> tuple[System, tuple[Load, ...]]:
    """A target with the loads of its benchmark."""
    deployment = read_target(Request((name,), settings=settings)).deployment
    return system_of(deployment), loads_of(deployment)


def _chosen(sibling: Sibling, gain: Gain, own: System, load: Load, times: Times) -> Prediction:
    speed, ttft = gain.speed, gain.ttft
    limits = Limits(ttft or math.inf, 1000 / speed if speed else math.inf)
    wish = _wish(own, load, own.decode.layout.kv, load.clients, limits, (sibling.serving,))
    return tuned(wish, served(), times).choice


def _wish(
    system: System,
    load: Load,
    kv: KvType,
    clients: int | None = None,
    limits: Limits | None = None,
    serving: tuple[Serving, ...] = tuple(Serving),
) -> Wish:
    gpu = Facts().gpu(system.decode.layout.gpu)
    asked = limits or Limits()
    return Wish(gpu, system.gpus, load.isl, load.osl, kv, clients, asked, serving, system.trtllm)


def served() -> Model:
    """The model that all targets serve."""
    return next(iter(Facts().models.values()))


def _told(one: Prediction) -> dict[str, Any]:
    return {
        "engines": engines(one.system),
        "clients": one.load.clients,
        "per_gpu": round(one.per_gpu, PLACES),
        "per_user": round(one.per_user, PLACES),
        "ttft": round(one.ttft, PLACES),
        "bottleneck": str(one.bottleneck),
        "belief": one.judged.belief.told,
        "reasons": "; ".join(one.judged.reasons),
    }
