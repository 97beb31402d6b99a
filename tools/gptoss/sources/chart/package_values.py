"""The targets and overlays inside the chart that values choose by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gptoss.facts import folders
from gptoss.sources.chart.set_arguments import texts_set

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from gptoss.sources.chart.set_arguments import SetArgument
    from gptoss.text.yaml_tree import Tree

TARGET, OVERLAYS = "target", "overlays"


class Chosen(NamedTuple):
    """What values choose by name.

    Attributes:
        target: Name of the target; '' when there is none.
        overlays: Names of the overlays, first to last.
    """

    target: str
    overlays: list[str]

    @property
    def label(self) -> str:
        """What a user calls it."""
        return " + ".join([self.target, *self.overlays])

    def files(self) -> list[Path]:
        """The files of the chart that they name, weakest first; names of none are left out."""
        named = [("targets", self.target)] if self.target else []
        named += [("overlays", name) for name in self.overlays]
        found = (folders.chart_file(folder, f"{name}.yaml") for folder, name in named)
        return [path for path in found if path]


def chosen(arguments: Sequence[SetArgument], files: Sequence[Tree]) -> Chosen:
    """The target and the overlays that values files and arguments name.

    Args:
        arguments: What sets single values, the strongest last.
        files: Values files, first to last.
    """
    target, overlays = "", list[str]()
    for tree in files:
        if tree.at(TARGET) is not None:
            target = tree.text(TARGET) or ""
        listed = tree.at(OVERLAYS)
        if listed is not None:
            overlays = [each.value for each in listed.elements() if isinstance(each.value, str)]
    named = texts_set(arguments, TARGET, [target] if target else [])
    return Chosen(named[-1] if named else "", texts_set(arguments, OVERLAYS, overlays))
