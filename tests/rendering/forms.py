"""Every shipped target in every form, rendered once."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gptoss.checking.checker import Result, run
from gptoss.facts import folders
from gptoss.facts.world import Facts
from gptoss.rendering import render_as
from gptoss.rendering.target import read_target
from gptoss.rendering.writing import write
from gptoss.sources.load import load
from gptoss.sources.request import Request
from gptoss.text import plain_yaml

if TYPE_CHECKING:
    from gptoss.deployment.model import Deployment
    from gptoss.rendering import Rendered

FACTS = Facts()
ROOT = Path(__file__).resolve().parents[2]
TARGETS = list(folders.target_files())
DYNAMO = [name for name in TARGETS if not name.startswith(("serve-", "eval-"))]
SERVE = [name for name in TARGETS if name not in DYNAMO]
# One machine has not as many GPUs.
SPREAD = ("disagg-gb200", "disagg-gb200-tuned")
ON_ONE_MACHINE = [name for name in TARGETS if name not in SPREAD]
# Helm's default is no evaluation, and no image that could run one.
EVALUATION = ("accuracy.enabled=true", "accuracy.image=gpt-oss-evals:0.0.9")
RELEASES = list(FACTS.releases)
# Helm's default is no benchmark; a form that has one is compared with a target that has one.
BENCHMARK = ("benchmark.enabled=true",)


def request(
    name: str, *settings: str, release: str | None = None, files: tuple[str, ...] = ()
) -> Request:
    """A target with settings laid over it."""
    return Request((name,), files, settings, release)


@cache
def target(name: str, *settings: str, release: str | None = None) -> Deployment:
    """The deployment that a target is, with its benchmark."""
    return read_target(request(name, *settings, release=release)).deployment


@cache
def rendered(form: str, name: str, *settings: str, release: str | None = None) -> Rendered:
    """A target in a form."""
    return render_as(form, request(name, *settings, release=release))


@cache
def compose(name: str, *settings: str, release: str | None = None) -> dict[str, Any]:
    """The compose file of a target."""
    text = rendered("compose", name, *settings, release=release).files["compose.yaml"]
    loaded: dict[str, Any] = plain_yaml.load(text)
    return loaded


def read_back(found: Rendered, folder: Path, source: str = "") -> Deployment:
    """The deployment that a rendered form is read as, by its file or folder of this name."""
    write(found, folder)
    (deployment,) = load(Request((str(folder / source),))).deployments
    return deployment


def judged(deployment: Deployment) -> Result:
    """What the rules say about a deployment."""
    return run(deployment, FACTS)
