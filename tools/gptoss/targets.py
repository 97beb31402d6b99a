"""Lists the shipped values files."""

from __future__ import annotations

import json

import yaml

from gptoss import resources
from gptoss.yaml_tree import SafeLoader


def listing(form: str) -> str:
    """The shipped targets and overlays with what they are for, as text or JSON."""
    rows = []
    for name, path in resources.values_files().items():
        text = path.read_text(encoding="utf-8")
        values = yaml.load(text, Loader=SafeLoader)  # noqa: S506 (safe loader)
        kind = "target" if values.get("workers") else "overlay"
        purpose = values.get("description") or _comment(text)
        rows.append({"name": name, "kind": kind, "description": purpose})
    if form == "json":
        return json.dumps(rows, indent=2, ensure_ascii=False)
    width = max(len(row["name"]) for row in rows)
    return "\n".join(
        f"{row['name'].ljust(width)}  {row['kind'].ljust(7)}  {row['description']}" for row in rows
    )


def _comment(text: str) -> str:
    """The first sentence of the comment that a file begins with."""
    lines = []
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        lines.append(line.lstrip("# "))
    sentence = " ".join(lines).partition(". ")[0].removeprefix("Overlay: ")
    return sentence[:1].upper() + sentence[1:]
