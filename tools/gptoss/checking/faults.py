"""One fault is one finding: what is wrong for several workers is told once, with all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.rules.finding import Also, Finding
from gptoss.rules.readings import quoted

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator

    from gptoss.text.places import Place

    # Findings of one fault, in order and each once.
    Group = dict[Finding, None]


def faults(deployments: Iterable[Iterable[Finding]]) -> list[Finding]:
    """The findings of several deployments, each fault once, sorted by place.

    What a rule says in the same words of several subjects of a deployment is one fault. Those of
    two deployments are one where they share a line.
    """
    known: dict[Hashable, dict[Place, Group]] = {}
    for findings in deployments:
        own: dict[Hashable, Group] = {}
        for finding in findings:
            own.setdefault(_words(finding), {})[finding] = None
        for words, group in own.items():
            _join(group, known.setdefault(words, {}))
    groups = {id(group): group for at in known.values() for group in at.values()}
    found = [_one(sorted(group, key=_order)) for group in groups.values()]
    return sorted(found, key=_order)


def _words(finding: Finding) -> Hashable:
    """What findings of one fault agree in; what is about no subject is about its place."""
    place = None if finding.subjects else finding.place
    return finding.rule.id, finding.said, finding.hint, place


def _join(group: Group, at: dict[Place, Group]) -> None:
    """Adds a group to those of other deployments by place, as one with those that share a line."""
    others = {id(at[finding.place]): at[finding.place] for finding in group if finding.place in at}
    whole: Group = {}
    for each in (*others.values(), group):
        whole |= each
    at.update(dict.fromkeys((finding.place for finding in whole), whole))


def _order(finding: Finding) -> tuple[Place, str, str]:
    return finding.place, finding.rule.id, finding.message


def _one(group: list[Finding]) -> Finding:
    """One finding for all of a group, at the place of the first."""
    first = group[0]
    if len(group) == 1:
        return first
    also = dict.fromkeys([*_other_places(group), *(a for finding in group for a in finding.also)])
    return Finding(
        first.rule,
        first.place,
        first.said,
        first.hint,
        tuple(a for a in also if a.place != first.place),
        tuple(dict.fromkeys(fix for finding in group for fix in finding.fixes)),
        tuple(dict.fromkeys(name for finding in group for name in finding.subjects)),
        first.seen_for,
    )


def _other_places(group: list[Finding]) -> Iterator[Also]:
    places: dict[Place, list[str]] = {}
    for finding in group:
        places.setdefault(finding.place, []).extend(finding.subjects)
    for place, names in places.items():
        yield Also(place, f"{quoted(dict.fromkeys(names))}: the same", same=True)
