"""What the pages tell others to run in CI is pinned by commit or by hash, and runs isolated."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from gptoss.text import plain_yaml
from tests.chart.rendering import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
PINNED = re.compile(r"[\w.-]+(/[\w.-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+")
OURS = "OWNER/REPOSITORY@COMMIT"
JOBS = [
    pytest.param(block, id=f"{page.name}:{number}")
    for page in PAGES
    for number, block in enumerate(
        re.findall(r"```yaml\n(# \.(?:github|gitlab).*?)```", page.read_text("utf-8"), re.DOTALL)
    )
]


def steps(block: str) -> Iterator[dict[str, Any]]:
    """The steps of the jobs of a workflow."""
    for job in plain_yaml.load(block).get("jobs", {}).values():
        yield from job["steps"]


def test_every_action_that_a_page_uses_is_pinned_by_its_full_commit() -> None:
    texts = [path.read_text(encoding="utf-8") for path in (*PAGES, ROOT / "action.yml")]
    used = [line for text in texts for line in re.findall(r"(?m)^\s*-? ?uses: (.*)$", text)]
    assert [line for line in used if line != OURS]
    assert [line for line in used if line != OURS and not PINNED.fullmatch(line)] == []


@pytest.mark.parametrize("block", JOBS)
def test_a_checkout_leaves_no_credentials_behind(block: str) -> None:
    for step in steps(block):
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False


@pytest.mark.parametrize("block", JOBS)
def test_python_packages_are_installed_by_hashes_and_by_nothing_of_the_checkout(block: str) -> None:
    for line in re.findall(r"(?m)^.*\bpip install .*$", block):
        assert "--require-hashes -r " in line or "--no-deps --no-build-isolation /opt/" in line
    for line in re.findall(r"(?m)^.*-m venv .*$", block):
        assert "python3 -I -m venv " in line
