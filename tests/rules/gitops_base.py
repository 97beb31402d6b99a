"""A clean HelmRelease of Flux and a clean Application of Argo CD that examples are laid over."""

from __future__ import annotations

from typing import Any

VALUES = {"target": "agg-gb200"}


def helm_release() -> dict[str, Any]:
    """A release that has time to load."""
    source = {"chart": "gpt-oss", "sourceRef": {"kind": "HelmRepository", "name": "charts"}}
    return {
        "apiVersion": "helm.toolkit.fluxcd.io/v2",
        "kind": "HelmRelease",
        "metadata": {"name": "gpt-oss"},
        "spec": {"timeout": "2h", "chart": {"spec": source}, "values": dict(VALUES)},
    }


def application() -> dict[str, Any]:
    """An Application that is synced by hand."""
    source = {"repoURL": "ghcr.io/OWNER/charts", "chart": "gpt-oss"}
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": "gpt-oss"},
        "spec": {"source": {**source, "helm": {"valuesObject": dict(VALUES)}}},
    }


BASES = {"release": helm_release, "application": application}
