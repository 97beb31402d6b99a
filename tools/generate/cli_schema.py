"""Derive the flags of ``trtllm-serve`` by version from schema/cli/trtllm-serve.yaml.

The other files of schema/cli come from the programs' own parsers (tools/setup/cli_flags.py).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from generate.engine_schema import read_yaml

CLI = Path("schema/cli")
PROGRAM = "trtllm-serve"
COPIED = ("type", "choices", "default", "engine", "inverted", "deprecated")

Flag = dict[str, Any]


def cli_schema() -> dict[Path, str]:
    """Return the flags of ``trtllm-serve`` at each version that a release ships."""
    facts = read_yaml(CLI / f"{PROGRAM}.yaml")
    shipped = {
        release["trtllm"]
        for release in read_yaml(Path("schema/releases.yaml"))["releases"].values()
    }
    return {CLI / f"{PROGRAM}-{version}.json": text_of(facts, version) for version in shipped}


def text_of(facts: dict[str, Any], version: str) -> str:
    """Return the file of one version: one flag a line."""
    exact = version in facts["exact"]
    sources = facts["sources"]
    head = {
        "program": PROGRAM,
        "release": version,
        "source": sources[version] if exact else f"inferred from {', '.join(sources)}",
        "parser": "click",
        "exact": exact,
    }
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in head.items()]
    flags = flags_at(facts, version)
    listed = [f"    {json.dumps(name)}: {json.dumps(flag)}" for name, flag in flags.items()]
    return "{\n  " + ",\n  ".join(lines) + ',\n  "flags": {\n' + ",\n".join(listed) + "\n  }\n}\n"


def flags_at(facts: dict[str, Any], version: str) -> dict[str, Flag]:
    """Return the flags of a version by name."""
    order = facts["order"]
    at = order.index(version)
    found: dict[str, Flag] = {}
    for name, flag in facts["flags"].items():
        present = presence(flag, order, at)
        if present is None:
            continue
        told = flag | changes(flag, order, at)
        spelled = told.get("spelled", [name, *told.get("aliases", ())])
        entry: Flag = {"aliases": spelled[1:]} if spelled[1:] else {}
        entry |= {key: told[key] for key in COPIED if key in told}
        if "engine" in entry:
            entry["engine"] = [entry["engine"]]
        if told.get("list"):
            entry["nargs"] = "append"
        if not present:
            entry["inferred"] = True
        found[spelled[0]] = entry
    return found


def presence(flag: Flag, order: list[str], at: int) -> bool | None:
    """Tell whether a version surely has a flag; None when it surely has not."""
    without, first = flag["since"]
    last, gone = flag.get("until", (None, None))
    if (without and at <= order.index(without)) or (gone and at >= order.index(gone)):
        return None
    return at >= order.index(first) and (last is None or at <= order.index(last))


def changes(flag: Flag, order: list[str], at: int) -> Flag:
    """Return what a flag is in a version where that differs from 1.3.0rc14."""
    told: Flag = {}
    for change in flag.get("changes", ()):
        early = "until" in change and at <= order.index(change["until"])
        late = "since" in change and at >= order.index(change["since"])
        if early or late:
            told |= {key: value for key, value in change.items() if key not in ("since", "until")}
    return told
