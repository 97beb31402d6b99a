"""What the commands on a target's page name, from what is rendered for it."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING, Any

from gptoss.deployment.model import Runtime
from gptoss.rendering.compose import render_compose
from gptoss.rendering.containers import in_order
from gptoss.rendering.shell import render_shell
from gptoss.text import plain_yaml

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gptoss.deployment.model import Deployment
    from gptoss.facts.world import Facts, Release
    from gptoss.rendering.target import Target

MACHINE = re.compile(r"^  (machine-\d+)\)", re.MULTILINE)
PART = "app.kubernetes.io/component={},app.kubernetes.io/instance=gpt-oss"


def cycle(target: Target) -> dict[str, Any]:
    """What the commands from the namespace to the removal name, by the template's words."""
    deployment, cache = target.deployment, target.values["modelCache"]
    serve = deployment.runtime is Runtime.SERVE
    (claim,) = deployment.claims
    script = render_shell(target).files["launch.sh"]
    machines = MACHINE.findall(script)
    workers = [worker.name for worker in in_order(deployment)]
    return {
        "service": deployment.name if serve else f"{deployment.name}-frontend",
        "parts": ["server"] if serve else ["frontend", *workers],
        "select": PART.format,
        "token": cache["download"]["tokenSecret"],
        "claim": claim.value,
        "claim_size": cache["size"],
        "access_mode": cache["accessMode"],
        "next_release": _next(deployment, target.facts),
        "evaluates": target.name.startswith("eval-"),
        "machines": machines,
        "docker": _docker(script),
        "services": () if machines else _services(target),
    }


def _next(deployment: Deployment, facts: Facts) -> Release:
    """The release after the deployment's own."""
    releases = list(facts.releases.values())
    assert deployment.release is not None  # noqa: S101 (every target has one)
    return releases[releases.index(deployment.release) + 1]


def _services(target: Target) -> Sequence[str]:
    """The services of the compose file that stay up."""
    services = plain_yaml.load(render_compose(target).files["compose.yaml"])["services"]
    return [name for name, service in services.items() if "profiles" not in service]


def _docker(script: str) -> str:
    """What the head of a launch script says on its containers, as Markdown."""
    _, begins, head = script.partition("# It runs inside containers.")
    head, ends, _ = (begins + head).partition("\n#\n# The weights lie")
    assert ends, "the head of launch.sh says nothing of the weights"  # noqa: S101
    text = ""
    for part in head.split("\n#\n"):
        for code, lines in groupby(part.splitlines(), lambda line: line.startswith("#   ")):
            plain = [line.removeprefix("#   " if code else "# ") for line in lines]
            said = "\n".join(plain)
            text += f"```bash\n{said}\n```\n\n" if code else f"{said}\n\n"
    return text.rstrip("\n") + "\n"
