"""What ``gptoss tune`` is asked, of a source or without one."""

from __future__ import annotations

import math
import shlex
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from gptoss.deployment.model import Role
from gptoss.planning.calibrating.kept_calibration import kept
from gptoss.planning.layouts import KvType
from gptoss.planning.searching.space import (
    MARKUP,
    MOST_GPUS,
    Limits,
    Serving,
    Wish,
    longest_sequence,
)
from gptoss.planning.systems import loads_of, system_of
from gptoss.planning.tuned.tuned_base import base_of
from gptoss.sources.load import load
from gptoss.sources.request import plan_of
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from gptoss.deployment.model import Deployment
    from gptoss.facts.dynamo_releases import Release
    from gptoss.facts.models import Model
    from gptoss.facts.world import Facts
    from gptoss.planning.calibrating.kept_calibration import Kept
    from gptoss.planning.layouts import Load, System
    from gptoss.sources.request import Request


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the command line says; what it leaves out is None.

    Attributes:
        isl, osl: Tokens of a prompt and of an answer.
        clients: Requests on their way at once.
        ttft, itl: Limits in milliseconds.
        kv: Type of the KV cache.
        serving: The kind of serving.
    """

    isl: int | None = None
    osl: int | None = None
    clients: int | None = None
    ttft: float | None = None
    itl: float | None = None
    kv: KvType | None = None
    serving: Serving | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A wish, and what the values file keeps of the source.

    Attributes:
        wish: What to search for.
        model: Id of the model.
        release: Dynamo release to run on.
        command: The command that asks it.
        base: Values of the source that stay.
        left: What of the source is not carried over; '' where everything is.
        before: The source and the load of its benchmark; None without a source.
        own: The calibration that is kept for the source; None for another GPU.
    """

    wish: Wish
    model: str
    release: Release
    command: str
    base: dict[str, Any] = field(default_factory=dict)
    left: str = ""
    before: tuple[System, Load] | None = None
    own: Kept | None = None


def question_of(request: Request, wanted: Wanted, facts: Facts) -> Question:
    """What is asked.

    Raises:
        InputError: Something that a search needs is not known.
    """
    command = shlex.join(["gptoss", "tune", *_words(request, wanted)])
    if request.sources:
        return _of_source(request, wanted, facts, command)
    given = {
        "--gpu": request.gpu,
        "--gpus": request.gpus,
        "--isl": wanted.isl,
        "--osl": wanted.osl,
    }
    if missing := [flag for flag, value in given.items() if not value]:
        raise InputError(f"without a SOURCE tune wants {', '.join(missing)} too")
    release = facts.deployable(request.release) if request.release else facts.default_release
    gpu = facts.gpu(request.gpu or "")
    model = next(iter(facts.models.values()))
    wish = Wish(
        gpu=gpu,
        gpus=request.gpus or 0,
        isl=wanted.isl or 0,
        osl=wanted.osl or 0,
        kv=wanted.kv or KvType.BF16,
        clients=wanted.clients,
        trtllm=release.trtllm,
    )
    return Question(_limited(wish, wanted, model), model.id, release, command)


def _of_source(request: Request, wanted: Wanted, facts: Facts, command: str) -> Question:
    charts = plan_of(replace(request, gpu=None, gpus=None)).charts
    alone = replace(request, gpu=None, gpus=None) if charts else request
    deployments = load(alone).deployments
    if len(deployments) != 1:
        found = ", ".join(each.name for each in deployments) or "none"
        raise InputError(f"tune takes one deployment, and these are {len(deployments)}: {found}")
    (deployment,) = deployments
    system = system_of(deployment)
    loads = loads_of(
        deployment, (wanted.clients,) if wanted.clients else (), wanted.isl, wanted.osl
    )
    most = max(loads, key=lambda each: each.clients)
    release = _release(deployment, facts)
    wish = Wish(
        gpu=facts.gpu(request.gpu or system.decode.layout.gpu),
        gpus=request.gpus or system.gpus,
        isl=most.isl,
        osl=most.osl,
        kv=wanted.kv or system.decode.layout.kv,
        clients=wanted.clients,
        trtllm=release.trtllm,
        longest=_longest(deployment),
    )
    model = deployment.model or next(iter(facts.models.values()))
    base, left = (base_of(alone), "") if charts else ({}, deployment.source)
    before, on_same = (system, most), wish.gpu.key == system.decode.layout.gpu
    own = kept(deployment.source, system) if on_same else None
    limited = _limited(wish, wanted, model)
    return Question(limited, model.id, release, command, base, left, before, own)


