"""Writes a target in another form: manifests, kustomize, compose, a script, Truss, or values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from gptoss.rendering.target import Target
    from gptoss.sources.request import Request

FORMS = ("manifests", "kustomize", "compose", "shell", "truss", "values")
ACCURACY = "accuracy"
# What the image of the evaluations is called where nothing names it.
EVALUATIONS = "gpt-oss-evals:0.0.9"


@dataclass(frozen=True, slots=True)
class Rendered:
    """A target in another form.

    Attributes:
        files: Texts by relative path; the first one is the one to begin with. Scripts
            (``*.sh``) are executable.
        notes: What its user should know before using it, one sentence each.
    """

    files: Mapping[str, str]
    notes: tuple[str, ...] = ()


def render_as(
    form: str, request: Request, part: str | None = None, folder: Path | None = None
) -> Rendered:
    """Renders one target.

    Args:
        form: One of ``FORMS``.
        request: The target, and what is laid over it.
        part: The one part of a shell script to give.
        folder: Where it will be written; None when that is not known.

    Raises:
        InputError: There is not exactly one target, the chart refuses it, or it cannot be written
            in this form.
    """
    if part is not None and form != "shell":
        raise InputError(f"--part is for --as shell, not for {form}")
    from gptoss.rendering.target import read_target, rendered_objects

    if form in ("manifests", "kustomize"):
        from gptoss.rendering.manifests import render_kustomize, render_manifests

        render = render_manifests if form == "manifests" else render_kustomize
        return render(rendered_objects(request))
    target = read_target(request)
    if part == ACCURACY and target.deployment.accuracy is None:
        target = read_target(_with_evaluation(request, target))
    if form == "values":
        from gptoss.rendering.values import render_values

        return render_values(target, folder)
    if form == "compose":
        from gptoss.rendering.compose import render_compose

        return render_compose(target)
    if form == "truss":
        from gptoss.rendering.truss import render_truss

        return render_truss(target)
    from gptoss.rendering.shell import render_shell

    return render_shell(target, part)


def _with_evaluation(request: Request, target: Target) -> Request:
    """The request with its evaluation turned on."""
    settings = [*request.settings, f"{ACCURACY}.enabled=true"]
    if not target.values[ACCURACY].get("image"):
        settings.append(f"{ACCURACY}.image={EVALUATIONS}")
    return replace(request, settings=tuple(settings))
