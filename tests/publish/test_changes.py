"""What a release says that it changes, and where its README leads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import yaml

from gptoss.facts import folders
from gptoss.text.errors import InputError
from publish.changes import changes
from publish.package import linked, stage
from publish.signing import Key

if TYPE_CHECKING:
    from pathlib import Path

CHANGELOG = """# Changelog

Text.

## Unreleased

### Added

- One thing
  on two lines: `target`.
- Another.

### Fixed

- A fault.

## 0.1.0 - 2026-11-22

### Security

- What was open.
"""
FILES = "https://git.example.com/o/r/blob/v1.0.0"


def test_a_version_s_own_section_says_what_it_changes_and_else_the_unreleased_one() -> None:
    assert changes(CHANGELOG, "0.1.0") == [{"kind": "security", "description": "What was open."}]
    assert changes(CHANGELOG, "0.2.0") == [
        {"kind": "added", "description": "One thing on two lines: `target`."},
        {"kind": "added", "description": "Another."},
        {"kind": "fixed", "description": "A fault."},
    ]


def test_a_version_without_any_change_is_refused() -> None:
    with pytest.raises(InputError, match=r"CHANGELOG\.md: nothing under 0\.2\.0 or Unreleased"):
        changes("# Changelog\n\n## Unreleased\n\n## 0.1.0\n\n### Added\n\n- A.\n", "0.2.0")


def test_links_of_the_readme_lead_into_the_repository_wherever_it_is_read() -> None:
    text = "[a](../../docs/x.md#y) [b](values.yaml) [c](https://e.org/z) [d](#here) ![e](../e.png)"
    assert linked(text, FILES) == (
        f"[a]({FILES}/docs/x.md#y) [b]({FILES}/charts/gpt-oss/values.yaml) "
        f"[c](https://e.org/z) [d](#here) ![e]({FILES}/charts/e.png)"
    )


def test_the_published_chart_names_its_repository_changes_and_key(tmp_path: Path) -> None:
    key = Key("Charts <charts@example.com>", "2FF20D1666B3F247633250813BE9A8BC15BCC2B4")
    staged = stage(tmp_path, "https://git.example.com/o/r", key, "https://example.com/charts.asc")
    chart = yaml.safe_load((staged / "Chart.yaml").read_text("utf-8"))
    here = yaml.safe_load((folders.chart() / "Chart.yaml").read_text("utf-8"))
    assert chart["sources"] == ["https://git.example.com/o/r", *here["sources"]]
    said = chart["annotations"]
    assert yaml.safe_load(said["artifacthub.io/signKey"]) == {
        "fingerprint": key.fingerprint,
        "url": "https://example.com/charts.asc",
    }
    assert {"kind", "description"} == set().union(*yaml.safe_load(said["artifacthub.io/changes"]))
    # All else is what lies here.
    changed = ("sources", "annotations")
    assert {k: v for k, v in chart.items() if k not in changed} == {
        k: v for k, v in here.items() if k not in changed
    }
    assert here["annotations"].items() <= said.items()