def _longest(deployment: Deployment) -> int | None:
    """Tokens of the longest sequence that the source serves."""
    serving = [worker for worker in deployment.workers if worker.role is not Role.PREFILL]
    whole = deployment.model.max_position if deployment.model else None
    return serving[0].engine.positive("max_seq_len") or whole


def _release(deployment: Deployment, facts: Facts) -> Release:
    """The source's own release where the chart deploys it, else the default."""
    own = deployment.release
    return own if own and own.version in facts.releases else facts.default_release


def _limited(wish: Wish, wanted: Wanted, model: Model) -> Wish:
    """A wish with its limits.

    Raises:
        InputError: The GPU cannot keep a cache of the type, a request is longer than the model's
            context, or there are too many GPUs for a search to end.
    """
    if wish.gpus > MOST_GPUS:
        raise InputError(
            f"{wish.gpus:,} GPUs are more than the {MOST_GPUS:,} that tune searches; ask it for a "
            "part of them and their clients, and multiply its replicas"
        )
    if wish.isl + wish.osl + MARKUP > model.max_position:
        raise InputError(
            f"a request of {wish.isl:,} tokens in and {wish.osl:,} out, with the chat template, is "
            f"longer than the {model.max_position:,} of {model.id}; give a lower --isl or --osl"
        )
    if wish.kv is KvType.FP8 and wish.gpu.is_hopper:
        instead = "leave --kv fp8 out" if wanted.kv else "SOURCE has one; give --kv auto"
        raise InputError(f"gpt-oss has no FP8 KV cache on {wish.gpu.name}; {instead}")
    limits = Limits(wanted.ttft or math.inf, wanted.itl or math.inf)
    serving = (wanted.serving,) if wanted.serving else tuple(Serving)
    longest = min(longest_sequence(wish), model.max_position)
    return replace(wish, limits=limits, serving=serving, longest=longest)


def _words(request: Request, wanted: Wanted) -> list[str]:
    """The question as it is typed, always in the same order."""
    words = list(request.sources)
    for file in request.files:
        words += ["-f", file]
    for setting in request.settings:
        words += ["--set", setting]
    for argument in request.typed:
        words += [argument.flag, argument.text]
    options = {
        "--release": request.release,
        "--gpu": request.gpu,
        "--gpus": request.gpus,
        "--isl": wanted.isl,
        "--osl": wanted.osl,
        "--ttft": wanted.ttft and _typed(wanted.ttft),
        **_between_tokens(wanted.itl),
        "--clients": wanted.clients,
        "--kv": wanted.kv and ("fp8" if wanted.kv is KvType.FP8 else "auto"),
    }
    for flag, value in options.items():
        if value is not None:
            words += [flag, str(value)]
    return [*words, f"--{wanted.serving}"] if wanted.serving else words


def _between_tokens(itl: float | None) -> dict[str, str]:
    """The limit as it is typed, a time or a speed, whichever is exact."""
    if itl is None:
        return {}
    exact = float(f"{itl:g}") == itl
    return {"--itl": _typed(itl)} if exact else {"--speed": f"{1000 / itl:g}"}


def _typed(milliseconds: float) -> str:
    """A time as it is typed."""
    return f"{milliseconds / 1000:g}s" if milliseconds >= 1000 else f"{milliseconds:g}ms"
