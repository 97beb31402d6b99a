"""Findings that somebody gave a reason to keep, and what is wrong with such reasons.

A suppression is a YAML comment on the line or the one above it, a comment for a whole file, an
annotation of the DynamoGraphDeployment or of a component's pod, or an entry of the configuration::

    max_batch_size: 900  # gptoss: ignore M002, K006 because measured, see the capacity report
    # gptoss: ignore-file D003 because the buffers are rounded by the engine
    gptoss/ignore.M002: measured, see the capacity report
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from gptoss.checking.checker import Suppressed
from gptoss.checking.suppressed_places import files_of, places_of
from gptoss.rules.finding import Finding
from gptoss.rules.rule import RULES, Rule
from gptoss.text.errors import InputError
from gptoss.text.places import Place
from gptoss.text.shortened import shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from gptoss.checking.checked import Checked
    from gptoss.checking.config import Config
    from gptoss.deployment.model import Deployment
    from gptoss.text.places import Located

    ReadText = Callable[[str], str | None]

MARK = "gptoss:"
COMMENT = re.compile(r"(?:^|(?<=\s))#\s*gptoss:\s*(?P<verb>ignore(?:-file)?)(?![\w-])(?P<rest>.*)")
REASON = re.compile(r"\s*(?:because\b|:|-+|–)?\s*(?P<reason>.*)")
NAMES = re.compile(r"\s*(?P<names>[\w-]+(?:\s*,\s*[\w-]+)*)")
ANNOTATION = "gptoss/ignore."
# Rules that the comments of one file may suppress.
MAX_IN_FILE = 1000
LINE_BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class Suppression:
    """One rule suppressed in one place.

    Attributes:
        rule: Identifier or name, as written; '' when none is.
        reason: Why; '' when none is given.
        place: Where it is written.
        form: How to write its reason.
        covers: Whether a finding is where it holds.
    """

    rule: str
    reason: str
    place: Place
    form: str
    covers: Callable[[Finding], bool] = field(compare=False)


def apply_all(checked: Sequence[Checked], config: Config, read_text: ReadText) -> list[Checked]:
    """What the rules say about deployments, with the suppressed set apart.

    A suppression in a file that several deployments share is unused when none needs it.

    Args:
        checked: What was checked.
        config: The project's configuration.
        read_text: Gives a file's text, or None for what is no file.
    """
    in_files: dict[str, list[Suppression]] = {}
    used: set[Suppression] = set()
    judged: set[Suppression] = set()
    done = []
    for item in checked:
        files = files_of(item.deployment, item.result)
        for file in files.difference(in_files):
            text = read_text(file)
            in_files[file] = list(_comments(text, file)) if text and MARK in text else []
        found = [suppression for file in files for suppression in in_files[file]]
        found += _annotations(item.deployment)
        found += _configured(config, files)
        if found:
            item = _applied(item, found, used)
            judged |= {s for s in found if _can_judge(item, s)}
        done.append((item, found))
    unused = judged - used
    return [_complete(item, found, unused) if found else item for item, found in done]


def _applied(item: Checked, found: list[Suppression], used: set[Suppression]) -> Checked:
    """The deployment's findings without the suppressed; notes the suppressions that were used."""
    by_rule: dict[str, list[Suppression]] = {}
    for suppression in found:
        rule = _rule(suppression.rule)
        if rule and suppression.reason and rule.family.suppressible:
            by_rule.setdefault(rule.id, []).append(suppression)
    kept, suppressed = [], []
    for finding in item.result.findings:
        covering = [s for s in by_rule.get(finding.rule.id, ()) if s.covers(finding)]
        used.update(covering)
        if covering:
            suppressed.append(Suppressed(finding, covering[0].reason, covering[0].place))
        else:
            kept.append(finding)
    result = replace(item.result, findings=tuple(kept), suppressed=tuple(suppressed))
    return replace(item, result=result)


def _can_judge(item: Checked, suppression: Suppression) -> bool:
    """Whether the suppression's rule was applied to all of the deployment."""
    rule = _rule(suppression.rule)
    return (
        rule is not None
        and not item.deployment.is_refused
        and rule.id not in {skipped.rule for skipped in item.result.not_applied}
    )


def _complete(item: Checked, found: list[Suppression], unused: set[Suppression]) -> Checked:
    """The deployment with what is wrong with its suppressions."""
    problems = {problem for s in found if (problem := _problem(s, unused))}
    if not problems:
        return item
    findings = sorted(
        (*item.result.findings, *problems), key=lambda f: (f.place, f.rule.id, f.message)
    )
    return replace(item, result=replace(item.result, findings=tuple(findings)))


def _problem(suppression: Suppression, unused: set[Suppression]) -> Finding | None:
    rule, name, place = _rule(suppression.rule), suppression.rule, suppression.place
    if not name:
        hint = "name the rule, as in # gptoss: ignore D003 because …"
        return Finding(RULES["Z003"], place, "the suppression names no rule", hint)
    if rule is None:
        nearest = _nearest(name.upper())
        hint = f"did you mean {nearest}?" if nearest else "gptoss rules lists them"
        return Finding(RULES["Z003"], place, shortened(f"there is no rule {name}"), hint)
    if not rule.family.suppressible:
        hint = "mend what it finds and remove the suppression"
        return Finding(RULES["Z003"], place, f"{rule.id} cannot be suppressed", hint)
    if not suppression.reason:
        message = f"the suppression of {rule.id} gives no reason and does not count"
        return Finding(RULES["Z001"], place, message, suppression.form)
    if suppression in unused:
        message = f"{rule.id} is suppressed here, but finds nothing"
        return Finding(RULES["Z002"], place, message, "remove the suppression")
    return None


@lru_cache(maxsize=MAX_IN_FILE)
def _nearest(name: str) -> str:
    """The identifier that is most like a name; '' when none is."""
    # Of a longer name less than the three fifths that are asked for can be alike.
    short = 3 * len(name) <= 7 * max(map(len, RULES))
    return next(iter(difflib.get_close_matches(name, RULES, 1)), "") if short else ""


def _rule(name: str) -> Rule | None:
    """The rule of an identifier or a name."""
    by_id = RULES.get(name.upper())
    return by_id or next((rule for rule in RULES.values() if rule.name == name), None)


def _comments(text: str, file: str) -> Iterator[Suppression]:
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
        yield Suppression("", "", Place(file, line, match.start() + 1), "", covers)
        return
    reason = REASON.match(rest, names.end())
    given = reason["reason"].strip() if reason else ""
    for name in listed:
        place = Place(file, line, start + names.start("names") + name.start() + 1)
        form = f"write # gptoss: {match['verb']} {name[0]} because … with the reason"
        yield Suppression(name[0], given, place, form, covers)


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


def _annotations(deployment: Deployment) -> Iterator[Suppression]:
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
            yield Suppression(rule, value.value.strip(), value.place, form, covers)


def _configured(config: Config, files: Iterable[str]) -> Iterator[Suppression]:
    """The entries of the configuration that are about any of these files."""
    for ignore in config.ignores:
        if any(config.covers(ignore, file) for file in files):
            yield Suppression(
                ignore.rule,
                ignore.reason,
                ignore.place,
                f"give the reason as its value: {ignore.rule}: …",
                lambda finding, ignore=ignore: config.covers(ignore, finding.place.file),  # type: ignore[misc]
            )
