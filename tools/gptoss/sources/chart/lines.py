"""The way back from rendered output to the line that a user edits.

A path is looked up in the arguments of ``--set`` and its relatives and in the values files from the
last to the first, then in the overlays and the target that they name, then in the engine file, then
in the chart's defaults.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from gptoss.sources.chart.rows import matching
from gptoss.text.places import Place

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gptoss.deployment.paths import Path
    from gptoss.sources.chart.rows import Names, Row
    from gptoss.sources.chart.set_arguments import SetArgument
    from gptoss.text.yaml_tree import Tree


class ChartPlaces:
    """Finds the line that sets a deployment path.

    Args:
        settings: What sets single values, the strongest last.
        files: Values files with their trees, first to last.
        defaults: The chart's own values.
        engines: Engine file of each worker.
        named: The target and the overlays of the chart that values name, first to last.
    """

    def __init__(
        self,
        settings: Sequence[SetArgument],
        files: Sequence[Tree],
        defaults: Tree,
        engines: dict[str, Tree],
        named: Sequence[Tree] = (),
    ) -> None:
        self._settings = settings
        self._files = files
        self._defaults = defaults
        self._engines = engines
        self._named = named
        self._found: dict[Path, Place] = {}

    def locate(self, path: Path, _rendered: Place) -> Place:
        """The line to edit for a deployment path; the rendered line is of no use to a user."""
        found = self._found.get(path)
        if found is None:
            found = self._found[path] = self._search(path) or self.start
        return found

    def values_path(self, path: str) -> Place | None:
        """Where a dotted values path, or the nearest map above it, is set."""
        steps = tuple(path.split("."))
        while steps:
            place = self._set(steps)
            if place or (place := self._in(self._defaults, steps)):
                return place
            steps = steps[:-1]
        return None

    def set_by_user(self, path: str) -> Place | None:
        """Where an argument or a values file sets a dotted values path itself."""
        return self._set_by_user(tuple(path.split(".")))

    def argument(self, path: str) -> Place | None:
        """The strongest argument that sets a dotted values path or anything below it."""
        for setting in reversed(self._settings):
            if any(f"{key}.".startswith(f"{path}.") for key in setting.keys):
                return setting.place
        return None

    @cached_property
    def start(self) -> Place:
        """Where to point when no line is to blame: the top of the last values file."""
        if self._files:
            return Place(self._files[-1].place.file)
        return self._settings[-1].place if self._settings else self._defaults.place

    def _search(self, path: Path) -> Place | None:
        """The first row that matches and leads to a line; else the same for the path's parent."""
        for row, names in matching(path):
            if place := self._first(row, names):
                return place
        return self._search(path.parent) if path.steps else None

    def _first(self, row: Row, names: Names) -> Place | None:
        candidates = row.lines(names)
        for steps in candidates:
            if place := self._set(steps):
                return place
        for steps in candidates:
            if place := self._in(self._defaults, steps):
                return place
        return None

    def _set(self, steps: tuple[str, ...]) -> Place | None:
        """Where a path is set above the chart's defaults."""
        own = self._set_by_user(steps)
        return own or self._in_last(self._named, steps) or self._in_engine(steps)

    def _set_by_user(self, steps: tuple[str, ...]) -> Place | None:
        for setting in reversed(self._settings):
            if ".".join(steps) in setting.keys:
                return setting.place
        return self._in_last(self._files, steps)

    def _in_last(self, trees: Sequence[Tree], steps: tuple[str, ...]) -> Place | None:
        """Where the last of several values files that sets a path does so."""
        found = (self._in(tree, steps) for tree in reversed(trees))
        return next((place for place in found if place), None)

    def _in(self, tree: Tree, steps: tuple[str, ...]) -> Place | None:
        """Where a values file sets a path; null is no setting, save for engine settings."""
        found = tree.at(*steps)
        if found is None or (found.value is None and "engine" not in steps):
            return None
        if found.value in ({}, []):
            return None
        return found.where

    def _in_engine(self, steps: tuple[str, ...]) -> Place | None:
        if len(steps) < 3 or steps[0] != "workers":
            return None
        engine = self._engines.get(steps[1])
        if engine is None:
            return None
        if steps[2] == "engineConfig":
            return engine.place
        found = engine.at(*steps[3:]) if steps[2] == "engine" and len(steps) > 3 else None
        return found.where if found else None
