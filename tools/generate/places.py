"""Places of this repository to which documents lead, each looked up: files, commands, values."""

from __future__ import annotations

import json
import re
import shlex
from functools import cache
from typing import TYPE_CHECKING, Any

import click

from generate.evidence import ROOT, RULE
from generate.markdown import anchor
from gptoss.cli import main
from gptoss.rendering import render_as
from gptoss.sources.request import Request

if TYPE_CHECKING:
    from collections.abc import Callable

HEADING = re.compile(r"(?m)^#{1,6} (.+)$")
MAKE = re.compile(r"(?m)^([a-z-]+):.*##")
# Targets whose forms show what every one of them has: one of Dynamo's, one of trtllm-serve.
RENDERED = ("disagg-b200-node", "serve-latency-b200")


def fault_of_place(place: str, later: dict[str, str]) -> str | None:
    """Why a place is none; None for one that is there.

    Args:
        place: ``FILE``, ``FILE#HEADING``, ``FILE: TEXT``, ``gptoss …``, ``make TARGET``,
            ``values KEY``, ``compose TEXT``, ``launch.sh TEXT`` or a rule.
        later: Texts of files that are written in the same run, by path.
    """
    kind, _, rest = place.partition(" ")
    if RULE.fullmatch(place):
        return None if (ROOT / "docs/rules" / f"{place}.md").is_file() else "there is no such rule"
    return PLACES.get(kind, _file)(rest if kind in PLACES else place, later)


def link(place: str) -> str:
    """A place as Markdown, from a page in ``docs/``."""
    if RULE.fullmatch(place):
        return f"[{place}](rules/{place}.md)"
    if place.partition(" ")[0] in PLACES:
        return f"`{place}`"
    path, _, text = place.partition(": ")
    file, _, part = path.partition("#")
    target = file.removeprefix("docs/") if file.startswith("docs/") else f"../{file}"
    name = f"{file.removeprefix('docs/')}, {part.replace('-', ' ')}" if part else file
    return f"[{name}]({target}{'#' + part if part else ''})" + (f": {text}" if text else "")


def anchors(text: str) -> set[str]:
    """What the headings of a page are called in links, as GitHub does."""
    headings = HEADING.findall(re.sub(r"(?ms)^```.*?^```", "", text))
    return {anchor(heading) for heading in headings}


def _file(place: str, later: dict[str, str]) -> str | None:
    path, _, wanted = place.partition(": ")
    file, _, part = path.partition("#")
    text = later.get(file)
    if text is None:
        if not (ROOT / file).exists():
            return "there is no such file"
        text = (ROOT / file).read_text(encoding="utf-8") if (ROOT / file).is_file() else ""
    if part and part not in anchors(text):
        return "the page has no such heading"
    if wanted and wanted not in " ".join(text.split()):
        return "the text does not stand there"
    return None


def _command(words: str, _later: dict[str, str]) -> str | None:
    """Whether the command line can be read; its files need not be there."""
    command: click.Command = main
    rest = shlex.split(words)
    try:
        while isinstance(command, click.Group):
            _, found, rest = command.resolve_command(click.Context(command), rest)
            command = found or command
        command.make_context("gptoss", rest)
    except click.UsageError as error:
        return error.format_message()
    return None


def _make(target: str, _: dict[str, str]) -> str | None:
    known = MAKE.findall((ROOT / "Makefile").read_text(encoding="utf-8"))
    return None if target in known else "make has no such target"


def _values(key: str, _: dict[str, str]) -> str | None:
    schema = json.loads((ROOT / "schema/values.schema.json").read_text(encoding="utf-8"))
    found: Any = schema
    for name in key.split("."):
        found = _below(schema, found, name)
        if found is None:
            return f"values have no {name} there"
    return None


def _below(schema: Any, node: Any, name: str) -> Any:
    """The schema of a key, through references and alternatives; None when there is none."""
    while "$ref" in node:
        found = schema
        for part in node["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        node = found
    if name in node.get("properties", {}):
        return node["properties"][name]
    if isinstance(node.get("additionalProperties"), dict):
        return node["additionalProperties"]
    choices = (_below(schema, each, name) for each in node.get("anyOf", ()))
    return next((found for found in choices if found is not None), None)


def _compose(text: str, _later: dict[str, str]) -> str | None:
    return None if _stands_in(text, rendered("compose")) else "no compose file has it"


def _launch(text: str, _later: dict[str, str]) -> str | None:
    return None if _stands_in(text, rendered("shell")) else "no launch.sh has it"


def _stands_in(words: str, text: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(words)}(?![\w-])", text) is not None


@cache
def rendered(form: str) -> str:
    """The files that targets are rendered to in a form, without its breaks of lines."""
    settings = ("accuracy.enabled=true", "accuracy.image=gpt-oss-evals:0.0.9")
    files = [render_as(form, Request((name,), settings=settings)).files for name in RENDERED]
    return " ".join(" ".join(text for each in files for text in each.values()).split())


PLACES: dict[str, Callable[[str, dict[str, str]], str | None]] = {
    "gptoss": _command,
    "make": _make,
    "values": _values,
    "compose": _compose,
    "launch.sh": _launch,
}
