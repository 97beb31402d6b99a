"""Every fact says where it is stated."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path

import pytest

from gptoss.facts.shapes import HARDWARE, MEMORY, MODEL, RELEASES, FileShape, faults_of
from gptoss.text import plain_yaml

SCHEMA = Path(__file__).parents[2] / "schema"
FILES = {
    "hardware.yaml": HARDWARE,
    "releases.yaml": RELEASES,
    "models/gpt-oss-120b.yaml": MODEL,
}


@pytest.mark.parametrize(("file", "shape"), FILES.items(), ids=FILES)
def test_a_fact_without_a_source_is_a_fault(file: str, shape: FileShape) -> None:
    content = plain_yaml.load((SCHEMA / file).read_text(encoding="utf-8"))
    assert not list(faults_of(content, shape))
    for key in content["sources"]:
        lacking = deepcopy(content)
        del lacking["sources"][key]
        assert list(faults_of(lacking, shape)) == [f"sources: {key} is missing"]


@pytest.mark.parametrize("file", ["known.yaml", "upgrades.yaml", "moe.yaml"])
def test_every_entry_of_a_file_without_sources_names_its_own(file: str) -> None:
    content = plain_yaml.load((SCHEMA / file).read_text(encoding="utf-8"))
    maps = [content[key] for key in content if key != "algorithms"]
    entries = [e for m in maps for e in (m.values() if isinstance(m, dict) else m)]
    assert entries
    assert all(entry["source"] for entry in entries)


def test_every_number_of_memory_needs_its_source() -> None:
    content = plain_yaml.load((SCHEMA / "memory.yaml").read_text(encoding="utf-8"))
    assert not list(faults_of(content, MEMORY))
    entries = {f"expertKernels.{name}": each for name, each in content["expertKernels"].items()}
    entries |= {name: each for name, each in content.items() if name != "expertKernels"}
    for entry in entries.values():
        del entry["source"]
    assert list(faults_of(content, MEMORY)) == [f"{name}: source is missing" for name in entries]
