"""Is everything spelled as this release spells it?"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gptoss.findings import Need, Said, Severity, rule
from gptoss.rules._common import needed_release

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.facts import Facts, Release
    from gptoss.model import Deployment
    from gptoss.pods import Command

MODE = "--disaggregation-mode"
PARSERS = (
    "argument parsers of the ai-dynamo wheels 0.5.0 to 1.6.1 (dynamo/trtllm/backend_args.py, "
    "dynamo/frontend/frontend_args.py)"
)


class Span(NamedTuple):
    """Releases that know a flag: ``since`` knows it first, ``gone`` is the first without it."""

    since: tuple[int, ...] = ()
    gone: tuple[int, ...] = (99,)
    instead: str = ""


WORKER_FLAGS = {
    "--disaggregation-strategy": Span(gone=(0, 7), instead="remove it"),
    "--next-endpoint": Span(gone=(0, 7), instead="remove it"),
    "--disable-request-abort": Span(gone=(1, 1), instead="remove it"),
    "--publish-kv-events": Span(since=(1, 3), instead="write --publish-events-and-metrics"),
    "--durable-kv-events": Span(gone=(1, 4), instead="remove it"),
    "--publish-metrics": Span(since=(1, 6), instead="write --publish-events-and-metrics"),
    "--torch-compile-mode": Span(gone=(1, 1), instead="remove it"),
    "--warmup-steps": Span(gone=(1, 1), instead="remove it"),
}
FRONTEND_FLAGS = {
    "--router-durable-kv-events": Span(gone=(1, 4), instead="remove it"),
    "--router-snapshot-threshold": Span(gone=(1, 4), instead="remove it"),
    "--router-reset-states": Span(gone=(1, 4), instead="remove it"),
    "--admission-control": Span(since=(1, 3), instead="remove it"),
    "--router-policy-config": Span(since=(1, 3), instead="remove it"),
}


@rule(
    "R001",
    "flag-of-another-release",
    Severity.ERROR,
    source=PARSERS,
    bad="""
    # decode flags
    --disaggregation-strategy decode_first
    """,
    good="""
    # decode flags
    --disaggregation-mode decode
    """,
    near="""
    # release: 1.3.1
    # worker flags
    --publish-kv-events
    """,
    needs=(Need.RELEASE,),
)
def flag_of_another_release(deployment: Deployment, _facts: Facts) -> Iterator[Said]:
    """A flag does not exist in this release.

    Both programs stop at the first argument they do not know.
    """
    release = needed_release(deployment)
    for worker in deployment.workers:
        yield from _foreign(worker.name, worker.command, WORKER_FLAGS, release)
    frontend = deployment.frontend
    if frontend and frontend.command:
        yield from _foreign(frontend.name, frontend.command, FRONTEND_FLAGS, release)
        flag = frontend.command.flag("--enforce-disagg")
        if flag and release.enforce_disagg == "refused":
            yield Said(
                flag,
                f"{frontend.name}: release {release.version} does not know --enforce-disagg and "
                "stops at it",
                "remove it",
            )


def _foreign(
    name: str, command: Command, known: dict[str, Span], release: Release
) -> Iterator[Said]:
    for flag, _ in command.flags():
        span = known.get(flag.value)
        if span is None or span.since <= release.number < span.gone:
            continue
        if release.number < span.since:
            told = f"came with release {_dotted(span.since)}"
        else:
            told = f"is gone since release {_dotted(span.gone)}"
        yield Said(
            flag,
            f"{name}: {flag.value} {told}; release {release.version} stops at it",
            span.instead,
        )


def _dotted(number: tuple[int, ...]) -> str:
    return ".".join(map(str, number))


@rule(
    "R002",
    "aggregated-mode-of-another-release",
    Severity.ERROR,
    source=PARSERS,
    bad="""
    # release: 1.4.2
    # worker flags
    --disaggregation-mode prefill_and_decode
    """,
    good="""
    # release: 1.4.2
    # worker flags
    --disaggregation-mode agg
    """,
    near="""
    # worker flags
    --disaggregation-mode prefill_and_decode
    """,
    needs=(Need.RELEASE,),
)
def aggregated_mode_of_another_release(deployment: Deployment, _facts: Facts) -> Iterator[Said]:
    """``--disaggregation-mode`` spells aggregated serving as another release does.

    Up to 1.2 it is prefill_and_decode, from 1.3 on agg; 1.4 no longer takes the old word. A wrong
    one stops the worker.
    """
    release = needed_release(deployment)
    for worker in deployment.workers:
        mode = worker.command.flag(MODE)
        if mode is None:
            continue
        too_new = mode.value in ("agg", "pd") and release.number < (1, 3)
        too_old = mode.value == "prefill_and_decode" and release.number >= (1, 4)
        if too_new or too_old:
            yield Said(
                mode,
                f"{worker.name}: release {release.version} does not know {MODE} {mode.value}",
                f"write {MODE} {release.aggregated_mode}, or leave it out",
            )


@rule(
    "R003",
    "aggregated-mode-deprecated",
    Severity.WARNING,
    source=PARSERS,
    bad="""
    # release: 1.3.1
    # worker flags
    --disaggregation-mode prefill_and_decode
    """,
    good="""
    # release: 1.3.1
    # worker flags
    --disaggregation-mode agg
    """,
    needs=(Need.RELEASE,),
)
def aggregated_mode_deprecated(deployment: Deployment, _facts: Facts) -> Iterator[Said]:
    """``--disaggregation-mode prefill_and_decode`` is deprecated from release 1.3 on.

    Release 1.4 refuses it. Aggregated serving is the default, so the flag can go.
    """
    release = needed_release(deployment)
    for worker in deployment.workers:
        mode = worker.command.flag(MODE)
        if mode and mode.value == "prefill_and_decode" and (1, 3) <= release.number < (1, 4):
            yield Said(
                mode,
                f"{worker.name}: {MODE} prefill_and_decode is deprecated in release "
                f"{release.version} and refused from 1.4 on",
                f"write {MODE} {release.aggregated_mode}, or leave it out",
            )


@rule(
    "R004",
    "sizes-not-registered",
    Severity.WARNING,
    source="ai-dynamo/dynamo #6987, #8217, #9130",
    bad="""
    # release: 1.1.1
    """,
    good="""
    # release: 1.2.1
    """,
    near="""
    # release: 1.1.1
    # decode flags
    --max-seq-len 11008
    ---
    # prefill flags
    --max-seq-len 11008
    """,
    needs=(Need.ENGINE, Need.RELEASE),
)
def sizes_not_registered(deployment: Deployment, _facts: Facts) -> Iterator[Said]:
    """This release does not tell the frontend the sizes that the engine YAML sets.

    Before 1.2 dynamo.trtllm registers some sizes only as its flags say. The frontend then lets
    prompts through that are longer than the engine's max_seq_len, and clients get its errors.
    """
    release = needed_release(deployment)
    for worker in deployment.workers:
        flags = []
        for key in release.repeated_sizes:
            setting, flag = worker.engine[key], f"--{key.replace('_', '-')}"
            if setting.is_set and worker.command.flag(flag) is None:
                flags.append(f"{flag} {setting.value}")
        if flags:
            yield Said(
                worker.command,
                f"{worker.name}: release {release.version} does not register sizes of the engine "
                "YAML, so the frontend does not know them",
                f"repeat them on the command line: {' '.join(flags)}",
            )


@rule(
    "R005",
    "router-mode-of-another-release",
    Severity.ERROR,
    source=PARSERS,
    bad="""
    # release: 1.0.2
    # also: R004
    # frontend flags
    --router-mode least-loaded
    """,
    good="""
    # frontend flags
    --router-mode least-loaded
    """,
    near="""
    # frontend flags
    --router-mode random
    """,
    needs=(Need.RELEASE,),
)
def router_mode_of_another_release(deployment: Deployment, _facts: Facts) -> Iterator[Said]:
    """The frontend's router mode does not exist in this release.

    The frontend stops at it.
    """
    release, frontend = needed_release(deployment), deployment.frontend
    mode = frontend.command.flag("--router-mode") if frontend and frontend.command else None
    if frontend and mode and mode.value not in release.router_modes:
        yield Said(
            mode,
            f"{frontend.name}: release {release.version} does not know --router-mode {mode.value}",
            f"use one of {', '.join(release.router_modes)}",
        )
