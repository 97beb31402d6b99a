"""The lines that rules quote stand in the packages that they name.

Held against the packages that the environments of the real parsers have, and those that stand
unpacked in the folder that GPTOSS_PACKAGES names, as in ``ai-dynamo-1.6.1`` or
``k8s.io/kubernetes-v1.36.3``. A quotation may leave out line breaks and indentation, nothing else.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gptoss.rules.rule import RULES

if TYPE_CHECKING:
    from gptoss.rules.evidence import Seen

UNPACKED = os.environ.get("GPTOSS_PACKAGES")
ORACLES = Path(__file__).parents[2] / ".tools" / "oracles"
# Environments are named after the package that they are for; those of Dynamo after its project.
ENVIRONMENTS = {"ai-dynamo": "dynamo", "aiperf": "aiperf", "gpt-oss": "gpt-oss"}


def installed(seen: Seen) -> Path | None:
    """The quoted file in the environment that has its package; None where none has."""
    package, version, path = seen.where.split(" ", 2)
    environment = ORACLES / f"{ENVIRONMENTS.get(package, package)}-{version}"
    folders = list(environment.glob("lib/python3*/site-packages"))
    if UNPACKED:
        folders += [
            folder for folder in [Path(UNPACKED, f"{package}-{version}")] if folder.exists()
        ]
    return folders[0] / path if folders else None


QUOTES = [
    pytest.param(seen, path, id=f"{rule.id}-{seen.where.partition(' ')[2]}")
    for rule in RULES.values()
    for seen in rule.evidence.seen
    if seen.kind == "package" and (path := installed(seen))
]


@pytest.mark.parametrize(("seen", "path"), QUOTES)
def test_a_quoted_line_stands_in_its_package(seen: Seen, path: Path) -> None:
    assert " ".join(seen.says.split()) in " ".join(path.read_text(encoding="utf-8").split())


def test_the_packages_at_hand_are_quoted() -> None:
    assert len(QUOTES) > 10
