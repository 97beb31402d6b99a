"""Findings that somebody gave a reason to keep, and what is wrong with such reasons.

A suppression is a YAML comment on the line or the one above it, a comment for a whole file, an
annotation of the DynamoGraphDeployment or of a component's pod, or an entry of the configuration::

    max_batch_size: 900  # gptoss: ignore M002, K006 because measured, see the capacity report
    # gptoss: ignore-file D003 because the buffers are rounded by the engine
    gptoss/ignore.M002: measured, see the capacity report
"""

from __future__ import annotations

import difflib
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from gptoss.checking.base_suppressions import not_in_base
from gptoss.checking.checker import Suppressed
from gptoss.checking.suppressed_places import files_of
from gptoss.checking.written_suppressions import (
    MARK,
    MAX_IN_FILE,
    Suppression,
    in_annotations,
    in_comments,
    in_configuration,
)
from gptoss.rules.finding import Finding
from gptoss.rules.rule import RULES, Rule
from gptoss.text.shortened import shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gptoss.checking.checked import Checked
    from gptoss.checking.config import Config

    ReadText = Callable[[str], str | None]


def apply_all(
    checked: Sequence[Checked],
    config: Config,
    read_text: ReadText,
    before: ReadText | None = None,
) -> list[Checked]:
    """What the rules say about deployments, with the suppressed set apart.

    A suppression in a file that several deployments share is unused when none needs it.

    Args:
        checked: What was checked.
        config: The project's configuration.
        read_text: Gives a file's text, or None for what is no file.
        before: Gives the text that a file has in the base, whose suppressions alone count; all
            count unless given.
    """
    in_files: dict[str, list[Suppression]] = {}
    used: set[Suppression] = set()
    judged: set[Suppression] = set()
    done: list[tuple[Checked, list[Suppression]]] = []
    for item in checked:
        files = files_of(item.deployment, item.result)
        for file in files.difference(in_files):
            text = read_text(file)
            in_files[file] = list(in_comments(text, file)) if text and MARK in text else []
        found = [suppression for file in files for suppression in in_files[file]]
        found += in_annotations(item.deployment)
        found += in_configuration(config, files)
        done.append((item, found))
    every = {suppression for _, found in done for suppression in found}
    new = not_in_base(every, read_text, before) if before else set[Suppression]()
    for number, (item, found) in enumerate(done):
        if found:
            item = _applied(item, found, used, new)
            judged |= {s for s in found if _can_judge(item, s)}
            done[number] = item, found
    state = _State(judged - used, used & new)
    return [_complete(item, found, state) if found else item for item, found in done]


class _State(NamedTuple):
    """Suppressions that find nothing, and those that would but do not count."""

    unused: set[Suppression]
    not_counted: set[Suppression]


def _applied(
    item: Checked, found: list[Suppression], used: set[Suppression], new: set[Suppression]
) -> Checked:
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
        counting = [s for s in covering if s not in new]
        if counting:
            suppressed.append(Suppressed(finding, counting[0].reason, counting[0].place))
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


def _complete(item: Checked, found: list[Suppression], state: _State) -> Checked:
    """The deployment with what is wrong with its suppressions."""
    problems = {problem for s in found if (problem := _problem(s, state))}
    if not problems:
        return item
    findings = sorted(
        (*item.result.findings, *problems), key=lambda f: (f.place, f.rule.id, f.message)
    )
    return replace(item, result=replace(item.result, findings=tuple(findings)))


def _problem(suppression: Suppression, state: _State) -> Finding | None:
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
    if suppression in state.not_counted:
        message = f"the suppression of {rule.id} does not count: the base does not have it"
        hint = "have it merged first, or mend what it is about"
        return Finding(RULES["Z004"], place, message, hint)
    if suppression in state.unused:
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
