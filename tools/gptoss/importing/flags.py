"""Flags that are no engine settings and that the chart does not set itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gptoss.deployment.model import Runtime
from gptoss.facts.programs import SERVE, WORKER, program
from gptoss.importing.document import Leaf
from gptoss.text.secrets import is_secret

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gptoss.command_lines.arguments import Arguments, InForce
    from gptoss.deployment.model import Component
    from gptoss.facts.programs import Program
    from gptoss.importing.context import Context

# Told by values of their own, or by the chart for its own files.
TOLD = {
    "--config",
    "--extra_llm_api_options",
    "--disaggregation-mode",
    "--extra-engine-args",
    "--model",
    "--model-path",
    "--override-engine-args",
    "--revision",
    "--served-model-name",
    "--served_model_name",
}
# The chart's Service leads to these; the operator sets discovery.
PLATFORM = {
    "--discovery-backend": "the operator sets discovery",
    "--endpoint": "the operator names endpoints",
    "--namespace": "the operator names the namespace",
    "--host": "the server listens on every address of its pod",
    "--port": "the chart's Service listens on 8000",
    "--http-host": "the frontend listens on every address of its pod",
    "--http-port": "the chart's Service listens on 8000",
}


def extra_args(
    component: Component, arguments: Arguments, context: Context, chart: Mapping[str, Any]
) -> Leaf | None:
    """The ``extraArgs`` of a component, or None when there are none.

    Args:
        component: The component.
        arguments: Its command line.
        context: The import.
        chart: Flags that the chart sets itself with their values; None for one that another value
            stands for.
    """
    charts = _charts_program(arguments, context)
    words: list[str] = []
    places: dict[str, None] = {}
    for name, flag in arguments.in_force().items():
        if not flag.is_written or not flag.place:
            continue
        if not _is_carried(component, name, flag, context, chart):
            continue
        if not _is_taken(component, name, flag, charts, context):
            continue
        words += flag_words(name, flag)
        places[f"{flag.place.file}:{flag.place.line}"] = None
    return Leaf(words, ", ".join(places)) if words else None


def _is_carried(
    component: Component, name: str, found: InForce, context: Context, chart: Mapping[str, Any]
) -> bool:
    flag = found.flag
    if name in TOLD or name.startswith("--trtllm.") or _is_engine(name, found):
        return False
    if name in chart and chart[name] in (None, found.value):
        return False
    if name in PLATFORM:
        if flag is None or found.value != flag.default:
            context.left_out(
                f"{component.name}: {name} {found.value}: {PLATFORM[name]}", found.place
            )
        return False
    if is_secret(name, str(found.value)):
        told = f"{component.name}: {name} holds a secret; put it into a Secret and env"
        context.left_out(told, found.place)
        return False
    if flag is None:
        told = f"{component.name}: {name} is no flag of this release, which would refuse it"
        context.left_out(told, found.place)
        return False
    return True


def _is_taken(
    component: Component, name: str, found: InForce, program: Program | None, context: Context
) -> bool:
    """Whether the program that the chart runs has the flag too."""
    flag = found.flag
    if program is None or flag is None or any(s in program.spellings for s in flag.spellings):
        return True
    told = f"{component.name}: {name}: {program.name} {program.release} has no such flag"
    context.left_out(told, found.place)
    return False


def _charts_program(arguments: Arguments, context: Context) -> Program | None:
    """The program that the chart runs in the place of one, at the release of the values."""
    name, release = arguments.program.name, context.release
    if name == SERVE and context.deployment.runtime is Runtime.DYNAMO:
        name = WORKER
    return program(name, release.trtllm if name == SERVE else release.version)


def _is_engine(name: str, found: InForce) -> bool:
    """Whether it is carried over as an engine setting."""
    publishes = name.startswith("--publish-")
    return bool(found.flag and found.flag.engine) and not publishes


def flag_words(name: str, found: InForce) -> list[str]:
    """A flag as it is written on a command line."""
    flag = found.flag
    if flag is None or not flag.takes_value:
        return [name if found.value else f"--no-{name.removeprefix('--')}"]
    if flag.nargs == "append":
        return [word for each in found.words for word in (name, each)]
    return [name, *found.words]
