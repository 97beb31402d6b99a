"""Everything that is wrong with the files of facts that people write, or missing from them."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from generate.flag_changes import changed_document, faults_of_changes
from gptoss.facts.fact_files import read_facts
from gptoss.facts.programs import FRONTEND, WORKER
from gptoss.facts.shapes import HARDWARE, IMAGES, KNOWN, MEMORY, MODEL, MOE, RELEASES, faults_of
from gptoss.facts.versions import version_number
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gptoss.facts.shapes import FileShape

ROOT = Path(__file__).resolve().parents[2]
MODE, ROUTER_MODE = "--disaggregation-mode", "--router-mode"
ENFORCE = "--enforce-disagg"


def faults_of_facts() -> list[str]:
    """One line for each fault, with file and key."""
    models = [f"schema/models/{path.name}" for path in (ROOT / "schema/models").glob("*.yaml")]
    found = [*_of_file("schema/hardware.yaml", HARDWARE)]
    found += _of_file("schema/images.yaml", IMAGES)
    found += _of_file("schema/known.yaml", KNOWN)
    found += _of_file("schema/moe.yaml", MOE)
    found += _of_file("schema/memory.yaml", MEMORY)
    for file in sorted(models):
        found += _of_file(file, MODEL)
    of_releases = [*_of_file("schema/releases.yaml", RELEASES)]
    if not of_releases:
        releases = read_facts(ROOT / "schema/releases.yaml", "schema/releases.yaml")
        of_releases += [f"schema/releases.yaml: {fault}" for fault in _of_releases(releases)]
    return found + of_releases


def _of_file(file: str, shape: FileShape) -> Iterator[str]:
    try:
        content = read_facts(ROOT / file, file)
    except InputError as error:
        yield str(error)
        return
    yield from (f"{file}: {fault}" for fault in faults_of(content, shape))


def _of_releases(content: Mapping[str, Any]) -> Iterator[str]:
    """What does not go together in schema/releases.yaml."""
    releases = content["releases"]
    if content["default"] not in releases:
        yield f"default is {content['default']}, which is none of the releases"
    every = content["older"] | releases
    for before, after in pairwise(every):
        if version_number(before) >= version_number(after):
            yield f"releases: {after} stands after {before}; the oldest comes first"
    for release, entry in every.items():
        if "flags" in entry and (wrong := list(faults_of_changes(release, releases))):
            yield from wrong
            continue
        at = f"{'releases' if release in releases else 'older'}.{release}"
        for program in (WORKER, FRONTEND):
            try:
                flags = changed_document(program, release, every)["flags"]
            except InputError as error:
                yield f"{at}: {error}"
                continue
            yield from _of_flags(at, entry, program, flags)


def _of_flags(
    at: str, entry: Mapping[str, Any], program: str, flags: Mapping[str, Any]
) -> Iterator[str]:
    """Where a release's own facts are not those of its programs' flags."""
    if program == FRONTEND:
        choices = flags.get(ROUTER_MODE, {}).get("choices", [])
        if sorted(choices) != sorted(entry["routerModes"]):
            yield f"{at}: routerModes is not what {ROUTER_MODE} takes: {', '.join(choices)}"
        enforced = _enforced(flags.get(ENFORCE))
        if entry["enforceDisagg"] != enforced:
            yield f"{at}: enforceDisagg is {entry['enforceDisagg']}, but {ENFORCE} is {enforced}"
        return
    spelled = {word for name, flag in flags.items() for word in (name, *flag.get("aliases", ()))}
    for key in ("kvEventsFlag", "metricsFlag"):
        if key in entry and entry[key] not in spelled:
            yield f"{at}: {key} is {entry[key]}, which {program} does not have"
    choices = flags.get(MODE, {}).get("choices", [])
    if entry["aggregatedMode"] not in choices:
        yield f"{at}: aggregatedMode is none of what {MODE} takes: {', '.join(choices)}"


def _enforced(flag: Mapping[str, Any] | None) -> str:
    """What the frontend does with --enforce-disagg."""
    if flag is None:
        return "refused"
    return "automatic" if flag.get("ignored") else "effective"
