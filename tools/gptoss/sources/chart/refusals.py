"""What Helm says when it refuses a target, as problems at the lines that its user edits."""

from __future__ import annotations

import json
import re
from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING, Any

from gptoss.deployment.model import Problem
from gptoss.facts import folders
from gptoss.text.budget import Kind, too_much

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.sources.chart.lines import ChartPlaces
    from gptoss.text.places import Place

SCHEMA_LINE = re.compile(r"^\s*- at '(?P<path>[^']*)': (?P<message>.*)$")
UNKNOWN_KEYS = "additional properties "
PATTERN = re.compile(r"'(?P<value>.*)' does not match pattern '(?P<pattern>.*)'")
# As much of a refused value as tells which it is.
MOST_SHOWN = 60
# Lines that only say that a line below them says what is wrong.
SUMMARIES = ("validation failed", "'anyOf' failed")
GUARD = re.compile(r"execution error at \(.*?\): (?P<message>.*)", re.DOTALL)
VALUES_PATH = re.compile(r"\b[a-z][A-Za-z]*(?:\.[\w-]+)+")
TOP_KEY = re.compile(r"^[a-z][A-Za-z]*(?=: )")
HELM_TRAILER = "\nUse --debug flag"
# Where a schema holds others for the same value.
BRANCHES = ("then", "else")
ALTERNATIVES = ("anyOf", "allOf", "oneOf")


def problems(error: str, places: ChartPlaces) -> list[Problem]:
    """What the chart's guards or its values schema refuse; nothing for any other error.

    Raises:
        InputError: They are more than a run may find.
    """
    if match := GUARD.search(error):
        message = without_trailer(match["message"])
        named = VALUES_PATH.findall(message) or TOP_KEY.findall(message)
        own = (place for path in named if (place := places.set_by_user(path)))
        place = next(own, None) or (_place(named[0], places) if named else places.start)
        return [Problem("chart-guard", message, place)]
    found: list[Problem] = []
    for line in error.splitlines():
        match = SCHEMA_LINE.match(line)
        if match and match["message"] not in SUMMARIES:
            steps = tuple(step for step in match["path"].split("/") if step)
            for problem in _refused(steps, match["message"], places):
                found.append(problem)
                if len(found) > Kind.FINDINGS.limit:
                    raise too_much(Kind.FINDINGS, problem.place)
    return found


def without_trailer(message: str) -> str:
    """Helm's message without its advice on how to call it."""
    return message.partition(HELM_TRAILER)[0].strip()


def _refused(steps: tuple[str, ...], message: str, places: ChartPlaces) -> Iterator[Problem]:
    """The problems of one line about the value at a path: one for each key that is unknown."""
    if not message.startswith(UNKNOWN_KEYS):
        path = ".".join(steps)
        # Helm writes null as its own language does.
        said = f"{path}: {_with_example(steps, message.replace('<nil>', 'null'))}"
        yield Problem("values-schema", said, _place(path, places))
        return
    known = _known(steps)
    for key in re.findall(r"'([^']*)'", message):
        path = ".".join((*steps, key))
        nearest = get_close_matches(key, known, 1)
        hint = f"; did you mean {nearest[0]}?" if nearest else ""
        yield Problem("values-schema", f"{path}: there is no such key{hint}", _place(path, places))


def _place(path: str, places: ChartPlaces) -> Place:
    """Where a path is set, or what is below it, or the nearest map above it."""
    argument = places.argument(path)
    return places.set_by_user(path) or argument or places.values_path(path) or places.start


def _with_example(steps: tuple[str, ...], message: str) -> str:
    """What Helm says of a value that is not written as its pattern wants, with one that is."""
    match = PATTERN.fullmatch(message)
    if match is None:
        return message
    examples = [example for schema in _schemas(steps) for example in schema.get("examples", [])]
    if not examples:
        return message
    value = match["value"]
    value = f"{value[:MOST_SHOWN]}…" if len(value) > MOST_SHOWN else value
    pattern = match["pattern"].replace(r"\\", "\\")  # as Go quotes it
    return f"'{value}' is not taken; write it as in {examples[0]} (pattern {pattern})"


def _known(steps: tuple[str, ...]) -> list[str]:
    """The keys that the chart's values schema knows in the map at a path, on any release."""
    return sorted({key for schema in _schemas(steps) for key in schema.get("properties", {})})


def _schemas(steps: tuple[str, ...]) -> list[dict[str, Any]]:
    """What the chart's values schema says of the value at a path, on any release."""
    root = _values_schema()
    schemas = list(_all_of(root, root))
    for step in steps:
        below = [inner for schema in schemas for inner in _below(schema, step)]
        schemas = [found for inner in below for found in _all_of(inner, root)]
    return schemas


@cache
def _values_schema() -> dict[str, Any]:
    """The chart's values schema, which each of thousands of lines may ask for."""
    found: dict[str, Any] = json.loads(folders.values_schema().read_text(encoding="utf-8"))
    return found


def _all_of(schema: dict[str, Any], root: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A schema and every one that it holds for the same value."""
    yield schema
    if "$ref" in schema:
        yield from _all_of(root["$defs"][schema["$ref"].rpartition("/")[2]], root)
    inner = [schema[branch] for branch in BRANCHES if branch in schema]
    for alternatives in ALTERNATIVES:
        inner += schema.get(alternatives, [])
    for one in inner:
        yield from _all_of(one, root)


def _below(schema: dict[str, Any], step: str) -> Iterator[dict[str, Any]]:
    """The schemas for what stands below a map's key or in a list."""
    for found in (
        schema.get("properties", {}).get(step),
        schema.get("additionalProperties"),
        schema.get("items") if step.isdigit() else None,
    ):
        if isinstance(found, dict):
            yield found
