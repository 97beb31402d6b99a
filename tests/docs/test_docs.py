"""Commands in the documents work, and links lead somewhere."""

import re
import shlex
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from gptoss.cli import main
from tests.chart.rendering import ROOT, run

DOCUMENTS = [
    ROOT / "README.md",
    ROOT / "SECURITY.md",
    ROOT / "charts" / "gpt-oss" / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "targets").glob("*.md")),
]
# Its commands hold once its reader has added what it tells of: tests/generate/test_adding.py.
LATER = ROOT / "docs" / "extending.md"
# The pages of targets are alike: these run, and test_commands.py holds the words of all of them.
RUN = ("agg-gb200.md", "disagg-gb200.md", "serve-h100-2.md")
# They install and run what serves, for minutes.
LONG = ("rehearse", "setup", "simulate")
CONSOLE = re.compile(r"```console\n(.*?)```", re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)[^)]*\)")


def blocks() -> list[tuple[str, ...]]:
    """The lines of every console block, of which a later one may need an earlier one's files."""
    found = set()
    for document in set(DOCUMENTS) - {LATER}:
        if document.parent.name == "targets" and document.name not in RUN:
            continue
        for block in CONSOLE.findall(document.read_text(encoding="utf-8")):
            found.add(tuple(line for line in block.splitlines() if line))
    return sorted(found)


def make_targets() -> set[str]:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    return set(re.findall(r"^([a-z-]+):.*##", text, re.MULTILINE))


@pytest.mark.parametrize("block", blocks(), ids=lambda block: block[0])
def test_every_command_in_the_documents_works(
    block: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    for command in block:
        program, *arguments = shlex.split(command)
        if program == "make":
            assert set(arguments) <= make_targets()
        elif program == "gptoss":
            if arguments[0] not in LONG:
                result = CliRunner().invoke(main, arguments, catch_exceptions=False)
                assert result.exit_code in (0, 1), result.output
        elif program == "helm":
            dry = ["--dry-run=client"] if arguments[0] == "install" else []
            done = run("helm4", *arguments, *dry)
            assert done.returncode == 0, done.stderr
        else:
            pytest.fail(f"nothing here runs {program}")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_in_the_documents_leads_to_a_file(document: Path) -> None:
    for link in LINK.findall(document.read_text(encoding="utf-8")):
        assert (document.parent / link).exists(), link


def test_the_readme_has_a_line_for_every_page_and_fits_two_screens_and_a_half() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    named = set(LINK.findall(text))
    pages = {str(page.relative_to(ROOT)) for page in (ROOT / "docs").glob("*.md")}
    assert pages | {"docs/rules/README.md", "docs/targets/README.md"} <= named
    assert len(text.splitlines()) <= 150


def test_nothing_committed_names_a_package_registry() -> None:
    hosts = "|".join(
        ("pypi[.]org", "pythonhosted[.]org", "proxy[.]golang[.]org", "registry[.]npmjs[.]org")
    )
    done = subprocess.run(
        ["git", "grep", "-lIE", hosts], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stdout == ""
