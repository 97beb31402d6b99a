"""What of a change to an installed claim does the API server refuse?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.rules.rule import ANY, Said, Severity, rule
from gptoss.text.quantity import amount

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Deployment
    from gptoss.deployment.objects import Claim

CLASS = "storageClassName"
# What is left out counts as this.
DEFAULTS = {"volumeMode": "Filesystem"}
# What the cluster fills in where it is left out.
FILLED_IN = (CLASS, "volumeName")


def _pairs(deployment: Deployment) -> Iterator[tuple[Claim, Claim]]:
    """Claims that are there before and after: the new one and the installed one."""
    installed = deployment.installed
    before = {claim.name: claim for claim in installed.volumes} if installed else {}
    for claim in {claim.name: claim for claim in deployment.volumes}.values():
        if claim.name in before:
            yield claim, before[claim.name]


@rule(
    "G055",
    "claim-cannot-change",
    Severity.ERROR,
    runtimes=ANY,
)
def claim_cannot_change(deployment: Deployment) -> Iterator[Said]:
    """A claim shrinks, or asks for another storage class or access mode than the installed one.

    The API server refuses it. A claim may only grow; everything else is fixed once it is bound, and
    what was written once cannot be left out again. A class that the installed claim leaves out was
    filled in by the cluster and is not judged.
    """
    for claim, old in _pairs(deployment):
        yield from _other_values(claim, old)
        ours, theirs = _bytes(claim), _bytes(old)
        if claim.size and old.size and ours is not None and theirs is not None and ours < theirs:
            yield Said(
                claim.size,
                f"claim {claim.name} shrinks from {old.size.value} to {claim.size.value}: the API "
                "server refuses it",
                f"write {old.size.value} or more",
            )


def _other_values(claim: Claim, old: Claim) -> Iterator[Said]:
    for name, value in claim.fixed.items():
        was = old.fixed.get(name)
        if was is not None and was.value != value.value:
            yield Said(
                value,
                f"claim {claim.name}: {name} is {value.value} but installed as {was.value}: "
                "the API server refuses the change",
                f"write {was.value}, or make a claim of another name",
            )
    for name in sorted(old.written - claim.fixed.keys()):
        was = old.fixed[name]
        if was.value != DEFAULTS.get(name):
            yield Said(
                claim.place,
                f"claim {claim.name}: {name} is left out but installed as {was.value}: the API "
                "server refuses the change",
                f"write {was.value}, or make a claim of another name",
            )


@rule(
    "G150",
    "claim-named-afterwards",
    Severity.WARNING,
    runtimes=ANY,
)
def claim_named_afterwards(deployment: Deployment) -> Iterator[Said]:
    """A claim names the storage class or volume that its installed manifest leaves out.

    The cluster has filled it in meanwhile. The API server takes what it is called by now, and
    refuses any other: which one that is only the cluster can tell.
    """
    for claim, old in _pairs(deployment):
        if old.stored:
            continue
        for name in FILLED_IN:
            value = claim.fixed.get(name)
            if value is not None and name not in old.fixed:
                yield Said(
                    value,
                    f"claim {claim.name}: {name} is {value.value} and was left out when it was "
                    "installed: refused unless the cluster has filled in the same",
                    "leave it out, or compare with what the cluster holds: --against cluster",
                )


@rule(
    "G151",
    "claim-grows",
    Severity.INFO,
    runtimes=ANY,
)
def claim_grows(deployment: Deployment) -> Iterator[Said]:
    """A claim grows, and whether its storage class lets it is not known.

    The API server lets a bound claim grow where its class says allowVolumeExpansion: true, and
    refuses it anywhere else.
    """
    for claim, old in _pairs(deployment):
        if claim.size and old.grows is None and _is_larger(claim, old):
            yield Said(
                claim.size,
                f"claim {claim.name} grows to {claim.size.value}: refused unless its storage class "
                "lets claims grow",
                "look for allowVolumeExpansion: kubectl get storageclass",
            )


@rule(
    "G152",
    "claim-cannot-grow",
    Severity.ERROR,
    runtimes=ANY,
)
def claim_cannot_grow(deployment: Deployment) -> Iterator[Said]:
    """A claim grows, and its storage class does not let claims grow.

    The API server refuses it: only a class with allowVolumeExpansion: true lets them.
    """
    for claim, old in _pairs(deployment):
        if claim.size and old.size and old.grows is False and _is_larger(claim, old):
            named = old.fixed.get(CLASS)
            because = f"its class {named.value} does not allow it" if named else "it has no class"
            yield Said(
                claim.size,
                f"claim {claim.name} grows from {old.size.value} to {claim.size.value}, and "
                f"{because}: the API server refuses it",
                f"write {old.size.value}, or make a claim of another name",
            )


def _is_larger(claim: Claim, old: Claim) -> bool:
    ours, theirs = _bytes(claim), _bytes(old)
    return ours is not None and theirs is not None and ours > theirs


def _bytes(claim: Claim) -> float | None:
    size = amount(claim.size.value) if claim.size else None
    return None if size is None else float(size)
