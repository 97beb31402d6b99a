"""A release's command lines where they are known by what changed since another release.

An entry of schema/releases.yaml has ``flags`` for that::

    like: 1.6.1                 the release that it is held against
    source: where the changes were read
    complete: true              whether these are all changes; else there may be more flags
    dynamo.trtllm:              and the same for dynamo.frontend
      renamed: {--old: --new}
      removed: [--gone]
      added: {--flag: {type: int, default: 3, env: DYN_FLAG}}   as in the JSON files of schema/cli
      changed: {--flag: {default: 4}}
"""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gptoss.facts.fact_files import MAP, SWITCH, TEXT, faults, texts
from gptoss.facts.programs import FRONTEND, WORKER, Flag
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ROOT = Path(__file__).resolve().parents[2]
OPTIONAL_MAP = MAP._replace(optional=True)
SHAPE = {
    "like": TEXT,
    "source": TEXT,
    "complete": SWITCH,
    WORKER: OPTIONAL_MAP,
    FRONTEND: OPTIONAL_MAP,
}
CHANGES = {
    "renamed": OPTIONAL_MAP,
    "removed": texts()._replace(optional=True),
    "added": OPTIONAL_MAP,
    "changed": OPTIONAL_MAP,
}
FACTS = {field.name for field in fields(Flag)} - {"name"}


def changed_document(program: str, release: str, releases: Mapping[str, Any]) -> dict[str, Any]:
    """The command line of a program at a release: as it was read, or made of another's.

    Raises:
        InputError: It was not read, or a change cannot be made.
    """
    told = releases[release].get("flags")
    if told is None:
        return read_document(program, release)
    if wrong := list(faults_of_changes(release, releases)):
        raise InputError("\n".join(f"schema/releases.yaml: {fault}" for fault in wrong))
    before = changed_document(program, told["like"], releases)
    changes = told.get(program, {})
    return before | {
        "release": release,
        "source": f"{told['like']}, and what {release} changed ({told['source']})",
        "exact": before.get("exact", True) and told["complete"],
        "flags": dict(_changed(before["flags"], changes)) | changes.get("added", {}),
    }


def read_document(program: str, release: str) -> dict[str, Any]:
    """What the program's own parser said at a release.

    Raises:
        InputError: It was not asked.
    """
    file = f"schema/cli/{program}-{release}.json"
    if not (ROOT / file).is_file():
        raise InputError(
            f"{file} is missing: run tools/setup/cli_flags.py {release}, or say in "
            f"schema/releases.yaml under releases.{release}.flags how the release differs"
        )
    loaded: dict[str, Any] = json.loads((ROOT / file).read_text(encoding="utf-8"))
    return loaded


def faults_of_changes(release: str, releases: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with the changes of a release."""
    told, at = releases[release]["flags"], f"releases.{release}.flags"
    if wrong := list(faults(at, told, SHAPE)):
        yield from wrong
        return
    earlier = list(releases)[: list(releases).index(release)]
    if told["like"] not in earlier:
        yield f"{at}: like is {told['like']!r}, which is no release before {release}"
        return
    for program in (WORKER, FRONTEND):
        changes, where = told.get(program, {}), f"{at}.{program}"
        yield from faults(where, changes, CHANGES)
        known = changed_document(program, told["like"], releases)["flags"]
        for kind in ("renamed", "removed", "changed"):
            for flag in changes.get(kind, ()):
                if flag not in known:
                    yield f"{where}.{kind}: {program} {told['like']} has no {flag}"
        for kind in ("added", "changed"):
            for flag, facts in changes.get(kind, {}).items():
                strange = ", ".join(sorted(set(facts) - FACTS))
                if strange:
                    yield f"{where}.{kind}.{flag}: {strange} is nothing that is known of a flag"
        for flag, facts in changes.get("added", {}).items():
            if "type" not in facts:
                yield f"{where}.added.{flag}: type is missing"


def _changed(
    flags: Mapping[str, Any], changes: Mapping[str, Any]
) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, facts in flags.items():
        if name in changes.get("removed", ()):
            continue
        new = changes.get("renamed", {}).get(name, name)
        negations = {f"--no-{name[2:]}": f"--no-{new[2:]}"}
        aliases = [negations.get(alias, alias) for alias in facts.get("aliases", ())]
        told = facts | ({"aliases": aliases} if aliases else {})
        yield new, told | changes.get("changed", {}).get(name, {})
