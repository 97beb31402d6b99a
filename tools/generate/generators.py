"""What is generated, in order: each generator may read what those before it have written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generate.chart import chart_facts, values_schema
from generate.chart_file import chart_file
from generate.chart_readme import chart_readme
from generate.cli_schema import cli_schema
from generate.coverage import coverage
from generate.dashboards import dashboards
from generate.documents_page import documents_page
from generate.engine_schema import engine_schema
from generate.package import package
from generate.pages import pages
from generate.resource_schema import resource_schema
from generate.rule_reference import rule_reference
from generate.siblings import sibling_headers
from generate.target_pages import target_pages
from generate.target_pictures import target_pictures

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

# Each returns the whole text of its files by their path relative to the repository's root.
GENERATORS: list[Callable[[], dict[Path, str]]] = [
    engine_schema,
    sibling_headers,
    package,
    cli_schema,
    resource_schema,
    values_schema,
    chart_facts,
    chart_readme,
    chart_file,
    dashboards,
    rule_reference,
    target_pages,
    target_pictures,
    documents_page,
    coverage,
    pages,
]
