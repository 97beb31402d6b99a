"""The errors as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from predicted.errors import Error, Group

HEAD = ("", "points", "ITL", "tokens/s/GPU", "TTFT", "TTFT, long run")


def rows(groups: Sequence[Group]) -> list[list[str]]:
    """A row for each group below the table's head."""
    return [
        [
            group.name,
            str(group.points),
            *map(_cell, (group.itl, group.per_gpu, group.ttft, group.steady_ttft)),
        ]
        for group in groups
    ]


def _cell(error: Error | None) -> str:
    """The mean error, and the median of predicted by measured."""
    return f"{error.mean:.1%} ({error.middle:.2f})" if error else "–"
