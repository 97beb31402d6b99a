"""Whether a HelmRelease gives the model time to load, and what it does when it does not."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gptoss.deployment.model import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.text.yaml_tree import Tree

ACTIONS = ("install", "upgrade")
# Of a fixed release; Flux's default is five minutes.
DEFAULT = "5m0s"
ENOUGH = 90 * 60
SECONDS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600}
PART = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h)")


def remedies(spec: Tree) -> Iterator[Problem]:
    """What takes a model down, or calls it failed, that is still loading."""
    for action in ACTIONS:
        if waits := not _is(spec, True, action, "disableWait"):
            yield from _too_short(spec, action)
        yield from _uninstalls(spec, action, waits=waits)


def _too_short(spec: Tree, action: str) -> Iterator[Problem]:
    own = spec.at(action, "timeout")
    found = own or spec.at("timeout")
    if own is None and action == "upgrade":
        return  # said of the installation
    text = str(found.value) if found else DEFAULT
    if _seconds(text) < ENOUGH:
        said = f"timeout is {text}" if found else f"timeout is not set, so that it is {DEFAULT}"
        yield Problem("release-too-short", said, (found or spec).where)


def _uninstalls(spec: Tree, action: str, *, waits: bool) -> Iterator[Problem]:
    if spec.text(action, "strategy", "name") == "RetryOnFailure" or not waits:
        return
    remediation = spec.at(action, "remediation")
    retries = remediation.at("retries") if remediation else None
    often = isinstance(retries.value, int) and retries.value != 0 if retries else False
    last = _is(spec, True, action, "remediation", "remediateLastFailure")
    by = "uninstall" if action == "install" else spec.text(action, "remediation", "strategy")
    if remediation and by == "uninstall" and (often or last):
        yield Problem(
            "release-uninstalled",
            f"{action}.remediation uninstalls a release that has failed",
            (retries or remediation).where,
        )


def _is(spec: Tree, value: object, *path: str) -> bool:
    found = spec.at(*path)
    return found is not None and found.value is value


def _seconds(text: str) -> float:
    """The length of a time as Go writes it; endless when it is none, which Flux refuses itself."""
    parts = PART.findall(text)
    if "".join(number + unit for number, unit in parts) != text or not parts:
        return float("inf")
    return sum(float(number) * SECONDS[unit] for number, unit in parts)
