"""Is there such a module as the command runs?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.rules.release.parsed import nearest
from gptoss.rules.rule import Said, Severity, rule
from gptoss.rules.subjects import COMPONENTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Component
    from gptoss.facts.world import Facts
    from gptoss.text.command import Command
    from gptoss.text.places import Located

# What python3 -m runs of the ai-dynamo wheels 0.5.0 to 1.6.1.
PACKAGE = "dynamo"
MODULES = (
    *("frontend", "trtllm", "vllm", "sglang", "mocker", "planner", "router", "profiler"),
    *("global_planner", "global_router", "replay", "llama_cpp", "tokenspeed", "triton"),
    *("thunderagent_router", "squeeze_evolve", "kv_dc_relay", "kv_state_agent", "common"),
    *("experimental", "vllm_prefill_router"),
)
# Those that a deployment starts; no other package of the image has one of these names.
STARTED = ("frontend", "trtllm", "vllm", "sglang", "mocker")
# With it modules are found elsewhere too.
SEARCHED = "PYTHONPATH"


@rule(
    "S032",
    "module-unknown",
    Severity.ERROR,
    of=COMPONENTS,
)
def module_unknown(component: Component, facts: Facts) -> Iterator[Said]:
    """A component runs a module that NVIDIA's image does not have.

    Python ends with "No module named ..." and Kubernetes starts it again and again. Modules of
    other images are not judged.
    """
    image = component.pod.image
    if image is None or not image.value.startswith(f"{facts.image}:"):
        return
    if SEARCHED in component.pod.environment:
        return
    for command in component.pod.commands:
        module = _module(command)
        meant = _meant(module.value) if module else None
        if module and meant:
            yield Said(
                module,
                f"there is no module {module.value} in {image.value}",
                f"write {meant}",
            )


def _module(command: Command) -> Located[str] | None:
    """What ``python3 -m`` runs."""
    for position, word in enumerate(command.words[2:], 2):
        before, program = command.words[position - 1].value, command.words[position - 2].value
        if before == "-m" and program.rpartition("/")[2].startswith("python"):
            return word
    return None


def _meant(module: str) -> str | None:
    """The module of Dynamo that a wrong name stands for; None for a right one, or any other."""
    package, dot, rest = module.partition(".")
    name = rest.partition(".")[0]
    if not dot or (package == PACKAGE and name in MODULES):
        return None
    if package == PACKAGE:
        close = nearest(name, MODULES)
        return f"{PACKAGE}.{close}" if close else None
    return f"{PACKAGE}.{name}" if name in STARTED else None
