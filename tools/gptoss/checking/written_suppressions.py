"""Suppressions as they are written: comments, annotations and entries of the configuration."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gptoss.checking.suppressed_places import places_of
from gptoss.text.errors import InputError
from gptoss.text.places import Place

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from gptoss.checking.config import Config, Ignore
    from gptoss.deployment.model import Deployment
    from gptoss.rules.finding import Finding
    from gptoss.text.places import Located

MARK = "gptoss:"
COMMENT = re.compile(r"(?:^|(?<=\s))#\s*gptoss:\s*(?P<verb>ignore(?:-file)?)(?![\w-])(?P<rest>.*)")
REASON = re.compile(r"\s*(?:because\b|:|-+|–)?\s*(?P<reason>.*)")
NAMES = re.compile(r"\s*(?P<names>[\w-]+(?:\s*,\s*[\w-]+)*)")
ANNOTATION = "gptoss/ignore."
# Rules that the comments of one file may suppress.
MAX_IN_FILE = 1000
LINE_BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
BY_ANNOTATION = "annotation"


@dataclass(frozen=True, slots=True)
class Suppression:
    """One rule suppressed in one place.

    Attributes:
        rule: Identifier or name, as written; '' when none is.
        reason: Why; '' when none is given.
        place: Where it is written.
        form: How to write its reason.
        scope: What it holds for: ``ignore`` and ``ignore-file`` of a comment, the paths of an entry
            of the configuration, ``annotation``.
        covers: Whether a finding is where it holds.
    """

    rule: str
    reason: str
    place: Place
    form: str
    scope: str
    covers: Callable[[Finding], bool] = field(compare=False)


def in_comments(text: str, file: str) -> Iterator[Suppression]:
    """The suppressions that comments of a YAML file hold, embedded YAML and scripts included.

    Raises:
        InputError: They are more than 1,000.
    """
    lines = LINE_BREAK.split(text)
    after = _after(lines, lambda line: line.lstrip().startswith("#"))
    ends = _after(lines, lambda line: line.rstrip().endswith("\\"))
    count = 0
    for index, line in enumerate(lines):
        match = COMMENT.search(line) if MARK in line else None
        if match is None:
            continue
        covers = _in_file(file)
        if match["verb"] == "ignore":
            own = bool(line[: match.start()].strip())
            first = index if own else after[min(index + 1, len(lines) - 1)]
            covers = _on_lines(file, first + 1, (first if own else ends[first]) + 1)
        for suppression in _named(match, file, index + 1, covers):
            count += 1
            if count > MAX_IN_FILE:
                message = f"more than {MAX_IN_FILE:,} rules are suppressed by comments of one file"
                raise InputError(message, suppression.place)
            yield suppression


def _named(
    match: re.Match[str], file: str, line: int, covers: Callable[[Finding], bool]
) -> Iterator[Suppression]:
    rest, start = match["rest"], match.start("rest")
    names = NAMES.match(rest)
    listed = list(re.finditer(r"[\w-]+", names["names"])) if names else []
    if not listed or not names or listed[0][0] == "because":
        yield Suppression("", "", Place(file, line, match.start() + 1), "", match["verb"], covers)
        return
    reason = REASON.match(rest, names.end())
    given = reason["reason"].strip() if reason else ""
    for name in listed:
        place = Place(file, line, start + names.start("names") + name.start() + 1)
        form = f"write # gptoss: {match['verb']} {name[0]} because … with the reason"
        yield Suppression(name[0], given, place, form, match["verb"], covers)


def _after(lines: list[str], passes: Callable[[str], bool]) -> list[int]:
    """By the index of each line that of the first from there on that does not pass, or the last.

    A comment is about the line that it stands behind, or the next one that is no comment, as far as
    that goes on behind a backslash.
    """
    found = list(range(len(lines)))
    for index in range(len(lines) - 2, -1, -1):
        if passes(lines[index]):
            found[index] = found[index + 1]
    return found


def _on_lines(file: str, first: int, last: int) -> Callable[[Finding], bool]:
    return lambda finding: finding.place.file == file and first <= finding.place.line <= last


def _in_file(file: str) -> Callable[[Finding], bool]:
    return lambda finding: finding.place.file == file


def in_annotations(deployment: Deployment) -> Iterator[Suppression]:
    """Annotations of the DynamoGraphDeployment, and those of components' pods."""
    yield from _annotated(deployment.annotations, lambda _: True)
    annotated = [
        component
        for component in deployment.components
        if any(key.startswith(ANNOTATION) for key in component.pod.annotations)
    ]
    if not annotated:
        return
    places = {component.name: places_of(component) for component in deployment.components}
    shared = Counter(place for own in places.values() for place in own)
    for component in annotated:
        word = re.compile(rf"(?<![\w-]){re.escape(component.name)}(?![\w-])")

        def covers(
            finding: Finding,
            own: frozenset[Place] = places[component.name],
            word: re.Pattern[str] = word,
        ) -> bool:
            if finding.place not in own:
                return False
            return shared[finding.place] == 1 or bool(word.search(finding.message))

        yield from _annotated(component.pod.annotations, covers)


def _annotated(
    annotations: Mapping[str, Located[str]], covers: Callable[[Finding], bool]
) -> Iterator[Suppression]:
    for key, value in annotations.items():
        if key.startswith(ANNOTATION):
            form = f'give the reason as its value: {key}: "…"'
            rule = key.removeprefix(ANNOTATION)
            yield Suppression(rule, value.value.strip(), value.place, form, BY_ANNOTATION, covers)


def scope_of(ignore: Ignore) -> str:
    """What an entry of the configuration holds for."""
    return "\n".join(ignore.paths)


def in_configuration(config: Config, files: Iterable[str]) -> Iterator[Suppression]:
    """The entries of the configuration that are about any of these files."""
    for ignore in config.ignores:
        if any(config.covers(ignore, file) for file in files):
            yield Suppression(
                ignore.rule,
                ignore.reason,
                ignore.place,
                f"give the reason as its value: {ignore.rule}: …",
                scope_of(ignore),
                lambda finding, ignore=ignore: config.covers(ignore, finding.place.file),  # type: ignore[misc]
            )
