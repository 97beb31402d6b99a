"""Builds a deployment from a target, through what Helm renders."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from gptoss.facts import folders
from gptoss.sources.chart.idle_values import idle_values
from gptoss.sources.chart.lines import ChartPlaces
from gptoss.sources.chart.package_values import chosen
from gptoss.sources.chart.refusals import problems, without_trailer
from gptoss.sources.kubernetes.build import build
from gptoss.sources.parts.assembly import Origin, assemble
from gptoss.text.errors import InputError
from gptoss.text.files import read_text
from gptoss.text.places import Place
from gptoss.text.yaml_tree import Tree, parse_documents

if TYPE_CHECKING:
    from gptoss.deployment.model import Deployment
    from gptoss.facts.world import Facts
    from gptoss.sources.chart.helm import ChartSource, Rendering

ENGINE_FOLDER = Path("charts/gpt-oss/engine_configs")


def build_chart(rendering: Rendering, facts: Facts) -> Deployment:
    """The deployment that a target renders to.

    A target that Helm refuses gives a deployment with nothing but its problems.

    Raises:
        InputError: A values file cannot be read, or Helm fails for another reason.
    """
    source = rendering.source
    places = _places(source)
    if rendering.refused:
        return _refused(source, rendering.refused, places, facts)
    documents = parse_documents(rendering.output, f"helm template {source.label}")
    found = build(documents, source.label, facts, places.locate)
    idle = idle_values(places, makes_claim=bool(found.claims))
    return replace(found, problems=(*found.problems, *idle, *source.problems))


def _places(source: ChartSource) -> ChartPlaces:
    files = [*(_values(file) for file in source.files), *source.inline]
    arguments = source.arguments
    named = [_as_written(file) for file in chosen(arguments, files).files()]
    engines: dict[str, Tree] = {}
    for tree in (*named, *files):
        for name, worker in (tree.at("workers") or tree).items():
            config = worker.text("engineConfig")
            path = folders.chart_file("engine_configs", config) if config else None
            if path:
                engines[name] = _values(path)
    return ChartPlaces(arguments, files, _values(folders.chart_defaults()), engines, named)


def _as_written(path: Path) -> Tree:
    """A target or overlay of the chart: the file that it was made from where that says the same."""
    made, source = _values(path), folders.values_files().get(path.stem)
    written = _values(source) if source else made
    return written if written.plain() == made.plain() else made


def _values(path: Path) -> Tree:
    """A YAML file that holds a map; an empty one holds an empty map."""
    shown = _shown(path)
    return _parsed(read_text(path, shown), shown)


@lru_cache(maxsize=64)
def _parsed(text: str, shown: str) -> Tree:
    """The map in a text: targets share the chart's files, which are parsed once."""
    documents = parse_documents(text, shown)
    tree = documents[0] if documents else Tree({}, Place(shown))
    if tree.value is None:
        return Tree({}, Place(shown))
    if not tree.is_map:
        raise InputError("a values file holds a map of keys", tree.place)
    return tree


def _shown(path: Path) -> str:
    """The path as short as a reader in this folder needs it."""
    try:
        relative = path.resolve().relative_to(Path.cwd())
    except ValueError:
        return str(path)
    # In a checkout the engine files are also to be reached from the top.
    linked = Path("engine_configs", *relative.parts[3:])
    return str(linked if ENGINE_FOLDER in relative.parents and linked.is_file() else relative)


def _refused(source: ChartSource, error: str, places: ChartPlaces, facts: Facts) -> Deployment:
    found = tuple(problems(error, places))
    if not found:
        reason = without_trailer(error.removeprefix("Error: "))
        raise InputError(f"helm template {source.label}: {reason}")
    origin = Origin(name=source.name, place=places.start, source=source.label)
    return replace(assemble((), origin, facts), problems=(*found, *source.problems))
