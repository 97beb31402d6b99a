"""The one target that a request names, as Helm renders it."""

from __future__ import annotations

import re
import shlex
import shutil
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gptoss.facts import folders
from gptoss.facts.world import Facts
from gptoss.rendering.templating import one_line
from gptoss.sources.chart.build import build_chart
from gptoss.sources.chart.helm import NAME, find_helm, render, run_helm
from gptoss.sources.chart.on_disk import Laid
from gptoss.sources.request import plan_of
from gptoss.text import plain_yaml
from gptoss.text.errors import InputError
from gptoss.text.secrets import shown
from gptoss.text.yaml_tree import parse_documents

if TYPE_CHECKING:
    from gptoss.deployment.model import Deployment
    from gptoss.sources.chart.helm import ChartSource
    from gptoss.sources.request import Request

# A chart that holds nothing but this template prints the values that Helm comes to, and what the
# chart's own helpers derive from them.
VALUES_TEMPLATE = """\
{{- include "gpt-oss.derive" . -}}
values:
  {{- toYaml (omit .Values "target" "overlays") | nindent 2 }}
plan:
  {{- toYaml (pick .plan "gpus" "disaggregated" "workers") | nindent 2 }}
"""

SETTING = re.compile(r"(?P<path>[^,=]+)=(?P<value>(?:\\.|[^,\\])*)")
# One machine has no claims and no nodes: the weights lie in one volume, which is the cache itself.
PLAIN_CACHE = (
    *(f"modelCache.{key}=null" for key in ("existingClaim", "hostPath", "image", "path")),
    "modelCache.subPath=null",
    "modelCache.readOnly=false",
    "modelCache.download.source=null",
)


@dataclass(frozen=True, slots=True)
class Target:
    """A target that Helm renders.

    Attributes:
        source: The values files and settings that make it.
        deployment: What it is, its benchmark included.
        objects: The objects that Helm renders, its benchmark included and hooks left out.
        values: The values that Helm comes to: chart defaults, values files and settings, merged.
        plan: What the chart derives from them: GPUs, and workers with their defaults.
        facts: The facts it was read with.
    """

    source: ChartSource
    deployment: Deployment
    objects: list[dict[str, Any]]
    values: dict[str, Any]
    plan: dict[str, Any]
    facts: Facts

    @property
    def name(self) -> str:
        """Names of the values files that make it."""
        return " + ".join(self.source.parts)


@dataclass(frozen=True, slots=True)
class Objects:
    """What Helm would apply.

    Attributes:
        source: The values files and settings that make it.
        texts: Each object's text, without Helm's hooks.
    """

    source: ChartSource
    texts: list[str]


def read_target(request: Request) -> Target:
    """Renders and reads the one target of a request, with its benchmark and a plain model cache.

    Raises:
        InputError: There is not exactly one, or the chart refuses it.
    """
    source = _source(request)
    plain = replace(source, settings=(*source.settings, *PLAIN_CACHE))
    rendering = render(plain, find_helm())
    facts = Facts()
    deployment = build_chart(rendering, facts)
    _check(deployment)
    objects = [plain_yaml.load(t) for t in _texts(rendering.output)]
    values, plan = _effective(replace(source, with_benchmark=False))
    return Target(source, deployment, objects, values, plan, facts)


def rendered_objects(request: Request) -> Objects:
    """What Helm would apply for the one target of a request.

    Raises:
        InputError: There is not exactly one, or the chart refuses it.
    """
    source = _source(request)
    rendering = render(replace(source, with_benchmark=False), find_helm())
    if rendering.refused:
        _check(build_chart(rendering, Facts()))
    return Objects(source, _texts(rendering.output))


def command_of(source: ChartSource, form: str) -> str:
    """The command that renders a target in a form."""
    words = ["gptoss", "render"]
    for first in source.files[:1]:
        words += [first.stem if first == folders.values_files().get(first.stem) else str(first)]
    for overlay in source.files[1:]:
        words += ["-f", _shown(overlay)]
    for argument in source.arguments:
        words += [argument.flag, SETTING.sub(_without_secret, argument.text)]
    if source.name != NAME:
        words += ["--name", source.name]
    return one_line(shlex.join([*words, "--as", form]))


def _without_secret(setting: re.Match[str]) -> str:
    """A setting with its value hidden when it is a secret."""
    path, value = setting["path"], setting["value"]
    return f"{path}={shown(path.rpartition('.')[2], value)}"


def _shown(path: Path) -> str:
    """A path as short as a reader in this folder needs it."""
    resolved, here = path.resolve(), Path.cwd()
    return str(resolved.relative_to(here) if resolved.is_relative_to(here) else path)


def _source(request: Request) -> ChartSource:
    plan = plan_of(request)
    if plan.files:
        raise InputError(
            f"{plan.files[0].label} is no target; render takes a target or a values file"
        )
    if plan.charts and plan.charts[0].inline:
        raise InputError(f"{plan.charts[0].label} holds its values; render takes a file of values")
    if len(plan.charts) != 1:
        raise InputError("render takes one target; `gptoss targets` lists the shipped ones")
    return plan.charts[0]


def _check(deployment: Deployment) -> None:
    """Refuses what the chart refuses.

    Raises:
        InputError: The chart refuses it.
    """
    if deployment.is_refused:
        problem = deployment.problems[0]
        raise InputError(problem.message, problem.place)


def _texts(output: str) -> list[str]:
    """The objects of a rendering without hooks, as they are written."""
    found = []
    for text in output.split("\n---\n"):
        loaded = _loaded(text)
        if loaded and "helm.sh/hook" not in loaded["metadata"].get("annotations", {}):
            found.append(text.removeprefix("---\n").strip("\n") + "\n")
    return found


def _loaded(text: str) -> Any:
    """The value of what Helm wrote, which is as deep as the values are."""
    documents = parse_documents(text, "helm template")
    return documents[0].plain() if documents else None


def _effective(source: ChartSource) -> tuple[dict[str, Any], dict[str, Any]]:
    """The values that Helm comes to, and what the chart derives from them."""
    with tempfile.TemporaryDirectory(prefix="gptoss-") as folder:
        chart = Path(folder, "chart")
        shutil.copytree(folders.chart(), chart, ignore=shutil.ignore_patterns("ci"))
        for template in (chart / "templates").rglob("*.*"):
            if template.suffix != ".tpl":
                template.unlink()
        (chart / "templates" / "values.yaml").write_text(VALUES_TEMPLATE, encoding="utf-8")
        rendering = run_helm(source, source.argv(find_helm(), Laid(chart, {})))
    if rendering.refused:
        raise InputError(f"helm template {source.label}: {rendering.refused.strip()}")
    loaded = _loaded(rendering.output)
    return loaded["values"], loaded["plan"]
