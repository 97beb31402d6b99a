"""What has changed, from the changelog, in the form that Artifact Hub reads."""

from __future__ import annotations

import re

from gptoss.text.errors import InputError

# Headings of Keep a Changelog, which are Artifact Hub's kinds when written small.
KINDS = ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security")
UNRELEASED = "Unreleased"


def changes(changelog: str, version: str) -> list[dict[str, str]]:
    """What a version changes: the entries of its section, or of the one that has no version yet.

    Args:
        changelog: ``CHANGELOG.md``.
        version: The chart's version.

    Returns:
        Entries of ``artifacthub.io/changes``: kind and description, each on one line.

    Raises:
        InputError: There is no such section, or it is empty.
    """
    sections = _sections(changelog, "## ")
    headings = [f"{version}", f"[{version}]", UNRELEASED, f"[{UNRELEASED}]"]
    found = next((text for name in headings for head, text in sections if head == name), "")
    entries = [
        {"kind": kind.lower(), "description": " ".join(entry.split())}
        for kind, text in _sections(found, "### ")
        if kind in KINDS
        for entry in re.split(r"^[-*] ", text, flags=re.MULTILINE)[1:]
    ]
    if not entries:
        raise InputError(
            f"CHANGELOG.md: nothing under {version} or {UNRELEASED}; write what changes"
        )
    return entries


def _sections(text: str, mark: str) -> list[tuple[str, str]]:
    """Headings, without their date, and what stands under them."""
    parts = re.split(rf"^{mark}", text, flags=re.MULTILINE)[1:]
    return [
        (part.partition("\n")[0].split(" ")[0].strip(), part.partition("\n")[2]) for part in parts
    ]
