"""Are prefill and decode workers set up for each other?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.rules.disaggregation.transports import REUSE, is_before
from gptoss.rules.fixes import add_flag, remove_variable
from gptoss.rules.readings import is_true
from gptoss.rules.right_answers import engine_value
from gptoss.rules.rule import DYNAMO, Need, Said, Severity, rule
from gptoss.rules.subjects import FRONTEND, PAIRS, PREFILL_WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Deployment, Frontend, Worker
    from gptoss.facts.world import Release

# Prefill runs with the overlap scheduler from here on where blocks are not reused.
WITHOUT_REUSE = "1.3.0rc1"
# Decode speculates without prefill from here on (NVIDIA/TensorRT-LLM #14546).
DECODE_ALONE = "1.3.0rc19"


@rule(
    "D001",
    "prefill-with-overlap-scheduler",
    Severity.ERROR,
    of=PREFILL_WORKERS,
    fixable=True,
    needs=(Need.ENGINE, Need.RELEASE),
)
def prefill_with_overlap_scheduler(worker: Worker, release: Release) -> Iterator[Said]:
    """A prefill worker runs with the overlap scheduler in a release that refuses it.

    The overlap scheduler is on by default. Until TensorRT-LLM 1.3.0rc11 the engine answers the
    requests of a prefill worker with an error while it is on, from 1.3.0rc1 on only where KV cache
    blocks are reused, which they are by default. The worker starts without complaint and fails at
    the first request. Later releases do both together.
    """
    setting, reuse = worker.engine["disable_overlap_scheduler"], worker.engine[REUSE]
    only_with_reuse = not is_before(release, WITHOUT_REUSE)
    if setting.value is True or (only_with_reuse and reuse.value is not True):
        return
    says = "is false" if setting.is_set else "is not set"
    where = " and KV cache blocks are reused" if only_with_reuse else ""
    yield Said(
        setting,
        f"disable_overlap_scheduler {says}{where}, and TensorRT-LLM {release.trtllm} then answers "
        "every request of a prefill worker with an error",
        "write disable_overlap_scheduler: true",
        fix=engine_value(worker, "disable_overlap_scheduler", True),
        also=[(reuse, "blocks are reused")] if only_with_reuse and reuse.is_set else [],
    )


@rule(
    "D006",
    "speculation-on-one-side",
    Severity.WARNING,
    of=PAIRS,
    needs=(Need.ENGINE,),
)
def speculation_on_one_side(
    prefill: Worker, decode: Worker, deployment: Deployment
) -> Iterator[Said]:
    """Only prefill or only decode is set up for speculative decoding.

    The drafting model keeps a KV cache of its own, which prefill fills and decode uses; both sides
    need the same speculative_config. From TensorRT-LLM 1.3.0rc19 on decode may speculate alone;
    that only prefill does has no use, for it writes one token.
    """
    ours, theirs = (w.engine.under("speculative_config") for w in (prefill, decode))
    if bool(ours) == bool(theirs):
        return
    has, lacks = (prefill, decode) if ours else (decode, prefill)
    if has is decode and not is_before(deployment.release, DECODE_ALONE):
        return
    yield Said(
        (ours or theirs)[0],
        f"{has.name} has speculative_config but {lacks.name} has none",
        f"write the same speculative_config for {lacks.name}",
        also=[(lacks.engine["speculative_config"], f"{lacks.name} has none")],
    )


@rule(
    "D008",
    "prefill-shorter-than-decode",
    Severity.INFO,
    of=PAIRS,
    runtimes=DYNAMO,
    needs=(Need.ENGINE,),
)
def prefill_shorter_than_decode(
    prefill: Worker, decode: Worker, deployment: Deployment
) -> Iterator[Said]:
    """Prefill accepts shorter sequences than decode announces.

    The frontend checks prompts against the context that decode registers. What lies between the
    two passes that check and ends with an error of prefill instead of a clear 400. Where a
    benchmark says how long prompts are, and prefill takes them, nothing is said.
    """
    ours, theirs = prefill.engine.whole("max_seq_len"), decode.engine.whole("max_seq_len")
    isl = deployment.benchmark.input_tokens if deployment.benchmark else None
    if ours is None or theirs is None or ours >= theirs or (isl and isl.value < ours):
        return
    yield Said(
        prefill.engine["max_seq_len"],
        f"{prefill.name} takes sequences of {ours} tokens but {decode.name} announces "
        f"{theirs}: prompts of {ours + 1} to {theirs} tokens fail in prefill",
        f"write max_seq_len: {theirs} for {prefill.name}, or {ours} for {decode.name}",
        also=[(decode.engine["max_seq_len"], f"max_seq_len is {theirs}")],
    )


@rule(
    "D009",
    "requests-before-prefill",
    Severity.INFO,
    of=FRONTEND,
    runtimes=DYNAMO,
    fixable=True,
    needs=(Need.RELEASE,),
)
def requests_before_prefill(
    frontend: Frontend, release: Release, deployment: Deployment
) -> Iterator[Said]:
    """The frontend sends requests to decode workers while no prefill worker is there.

    Unless told to enforce disaggregation it hands whole requests to decode workers as long as no
    prefill worker is found. Those of dynamo.trtllm cannot serve them: each ends with "Disaggregated
    params are required for decode mode" in the log of decode, far from its cause. With the flag the
    frontend refuses them itself. From release 1.3 on the flag has no effect.
    """
    if release.enforce_disagg != "effective":
        return
    if not deployment.is_disaggregated or frontend.arguments is None:
        return
    if frontend.arguments["--enforce-disagg"].value is False:
        yield Said(
            frontend.arguments.command,
            "without --enforce-disagg requests go to decode workers while no prefill worker is "
            "there, and fail in them",
            "add --enforce-disagg, and the frontend refuses them itself",
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
    runtimes=DYNAMO,
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
