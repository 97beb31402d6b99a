"""Derive command lines by version: those of ``trtllm-serve``, and of releases known by changes.

``trtllm-serve`` comes from schema/cli/trtllm-serve.yaml. The other files of schema/cli come from
the programs' own parsers (tools/setup/cli_flags.py), but for releases of schema/releases.yaml that
say under ``flags`` how they differ from another.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from generate.engine_schema import read_yaml
from generate.flag_changes import changed_document
from gptoss.facts.programs import FRONTEND, WORKER
from gptoss.facts.versions import trtllm_number

CLI = Path("schema/cli")
PROGRAM = "trtllm-serve"
COPIED = ("type", "choices", "default", "engine", "inverted", "deprecated")

Flag = dict[str, Any]


def cli_schema() -> dict[Path, str]:
    """Return the flags of ``trtllm-serve`` at each version that a release ships, and those derived.

    Raises:
        InputError: A change cannot be made.
    """
    content = read_yaml(Path("schema/releases.yaml"))
    releases = content["releases"]
    shipped = [entry["trtllm"] for entry in (content["older"] | releases).values()]
    derived = {
        CLI / f"{program}-{release}.json": text_of(changed_document(program, release, releases))
        for release, entry in releases.items()
        for program in (WORKER, FRONTEND)
        if "flags" in entry
    }
    facts = read_yaml(CLI / f"{PROGRAM}.yaml")
    served = {
        CLI / f"{PROGRAM}-{version}.json": text_of(served_document(facts, version))
        for version in dict.fromkeys(shipped)
    }
    return derived | served


def served_document(facts: dict[str, Any], version: str) -> dict[str, Any]:
    """Return what is known about ``trtllm-serve`` at a version."""
    exact = version in facts["exact"]
    sources = facts["sources"]
    return {
        "program": PROGRAM,
        "release": version,
        "source": sources[version] if exact else f"inferred from {', '.join(sources)}",
        "parser": "click",
        "exact": exact,
        "flags": flags_at(facts, version),
    }


def text_of(document: dict[str, Any]) -> str:
    """Return the text of a file of schema/cli: one flag a line."""
    lines = [f"{json.dumps(k)}: {json.dumps(v)}" for k, v in document.items() if k != "flags"]
    flags = document["flags"].items()
    listed = [f"    {json.dumps(name)}: {json.dumps(flag)}" for name, flag in flags]
    return "{\n  " + ",\n  ".join(lines) + ',\n  "flags": {\n' + ",\n".join(listed) + "\n  }\n}\n"


def flags_at(facts: dict[str, Any], version: str) -> dict[str, Flag]:
    """Return the flags of a version by name."""
    found: dict[str, Flag] = {}
    for name, flag in facts["flags"].items():
        present = presence(flag, version)
        if present is None:
            continue
        told = flag | changes(flag, version)
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


def presence(flag: Flag, version: str) -> bool | None:
    """Tell whether a version surely has a flag; None when it surely has not."""
    without, first = flag["since"]
    last, gone = flag.get("until", (None, None))
    if (without and is_until(version, without)) or (gone and is_since(version, gone)):
        return None
    return is_since(version, first) and (last is None or is_until(version, last))


def changes(flag: Flag, version: str) -> Flag:
    """Return what a flag is in a version where that differs from 1.3.0rc14."""
    told: Flag = {}
    for change in flag.get("changes", ()):
        early = "until" in change and is_until(version, change["until"])
        late = "since" in change and is_since(version, change["since"])
        if early or late:
            told |= {key: value for key, value in change.items() if key not in ("since", "until")}
    return told


def is_since(version: str, first: str) -> bool:
    """Whether a version is not older than another."""
    return trtllm_number(version) >= trtllm_number(first)


def is_until(version: str, last: str) -> bool:
    """Whether a version is not newer than another."""
    return trtllm_number(version) <= trtllm_number(last)
