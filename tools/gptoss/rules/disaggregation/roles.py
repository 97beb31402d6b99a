"""Are prefill and decode workers set up for each other?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.rules.fixes import add_flag, remove_variable
from gptoss.rules.readings import is_true
from gptoss.rules.right_answers import engine_value
from gptoss.rules.rule import Need, Said, Severity, rule
from gptoss.rules.subjects import FRONTEND, PAIRS, PREFILL_WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Deployment, Frontend, Worker
    from gptoss.facts.world import Release


@rule(
    "D001",
    "prefill-with-overlap-scheduler",
    Severity.ERROR,
    of=PREFILL_WORKERS,
    fixable=True,
    needs=(Need.ENGINE,),
)
def prefill_with_overlap_scheduler(worker: Worker) -> Iterator[Said]:
    """A prefill worker runs with the overlap scheduler, which is on by default.

    A prefill worker serves context-only requests, which the engine answers with an error while
    the overlap scheduler is on. It starts without complaint and fails at the first request.
    """
    setting = worker.engine["disable_overlap_scheduler"]
    if not worker.engine.switch("disable_overlap_scheduler"):
        says = "is false" if setting.is_set else "is not set"
        yield Said(
            setting,
            f"disable_overlap_scheduler {says}, but a prefill worker cannot run "
            "with the overlap scheduler",
            "write disable_overlap_scheduler: true",
            fix=engine_value(worker, "disable_overlap_scheduler", True),
        )


@rule(
    "D006",
    "speculation-on-one-side",
    Severity.WARNING,
    of=PAIRS,
    needs=(Need.ENGINE,),
)
def speculation_on_one_side(prefill: Worker, decode: Worker) -> Iterator[Said]:
    """Only prefill or only decode is set up for speculative decoding.

    The drafting model keeps a KV cache of its own, which has to be filled by prefill and used by
    decode; both sides need the same speculative_config.
    """
    ours, theirs = (w.engine.under("speculative_config") for w in (prefill, decode))
    if bool(ours) == bool(theirs):
        return
    has, lacks = (prefill, decode) if ours else (decode, prefill)
    yield Said(
        (ours or theirs)[0],
        f"{has.name} has speculative_config but {lacks.name} has none",
        f"write the same speculative_config for {lacks.name}",
        also=[(lacks.engine["speculative_config"], f"{lacks.name} has none")],
    )


@rule(
    "D008",
    "prefill-shorter-than-decode",
    Severity.WARNING,
    of=PAIRS,
    needs=(Need.ENGINE,),
)
def prefill_shorter_than_decode(prefill: Worker, decode: Worker) -> Iterator[Said]:
    """Prefill accepts shorter sequences than decode announces.

    The frontend checks prompts against the context that decode registers. What lies between the
    two passes that check and fails in prefill.
    """
    ours, theirs = prefill.engine.whole("max_seq_len"), decode.engine.whole("max_seq_len")
    if ours is not None and theirs is not None and ours < theirs:
        yield Said(
            prefill.engine["max_seq_len"],
            f"{prefill.name} takes sequences of {ours} tokens but {decode.name} announces "
            f"{theirs}: prompts of {ours + 1} to {theirs} tokens fail in prefill",
            f"write max_seq_len: {theirs} for {prefill.name}, or {ours} for {decode.name}",
            also=[(decode.engine["max_seq_len"], f"max_seq_len is {theirs}")],
        )


@rule(
    "D009",
    "silent-fall-back-to-decode",
    Severity.WARNING,
    of=FRONTEND,
    fixable=True,
    needs=(Need.RELEASE,),
)
def silent_fall_back_to_decode(
    frontend: Frontend, release: Release, deployment: Deployment
) -> Iterator[Said]:
    """The frontend serves without prefill workers when there are none at the moment.

    Unless told to enforce disaggregation it sends whole requests to decode workers while no
    prefill worker is found: answers stay correct, latency and throughput are not what the
    deployment was sized for, and nothing says so. From release 1.3 on the flag has no effect.
    """
    if release.enforce_disagg != "effective":
        return
    if not deployment.is_disaggregated or frontend.arguments is None:
        return
    if frontend.arguments["--enforce-disagg"].value is False:
        yield Said(
            frontend.arguments.command,
            "without --enforce-disagg the frontend falls back to decode-only serving when prefill "
            "is missing, and says nothing",
            "add --enforce-disagg",
            fix=add_flag(frontend.arguments.command.place, "--enforce-disagg"),
        )


@rule(
    "D010",
    "transfer-overlap-switched-off",
    Severity.WARNING,
    of=PREFILL_WORKERS,
    fixable=True,
)
def transfer_overlap_switched_off(worker: Worker) -> Iterator[Said]:
    """A prefill worker sends the KV cache without overlap, which has made workers hang.

    With the overlap switched off the context worker waits for each transfer before it goes on, and
    users saw it wait for ever.
    """
    found = worker.pod.environment.get("TRTLLM_DISABLE_KV_CACHE_TRANSFER_OVERLAP")
    if found and is_true(found.value):
        yield Said(
            found,
            f"{found.name}={found.value} has made prefill workers hang",
            f"remove {found.name}",
            fix=remove_variable(found.place, found.name),
        )


@rule(
    "D011",
    "parsers-differ-between-roles",
    Severity.WARNING,
    of=PAIRS,
)
def parsers_differ_between_roles(prefill: Worker, decode: Worker) -> Iterator[Said]:
    """Prefill and decode name different parsers.

    Both register the same model with the frontend, which then reads its answers by one of the two.
    """
    for flag in ("--dyn-reasoning-parser", "--dyn-tool-call-parser"):
        ours, theirs = prefill.arguments[flag].located, decode.arguments[flag].located
        if ours and theirs and ours.value != theirs.value:
            yield Said(
                ours,
                f"{flag} is {ours.value} on {prefill.name} but {theirs.value} on {decode.name}",
                "write the same parser on both",
                also=[(theirs, f"{decode.name} says {theirs.value}")],
            )


@rule(
    "D012",
    "speculation-differs",
    Severity.WARNING,
    of=PAIRS,
    needs=(Need.ENGINE,),
)
def speculation_differs(prefill: Worker, decode: Worker) -> Iterator[Said]:
    """Prefill and decode draft by different methods, models or lengths.

    The draft's state travels with the KV cache; decode continues with what prefill began.
    """
    for name in ("decoding_type", "speculative_model", "max_draft_len"):
        key = f"speculative_config.{name}"
        ours, theirs = prefill.engine[key], decode.engine[key]
        if ours.is_set and theirs.is_set and ours.value != theirs.value:
            yield Said(
                ours,
                f"{key} is {ours.value} on {prefill.name} but {theirs.value} on {decode.name}",
                "write the same speculative_config on both sides",
                also=[(theirs, f"{theirs.value} on {decode.name}")],
            )
