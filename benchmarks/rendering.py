"""The shipped targets as Helm renders them."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path

from gptoss.facts import folders

ROOT = Path(__file__).resolve().parents[1]
HELM = ROOT / ".tools" / "bin" / "helm"
CHART = ROOT / "charts" / "gpt-oss"
TARGETS = tuple(folders.target_files())


@cache
def rendered(target: str) -> str:
    """What a target renders to with its benchmark."""
    values = str(ROOT / "values" / f"{target}.yaml")
    options = ["--values", values, "--set", "benchmark.enabled=true"]
    done = subprocess.run(
        [HELM, "template", "gpt-oss", CHART, *options], capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{target}: {done.stderr}")
    return done.stdout
