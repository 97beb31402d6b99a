"""Lists the shipped values files."""

from __future__ import annotations

from gptoss.facts import folders
from gptoss.text import plain_yaml
from gptoss.text.as_json import json_text
from gptoss.text.columns import columns


def rows() -> list[dict[str, str]]:
    """The shipped targets and overlays: name, kind and what each is for."""
    found = []
    for name, path in folders.values_files().items():
        text = path.read_text(encoding="utf-8")
        values = plain_yaml.load(text)
        kind = "overlay" if folders.overlay_for(text) else "target"
        purpose = values.get("description") or _comment(text)
        found.append({"name": name, "kind": kind, "description": purpose})
    return found


def listing(form: str) -> str:
    """The shipped targets and overlays with what they are for, as text or JSON."""
    found = rows()
    if form == "json":
        return json_text(found)
    return "\n".join(columns([tuple(row.values()) for row in found]))


def _comment(text: str) -> str:
    """The first sentence of the comment that a file begins with."""
    lines = []
    for line in folders.OVERLAY.sub("# ", text, count=1).splitlines():
        if not line.startswith("#"):
            break
        lines.append(line.lstrip("# "))
    sentence = " ".join(lines).partition(". ")[0]
    return sentence[:1].upper() + sentence[1:]
