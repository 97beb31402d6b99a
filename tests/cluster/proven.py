"""What a run has proven: a table of targets by who installs them, and what was done then."""

from __future__ import annotations

BY = ("Helm 3", "Helm 4", "Argo CD")
# Argo CD goes back by a commit that takes another one back.
WHAT = ("install", "upgrade", "rollback", "no drift")
NAME, CELL = 24, 12
Proven = set[tuple[str, str, str]]


def table(proven: Proven) -> str:
    """A line a target; what has been proven of it is ticked."""
    lines = [f"in each column: {', '.join(WHAT)}", _line("", BY)]
    for target in sorted({target for target, _, _ in proven}):
        cells = [" ".join(_tick((target, by, what) in proven) for what in WHAT) for by in BY]
        lines.append(_line(target, cells))
    return "\n".join(lines)


def _line(name: str, cells: list[str] | tuple[str, ...]) -> str:
    return f"{name:{NAME}}{''.join(f'{cell:{CELL}}' for cell in cells)}".rstrip()


def _tick(is_proven: bool) -> str:
    return "✓" if is_proven else "–"
