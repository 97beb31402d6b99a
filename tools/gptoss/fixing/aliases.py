"""Values with an anchor, for which aliases stand elsewhere in the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import yaml

from gptoss.fixing.spans import nodes, spots, views

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.fixing.spans import Node, Source, Spot
    from gptoss.fixing.yaml_edits import Change

MERGE = "<<"


def is_shared(source: Source, change: Change, *, in_words: bool) -> bool:
    """Whether a change is in a value that an alias stands for too.

    An alias that is merged into a map does not stand for the keys that the map sets itself.

    Args:
        source: The text.
        change: The change.
        in_words: Whether it is one of a command line, which stays inside its value.
    """
    try:
        documents = [root for roots in views(source, change.start) for root in roots]
    except yaml.YAMLError:  # a script
        return False
    for document in documents:
        aliases = [spot for spot in spots([document]) if spot.value.kind == "alias"]
        for part in _around(document, source, change):
            key = _key_around(part, change, in_words=in_words)
            if any(_stands_for(alias, part, key) for alias in aliases):
                return True
    return False


def _around(document: Node, source: Source, change: Change) -> Iterator[Node]:
    """The values with an anchor that a change is in."""
    for part in nodes([document]):
        is_anchored = part.kind != "alias" and part.anchor
        if is_anchored and part.start <= change.start <= source.line_end(part.end):
            yield part


def _key_around(part: Node, change: Change, *, in_words: bool) -> str | None:
    """The key of a map whose value a change is in."""
    for key, value in zip(part.keys, part.values, strict=False):
        last = value.end if in_words else value.end - 1
        if key.start <= change.start <= last:
            return key.value
    return None


def _stands_for(alias: Spot, part: Node, key: str | None) -> bool:
    if alias.value.anchor != part.anchor:
        return False
    is_merged = alias.holder.kind == "map" and alias.key.value == MERGE
    return not (is_merged and key in [own.value for own in alias.holder.keys])
