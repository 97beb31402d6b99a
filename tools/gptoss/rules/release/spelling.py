"""Is everything spelled as this release spells it?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.rules.fixes import set_flag
from gptoss.rules.release.parsed import READINGS, Reading
from gptoss.rules.right_answers import more_flags
from gptoss.rules.rule import DYNAMO, Need, Said, Severity, rule
from gptoss.rules.subjects import WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.command_lines.arguments import Given
    from gptoss.deployment.model import Worker
    from gptoss.facts.world import Release

MODE = "--disaggregation-mode"


@rule(
    "R002",
    "aggregated-mode-of-another-release",
    Severity.ERROR,
    of=READINGS,
    runtimes=DYNAMO,
    fixable=True,
    needs=(Need.RELEASE,),
)
def aggregated_mode_of_another_release(reading: Reading, release: Release) -> Iterator[Said]:
    """``--disaggregation-mode`` spells aggregated serving as another release does.

    Up to 1.2 it is prefill_and_decode, from 1.3 on agg; 1.4 no longer takes the old word. A wrong
    one stops the worker.
    """
    for given, mode in _modes(reading):
        too_new = mode in ("agg", "pd") and release.number < (1, 3)
        too_old = mode == "prefill_and_decode" and release.number >= (1, 4)
        if too_new or too_old:
            yield Said(
                given.at,
                f"release {release.version} does not know {MODE} {mode}",
                f"write {MODE} {release.aggregated_mode}, or leave it out",
                fix=set_flag(given.at.place, MODE, release.aggregated_mode),
            )


def _modes(reading: Reading) -> Iterator[tuple[Given, str]]:
    """Every disaggregation mode that a worker is given."""
    for given in reading.arguments.given:
        if given.flag.name == MODE:
            for value in given.values:
                yield given, value.value


@rule(
    "R003",
    "aggregated-mode-deprecated",
    Severity.WARNING,
    of=READINGS,
    runtimes=DYNAMO,
    fixable=True,
    needs=(Need.RELEASE,),
)
def aggregated_mode_deprecated(reading: Reading, release: Release) -> Iterator[Said]:
    """``--disaggregation-mode prefill_and_decode`` is deprecated from release 1.3 on.

    Release 1.4 refuses it. Aggregated serving is the default, so the flag can go.
    """
    for given, mode in _modes(reading):
        if mode == "prefill_and_decode" and (1, 3) <= release.number < (1, 4):
            yield Said(
                given.at,
                f"{MODE} prefill_and_decode is deprecated in release {release.version} "
                "and refused from 1.4 on",
                f"write {MODE} {release.aggregated_mode}, or leave it out",
                fix=set_flag(given.at.place, MODE, release.aggregated_mode),
            )


@rule(
    "R004",
    "sizes-not-registered",
    Severity.WARNING,
    of=WORKERS,
    runtimes=DYNAMO,
    fixable=True,
    needs=(Need.ENGINE, Need.RELEASE),
)
def sizes_not_registered(worker: Worker, release: Release) -> Iterator[Said]:
    """This release does not tell the frontend the sizes that the engine YAML sets.

    Before 1.2 dynamo.trtllm registers some sizes only as its flags say. The frontend then lets
    prompts through that are longer than the engine's max_seq_len, and clients get its errors. On
    1.1 a max_seq_len that only the YAML sets has another effect: answers to requests without
    max_tokens end after 32 tokens. On 1.0 these always do.
    """
    flags = []
    for key in release.repeated_sizes:
        setting, flag = worker.engine[key], f"--{key.replace('_', '-')}"
        if setting.is_set and worker.arguments[flag].located is None:
            flags.append(f"{flag} {setting.value}")
    if flags:
        yield Said(
            worker.command,
            f"release {release.version} does not register sizes of the engine "
            "YAML, so the frontend does not know them",
            f"repeat them on the command line: {' '.join(flags)}",
            fix=more_flags(worker, flags),
        )
