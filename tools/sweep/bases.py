"""Shipped targets as they are rendered, for one key to be changed in them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from typing import TYPE_CHECKING, Any

import yaml

from gptoss.checking.checker import run
from gptoss.facts import folders
from gptoss.facts.world import Facts
from gptoss.rules.rule import Severity
from gptoss.sources.chart.helm import ChartSource, find_helm, render
from gptoss.sources.kubernetes.build import build
from gptoss.text import plain_yaml
from gptoss.text.errors import InputError
from gptoss.text.yaml_tree import parse_documents

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gptoss.rules.finding import Finding

FACTS = Facts()
UNREADABLE = "not read"

HASH = re.compile(r"-[0-9a-f]{8}$")

Said = dict[str, str]
Named = tuple[str, tuple[str, ...]]


@dataclass(frozen=True)
class Base:
    """What a key is changed in.

    Attributes:
        target: The target.
        part: The worker or object whose key it is.
        settings: Further keys that are set first, for the key to mean anything.
    """

    target: str
    part: str
    settings: dict[str, Any]


def base_of(key: str, bases: list[dict[str, Any]]) -> Base:
    """The first of the bases that is for a key."""
    chosen = next(base for base in bases if fnmatchcase(key, base.get("keys", "*")))
    return Base(chosen["target"], chosen.get("part", ""), chosen.get("set", {}))


@cache
def rendered(target: str) -> tuple[str, ...]:
    """The documents that a target renders to with its benchmark, each as text."""
    source = ChartSource(target, (folders.values_files()[target],))
    rendering = render(source, find_helm())
    if rendering.refused:
        raise InputError(f"{target}: {rendering.refused}")
    return tuple(f"{text}\n" for text in rendering.output.split("\n---\n") if text.strip())


@cache
def documents(target: str) -> tuple[Any, ...]:
    """The same as plain data; nobody changes it."""
    return tuple(plain_yaml.load(text) for text in rendered(target))


def with_document(target: str, number: int, document: Any) -> str:
    """The target's manifests with another document in one's place."""
    texts = [*rendered(target)]
    texts[number] = dumped(document)
    return "\n---\n".join(texts)


def dumped(data: Any) -> str:
    """Data as YAML."""
    return yaml.dump(data, Dumper=yaml.CSafeDumper, sort_keys=False)


@cache
def said_before(target: str) -> frozenset[Named]:
    """What check says about the target itself."""
    return frozenset(named(findings("\n---\n".join(rendered(target)))))


def findings(text: str) -> tuple[Finding, ...]:
    """What the rules say about manifests.

    Raises:
        InputError: They cannot be read.
    """
    return run(
        build(parse_documents(text, "manifest.yaml"), "manifest.yaml", FACTS), FACTS
    ).findings


def said_to(text: str, target: str) -> Said:
    """What check says about manifests that it does not say about the target: severity by rule."""
    try:
        found = findings(text)
    except InputError:
        return {UNREADABLE: Severity.ERROR.word}
    return new(found, said_before(target))


def new(found: Sequence[Finding], before: frozenset[Named]) -> Said:
    """The worst severity of each rule that says something new."""
    said: dict[str, Severity] = {}
    for finding, name in zip(found, named(found), strict=True):
        if name not in before:
            said[name[0]] = max(finding.severity, said.get(name[0], Severity.INFO))
    return {name: severity.word for name, severity in sorted(said.items())}


def named(found: Iterable[Finding]) -> Iterator[Named]:
    """Each finding by rule and subjects; a Job's name ends in a hash of its content."""
    for finding in found:
        yield finding.rule.id, tuple(HASH.sub("", subject) for subject in finding.subjects)
