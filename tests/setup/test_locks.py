"""Everything that is installed or built from elsewhere has its hash in this repository."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from tests.chart.rendering import ROOT

if TYPE_CHECKING:
    from pathlib import Path

LOCKS = sorted(
    path
    for path in (*ROOT.glob("requirements/**/*.txt"), ROOT / "images/evals/requirements.txt")
    if not path.name.endswith("-excludes.txt")
)
WORKSPACES = sorted(path.parent for path in ROOT.glob("tools/go/*/go.mod"))


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.relative_to(ROOT).as_posix())
def test_every_python_package_is_of_one_version_and_has_hashes(lock: Path) -> None:
    entries = re.sub(r"\\\n", " ", lock.read_text(encoding="utf-8")).splitlines()
    packages = [entry for entry in entries if entry and not entry.lstrip().startswith("#")]
    assert packages
    assert [e for e in packages if not re.match(r"[\w.\[\]-]+==\S+ .*--hash=sha256:", e)] == []


def test_every_npm_package_has_a_hash_and_no_address() -> None:
    lock = json.loads((ROOT / "tools/npm/package-lock.json").read_text(encoding="utf-8"))
    packages = {name: package for name, package in lock["packages"].items() if name}
    assert packages
    assert [n for n, p in packages.items() if not p["integrity"].startswith("sha512-")] == []
    assert [name for name, package in packages.items() if "resolved" in package] == []


@pytest.mark.parametrize("workspace", WORKSPACES, ids=lambda workspace: workspace.name)
def test_every_go_module_that_is_read_or_built_has_a_sum(workspace: Path) -> None:
    pins = (workspace / "go.mod").read_text(encoding="utf-8")
    read = re.findall(r"(?m)^(?:require|\t)\s*(\S+) v\S+$", pins)
    built = re.findall(r"(?m)^(?:tool|\t)\s*([\w.]+\.\w+/\S+)$", pins)
    sums = re.findall(
        r"(?m)^(\S+) v[^/\s]+ h1:", (workspace / "go.sum").read_text(encoding="utf-8")
    )
    assert read or built
    assert [n for n in (*read, *built) if not any(f"{n}/".startswith(f"{s}/") for s in sums)] == []
