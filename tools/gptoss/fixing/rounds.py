"""Plans fixes round by round: every change is checked before the next, and before any is written.

A round makes every fix that touches no text that another one does. A fix stays only when its
finding is gone and no rule reports more errors than before; what stays is fixed further until
nothing changes.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gptoss.checking.checked import findings_of, single_findings_of
from gptoss.fixing.edits import changed, edit_changes
from gptoss.fixing.own_files import given_file, unified, write_all
from gptoss.fixing.yaml_edits import NotPossibleError
from gptoss.rules.rule import Severity
from gptoss.text import budget, files
from gptoss.text.errors import InputError
from gptoss.text.files import read_text
from gptoss.text.printable import printable
from gptoss.text.secrets import text_without_secrets

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from gptoss.checking.checked import Checked
    from gptoss.fixing.yaml_edits import Change
    from gptoss.rules.finding import Finding
    from gptoss.rules.fixes import Fix

    Check = Callable[[], Sequence[Checked]]

MAX_ROUNDS = 20
UNDECIDED = "no one right answer"


@dataclass(slots=True)
class FixPlan:
    """What the fixes make of the files.

    Attributes:
        given: Files, folders and targets on the command line.
        before: Texts of the files that change, by resolved path.
        after: The same files' new texts.
        names: How each file is called.
        fixed: Findings that are gone.
        made: Every change that was made, those that no finding asked for too.
        left: Changes that cannot be made, each with why.
        checked: What the rules say once the fixes are made.
        open: Findings that were to be fixed and are still there.
    """

    given: Sequence[str] = ()
    before: dict[Path, str] = field(default_factory=dict)
    after: dict[Path, str] = field(default_factory=dict)
    names: dict[Path, str] = field(default_factory=dict)
    fixed: list[Finding] = field(default_factory=list)
    made: set[Fix] = field(default_factory=set)
    left: dict[Fix, str] = field(default_factory=dict)
    checked: Sequence[Checked] = ()
    open: list[Finding] = field(default_factory=list)

    @property
    def changed(self) -> list[Path]:
        """The files that change, by name."""
        paths = [path for path in self.after if self.after[path] != self.before[path]]
        return sorted(paths, key=lambda path: self.names[path])

    @property
    def changed_texts(self) -> dict[Path, str]:
        """The new texts of the files that change, by resolved path."""
        return {path: self.after[path] for path in self.changed}

    def diff(self) -> str:
        """All changes as a unified diff, without what is secret; '' when there are none."""
        return "".join(
            unified(
                printable(self.names[path]),
                text_without_secrets(self.before[path]),
                text_without_secrets(self.after[path]),
            )
            for path in self.changed
        )

    def write(self) -> None:
        """Writes the files, each whole.

        Raises:
            InputError: A file cannot be written, or changed since it was read.
        """
        write_all({path: (self.before[path], self.after[path]) for path in self.changed})

    def summary(self, verb: str = "fixed") -> str:
        """What is fixed and what cannot be, and why, in a line or a few.

        Args:
            verb: ``fixed``, or ``would fix`` where nothing is written.
        """
        fixed, found = len(self.fixed), len(self.fixed) + len(self.open)
        files = _counted(len(self.changed), "file")
        done = f"{verb} {fixed} of {_counted(found, 'finding')} in {files}"
        reasons = Counter(map(self.reason, self.open))
        left = [f"not fixed: {count} ({why})" for why, count in sorted(reasons.items())]
        return "\n".join([done if fixed else "nothing to fix", *left])

    def reason(self, finding: Finding) -> str:
        """Why a finding is still there."""
        return next((self.left[fix] for fix in finding.fixes if fix in self.left), UNDECIDED)


def plan_fixes(
    check: Check,
    given: Sequence[str],
    *,
    first: Sequence[Fix] = (),
    only: Callable[[Finding], bool] | None = None,
) -> FixPlan:
    """Plans every fix that has one right answer.

    Args:
        check: Reads and judges everything anew; it is called while planned texts are laid over
            the files, so that it sees what they would become.
        given: Files, folders and targets on the command line; nothing else is changed.
        first: Changes to make before, that no finding asks for.
        only: Which findings to fix; all when left out.

    Raises:
        InputError: What is given cannot be read as it stands.
    """
    check = _anew(check)
    plan = FixPlan(given)
    _prepare(plan, first)
    with files.laid_over(plan.changed_texts):
        plan.checked = check()
    for _ in range(MAX_ROUNDS):
        found = [f for f in single_findings_of(plan.checked) if only is None or only(f)]
        waiting = [f for f in found if f.fixes and f.fixes[0] not in plan.left]
        batch, texts = _batch(plan, waiting)
        if not batch:
            break
        if not _try(plan, check, batch, texts):
            for finding in batch:
                alone, texts = _batch(plan, [finding])
                if not alone:
                    continue
                if _try(plan, check, alone, texts):
                    break  # the others' places may have moved
                plan.left[finding.fixes[0]] = "the fix would break something else"
    plan.open = findings_of(plan.checked, only)
    return plan


def _anew(check: Check) -> Check:
    """The check, which may spend as much each time."""

    def checked() -> Sequence[Checked]:
        with budget.run():
            return check()

    return checked


def _prepare(plan: FixPlan, fixes: Sequence[Fix]) -> None:
    """Makes changes that no finding asks for; those that cannot be made are left out."""
    for fix in dict.fromkeys(fixes):
        try:
            made = _changes(plan, fix)
        except NotPossibleError:
            continue
        for path, changes in made.items():
            plan.after[path] = changed(plan.after[path], changes)
        plan.made.add(fix)


def _batch(plan: FixPlan, waiting: Iterable[Finding]) -> tuple[list[Finding], dict[Path, str]]:
    """The fixes of one round, and the texts that they make."""
    taken: dict[Path, list[Change]] = {}
    batch = []
    done: dict[Fix, bool] = {}
    for finding in waiting:
        fix = finding.fixes[0]
        if fix in done:
            if done[fix]:
                batch.append(finding)
            continue
        try:
            changes = _changes(plan, fix)
        except NotPossibleError as error:
            plan.left[fix] = str(error)
            continue
        fits = all(
            not _touches(change, other)
            for path, own in changes.items()
            for change in own
            for other in taken.get(path, ())
        )
        done[fix] = fits
        if fits:
            batch.append(finding)
            for path, own in changes.items():
                taken.setdefault(path, []).extend(own)
    texts = {path: changed(_text(plan, path), changes) for path, changes in taken.items()}
    return batch, texts


def _touches(one: Change, other: Change) -> bool:
    return one.start <= other.end and other.start <= one.end


def _changes(plan: FixPlan, fix: Fix) -> dict[Path, list[Change]]:
    found: dict[Path, list[Change]] = {}
    for edit in fix.edits:
        path = given_file(edit.place.file, plan.given)
        plan.names.setdefault(path, edit.place.file)
        found.setdefault(path, []).extend(edit_changes(_text(plan, path), edit))
    return found


def _text(plan: FixPlan, path: Path) -> str:
    if path in plan.after:
        return plan.after[path]
    text = read_text(path)
    plan.before[path] = text
    plan.after[path] = text
    return text


def _try(plan: FixPlan, check: Check, batch: list[Finding], texts: dict[Path, str]) -> bool:
    """Takes the texts when what they fix is gone and nothing is worse."""
    candidate = {**plan.after, **texts}
    laid = {path: text for path, text in candidate.items() if text != plan.before[path]}
    try:
        with files.laid_over(laid):
            checked = check()
    except InputError:
        return False
    before, after = single_findings_of(plan.checked), single_findings_of(checked)
    if not _is_better(before, after, batch):
        return False
    plan.fixed += findings_of(plan.checked, batch.__contains__)
    plan.made |= {fix for finding in batch for fix in finding.fixes}
    plan.after, plan.checked = candidate, checked
    return True


def _is_better(before: list[Finding], after: list[Finding], batch: list[Finding]) -> bool:
    """Whether every finding of the batch is gone and no rule reports more errors."""
    counts, fixed = Counter(f.rule.id for f in after), Counter(f.rule.id for f in batch)
    previous = Counter(f.rule.id for f in before)
    if any(counts[rule] > previous[rule] - gone for rule, gone in fixed.items()):
        return False
    errors = {f.rule.id for f in after if f.severity is Severity.ERROR}
    return all(counts[rule] <= previous[rule] for rule in errors)


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
