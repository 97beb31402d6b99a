"""``docs/documents.md``: everything that the documents say, each with its place here."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from generate.documents import called, comparisons, departures_table, shown
from generate.markdown import anchor, cell, table
from generate.places import fault_of_place, link
from generate.recorded import documents
from generate.target_pages import target_pages
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from generate.documents import Comparison
    from generate.recorded import Document

PAGE = Path("docs/documents.md")
HEAD = """<!-- Generated from schema/documents by `make generate`; do not edit. -->

# The documents, to their last line

The targets are made of published documents. Each is recorded in
[schema/documents](../schema/documents): its configuration is read like any deployment and compared
with what is in force here, as `gptoss diff` does; everything else that it says has a place here.
A setting that differs without a reason, a reason without a difference, or a place that is not there
stops `make verify`.
"""


def documents_page() -> dict[Path, str]:
    """The page by its path.

    Raises:
        InputError: An item has no place, or its place is not there.
    """
    pages = {str(path): text for path, text in target_pages().items()}
    _demand_places(pages)
    counts = ["| document | same | in another way, with its reason | wrong, missing or doubtful |"]
    counts.append("|---|---|---|---|")
    for document in documents():
        same, other = _counts(document)
        counts.append(f"| [{document.title}](#{anchor(document.title)}) | {same} | {other} | 0 |")
    parts = [HEAD, "\n".join(counts), *(_section(document) for document in documents())]
    return {PAGE: "\n\n".join(part.strip() for part in parts) + "\n"}


def _items(document: Document) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for heading, items in document.items.items():
        for item in items:
            yield heading, item


def places_of(item: Mapping[str, Any]) -> list[str]:
    """Where an item is here."""
    here = item.get("here") or []
    return [here] if isinstance(here, str) else list(here)


def _demand_places(pages: dict[str, str]) -> None:
    faults = []
    for document in documents():
        for heading, item in _items(document):
            said = f"{document.file}: {heading}: {item['says']}"
            if unknown := item.keys() - {"says", "here", "why"}:
                faults.append(f"{said}: it has {', '.join(unknown)}; quote what holds a comma")
            if not places_of(item):
                faults.append(f"{said}: it has no place here")
            found = ((place, fault_of_place(place, pages)) for place in places_of(item))
            faults += [f"{said}: {place}: {fault}" for place, fault in found if fault]
    if faults:
        raise InputError("\n".join(faults))


def _counts(document: Document) -> tuple[int, int]:
    """What is the same, and what is in another way."""
    own = [c for c in comparisons() if c.document is document]
    items = [item for _, item in _items(document)]
    other = sum("why" in item for item in items)
    different = sum(len(d.settings) for c in own for d in c.departures)
    return sum(len(c.kept) for c in own) + len(items) - other, different + other


def _section(document: Document) -> str:
    parts = [f"## {document.title}", f"{document.publisher}. Read from:"]
    parts.append("\n".join(f"* {name}: {source}" for name, source in document.sources.items()))
    for heading, items in document.items.items():
        parts.append(f"### {heading}")
        rows = ["| it says | here | |", "|---|---|---|"]
        for item in items:
            here = "<br>".join(link(place) for place in places_of(item))
            why = f"other: {item['why']}" if "why" in item else "same"
            rows.append(table([[cell(text) for text in (item["says"], here, why)]]))
        parts.append("\n".join(rows))
    parts += [_configuration(c) for c in comparisons() if c.document is document]
    return "\n\n".join(parts)


def _configuration(comparison: Comparison) -> str:
    """The settings of a deployment: those in force as it says, and those that are not."""
    target, *overlays = comparison.target.split(",")
    laid = f" with `{overlays[0]}`" if overlays else ""
    by_subject: dict[str, list[str]] = {}
    for setting in comparison.kept:
        subject = called(setting).removesuffix(f".{setting.setting}")
        by_subject.setdefault(subject, []).append(f"`{setting.setting}` {shown(setting.left)}")
    same = [f"| {subject} | {cell(', '.join(told))} |" for subject, told in by_subject.items()]
    return "\n".join(
        (
            f"### Settings: {comparison.deployment}, as [{target}](targets/{target}.md){laid}",
            "",
            "| in force as it says | |",
            "|---|---|",
            *same,
            "",
            departures_table(comparison, ""),
        )
    )
