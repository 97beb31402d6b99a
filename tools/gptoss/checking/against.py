"""Pairs deployments with what is installed, for the rules that compare the two."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gptoss.deployment.model import Deployment

# How the chart calls the server of a release.
SERVER = "-server"


def with_installed(
    deployments: Sequence[Deployment], installed: Sequence[Deployment]
) -> list[Deployment]:
    """The deployments, each with the installed one of its name.

    Args:
        deployments: What is to be installed.
        installed: What is installed: manifests of the last release, or of the cluster.

    Raises:
        InputError: None of the deployments is among what is installed.
    """
    before = {deployment.name: deployment for deployment in installed}
    paired = [replace(d, installed=before.get(d.name) or _other(d, before)) for d in deployments]
    if deployments and not any(d.installed for d in paired):
        known = ", ".join(before) or "nothing"
        named = ", ".join(dict.fromkeys(d.name for d in deployments))
        raise InputError(
            f"--against: {named} is not among what is installed ({known}); a target is rendered "
            f"as another release with --name{_example(installed)}"
        )
    return paired


def _other(deployment: Deployment, before: Mapping[str, Deployment]) -> Deployment | None:
    """What the same Helm release has as the other kind: a graph, or a server called after it."""
    name = deployment.name
    other = name.removesuffix(SERVER) if name.endswith(SERVER) else f"{name}{SERVER}"
    found = before.get(other)
    return found if found and found.runtime is not deployment.runtime else None


def _example(installed: Sequence[Deployment]) -> str:
    """The name to give, where there is but one."""
    return f" {installed[0].name.removesuffix(SERVER)}" if len(installed) == 1 else ""
