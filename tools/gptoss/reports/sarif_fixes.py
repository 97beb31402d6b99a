"""A finding's one right answer, as SARIF writes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gptoss.fixing.edits import edit_changes
from gptoss.fixing.own_files import own_file
from gptoss.fixing.yaml_edits import NotPossibleError
from gptoss.reports.common import hint_of
from gptoss.text.errors import InputError
from gptoss.text.files import read_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from gptoss.fixing.yaml_edits import Change
    from gptoss.rules.finding import Finding


def fixes_of(finding: Finding, artifact: Callable[[str], dict[str, str]]) -> list[dict[str, Any]]:
    """The fix with its replacements; nothing where there is none or it cannot be made."""
    changes: dict[str, list[dict[str, Any]]] = {}
    try:
        for edit in dict.fromkeys(edit for fix in finding.fixes for edit in fix.edits):
            text = read_text(own_file(edit.place.file))
            replacements = [_replacement(text, change) for change in edit_changes(text, edit)]
            changes.setdefault(edit.place.file, []).extend(replacements)
    except (NotPossibleError, InputError):
        return []
    artifacts = [
        {"artifactLocation": artifact(file), "replacements": replacements}
        for file, replacements in changes.items()
        if replacements
    ]
    if not artifacts:
        return []
    return [{"description": {"text": hint_of(finding)}, "artifactChanges": artifacts}]


def _replacement(text: str, change: Change) -> dict[str, Any]:
    start_line, start_column = _position(text, change.start)
    end_line, end_column = _position(text, change.end)
    region = {
        "startLine": start_line,
        "startColumn": start_column,
        "endLine": end_line,
        "endColumn": end_column,
    }
    return {"deletedRegion": region, "insertedContent": {"text": change.text}}


def _position(text: str, offset: int) -> tuple[int, int]:
    """Line and column of an offset, from 1."""
    line = text.count("\n", 0, offset) + 1
    return line, offset - (text.rfind("\n", 0, offset) + 1) + 1
