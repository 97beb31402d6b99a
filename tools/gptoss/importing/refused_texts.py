"""Texts that the chart refuses where they would stand: names, images and paths have patterns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import ValidationError

from gptoss.importing.document import Block, Leaf, plain
from gptoss.values.contract import Values

if TYPE_CHECKING:
    from collections.abc import Iterator


def take_refused(block: Block) -> Iterator[tuple[str, Leaf]]:
    """Takes out every setting with a text that no pattern of its value allows; gives its path."""
    try:
        Values.model_validate(plain(block))
    except ValidationError as error:
        for each in error.errors(include_url=False):
            # An empty text is left: it asks the user for one.
            if each["type"] == "string_pattern_mismatch" and each["input"]:
                yield from _taken(block, each["loc"])


def _taken(block: Block, steps: tuple[int | str, ...]) -> Iterator[tuple[str, Leaf]]:
    """Takes out the setting that a place is in, unless that is done."""
    for number, step in enumerate(steps, start=1):
        inner = block.get(str(step))
        if isinstance(inner, Leaf):
            yield ".".join(map(str, steps[:number])), block.pop(str(step))  # type: ignore[misc]
        if not isinstance(inner, dict):
            return
        block = inner
