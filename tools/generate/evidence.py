"""What shows that a reason holds: rules, sources outside, places here. Those here are looked up."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ROOT = Path(__file__).resolve().parents[2]
RULE = re.compile(r"[A-Z]\d{3}")
# A repository or wheel; what of it; and its edition: a commit, a version, or a thread's number.
OUTSIDE = re.compile(
    r"(?:[\w.-]+/[\w.-]+ (?:\S.* )?(?:\S*@[0-9a-f]{7,40}|#\d+|\d+\.\d+\S*)"
    r"|(?:aiperf|ai-dynamo|gpt-oss|tensorrt_llm) \d\S* \S+:\d+)(?: .*)?"
)


def faults_of_evidence(evidence: Iterable[str]) -> Iterator[str]:
    """What of the evidence names a rule or a text that is not there, or is no evidence."""
    for given in evidence:
        path, colon, text = given.partition(": ")
        if RULE.fullmatch(given):
            if not (ROOT / "docs/rules" / f"{given}.md").is_file():
                yield f"there is no rule {given}"
        elif colon and (ROOT / path).is_file():
            if text not in " ".join((ROOT / path).read_text(encoding="utf-8").split()):
                yield f"{path} does not say: {text}"
        elif not OUTSIDE.fullmatch(given):
            yield f"no rule, no text of a file here, and no source with its edition: {given}"


def linked(evidence: Iterable[str], docs: str) -> str:
    """Evidence as Markdown, from a page for which ``docs`` leads to the folder of pages."""
    parts = []
    for given in evidence:
        path, colon, _ = given.partition(": ")
        if RULE.fullmatch(given):
            parts.append(f"[{given}]({docs}rules/{given}.md)")
        elif colon and (ROOT / path).is_file():
            parts.append(f"[{path}]({docs}../{path})")
        else:
            parts.append(given)
    return "; ".join(parts)
