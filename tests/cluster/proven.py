"""What a run has proven: a table of targets by who installs them, and what was done then."""

from __future__ import annotations

BY = ("Helm 3", "Helm 4", "Argo CD")
WHAT = ("install", "upgrade", "rollback", "no drift")
# Argo CD goes back by another commit.
NOT_ASKED = {("Argo CD", "rollback")}
NAME = 24
Proven = set[tuple[str, str, str]]


def table(proven: Proven) -> str:
    """A line a target; what has been proven of it is ticked."""
    asked = [(by, what) for by in BY for what in WHAT if (by, what) not in NOT_ASKED]
    heads = ["".join(f"{_once(by, what):<9}" for by, what in asked)]
    heads.append("".join(f"{what:<9}" for _, what in asked))
    lines = [f"{'':{NAME}}{head}".rstrip() for head in heads]
    for target in sorted({target for target, _, _ in proven}):
        ticks = "".join(f"{'✓' if (target, *each) in proven else '–':<9}" for each in asked)
        lines.append(f"{target:{NAME}}{ticks}".rstrip())
    return "\n".join(lines)


def _once(by: str, what: str) -> str:
    return by if what == WHAT[0] else ""
