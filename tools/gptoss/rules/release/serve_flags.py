"""Does trtllm-serve take the command line, where its flags are known in part only?"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from gptoss.rules.release.flag_values import other_releases_values, refused_values, wrong_types
from gptoss.rules.release.parsed import INFERRED_READINGS, Reading
from gptoss.rules.release.unknown_flags import (
    missing_values,
    other_releases_flags,
    stray_words,
    unknown_flags,
)
from gptoss.rules.rule import SERVE, Need, Said, Severity, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Deployment
    from gptoss.facts.world import Facts


@rule(
    "R020",
    "serve-command-doubtful",
    Severity.WARNING,
    of=INFERRED_READINGS,
    runtimes=SERVE,
    needs=(Need.RELEASE,),
)
def serve_command_doubtful(
    reading: Reading, deployment: Deployment, facts: Facts
) -> Iterator[Said]:
    """trtllm-serve most likely stops at a word of the command line.

    All flags were read for TensorRT-LLM 1.3.0rc14 only. Those of other versions are inferred from
    versions before and after, so one that is not among them may exist all the same.
    """
    for said in chain(
        other_releases_flags(reading),
        unknown_flags(reading, facts),
        missing_values(reading),
        stray_words(reading),
        other_releases_values(reading),
        refused_values(reading, deployment.model),
        wrong_types(reading),
    ):
        message = f"{said.message} (the flags of {reading.program.release} are inferred)"
        yield replace(said, message=message, fix=None)
