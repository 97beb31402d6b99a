"""Edits as changes of a file's text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import yaml

from gptoss.fixing.aliases import is_shared
from gptoss.fixing.own_files import own_file
from gptoss.fixing.spans import Source
from gptoss.fixing.word_edits import word_changes
from gptoss.fixing.yaml_edits import Change, NotPossibleError, spot_at, yaml_changes
from gptoss.rules.fixes import Action, Edit
from gptoss.text.files import read_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gptoss.text.places import Place

WORD_ACTIONS = {Action.SET_FLAG, Action.RENAME_FLAG, Action.REMOVE_FLAG, Action.ADD_FLAG}


def changed(text: str, changes: Iterable[Change]) -> str:
    """A text with changes made."""
    for change in sorted(changes, reverse=True):
        text = text[: change.start] + change.text + text[change.end :]
    return text


def edit_changes(text: str, edit: Edit) -> list[Change]:
    """The changes of a text that an edit makes.

    Raises:
        NotPossibleError: The place does not hold what the edit was made for.
    """
    source = Source(text)
    make = word_changes if edit.action in WORD_ACTIONS else yaml_changes
    try:
        changes = make(source, edit)
    except yaml.YAMLError:
        raise NotPossibleError("the file is no plain YAML") from None
    in_words = edit.action in WORD_ACTIONS
    if any(is_shared(source, change, in_words=in_words) for change in changes):
        raise NotPossibleError("aliases elsewhere in the file share it")
    return changes


def key_at(place: Place) -> str | None:
    """The key that stands at a place of a user's file; None when there is none."""
    try:
        source = Source(read_text(own_file(place.file)))
        return spot_at(source, Edit(place, Action.RENAME)).key.value
    except (NotPossibleError, yaml.YAMLError):
        return None
