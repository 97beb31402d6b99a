"""Where a release comes from, as an in-toto statement with SLSA's predicate (both version 1)."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from publish.commit import Commit

STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "https://slsa.dev/provenance/v1"


def provenance(
    subjects: Iterable[Path],
    *,
    source: str,
    version: str,
    commit: Commit,
    builder: str,
    helm: Path,
) -> str:
    """The statement as JSON; the same text for the same files and commit.

    Args:
        subjects: Files that are published.
        source: Address of the repository, as people open it.
        version: Version of the chart.
        commit: What they are made from.
        builder: Address of who or what has made them; the page that says how, where nobody said.
        helm: The program that has packaged the chart.

    Raises:
        OSError: A file cannot be read.
    """
    page = f"{source}/blob/v{version}/docs/releasing.md"
    checked_out = {"uri": f"git+{source}@{commit.id}", "digest": {"gitCommit": commit.id}}
    predicate = {
        "buildDefinition": {
            "buildType": f"{page}#make-a-release",
            "externalParameters": {"source": source, "version": version},
            "resolvedDependencies": [checked_out, _described(helm)],
        },
        "runDetails": {"builder": {"id": builder or page}},
    }
    statement = {
        "_type": STATEMENT,
        "subject": [_described(path) for path in subjects],
        "predicateType": PREDICATE,
        "predicate": predicate,
    }
    return f"{json.dumps(statement, indent=2)}\n"


def _described(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {"name": path.resolve().name, "digest": {"sha256": digest}}
