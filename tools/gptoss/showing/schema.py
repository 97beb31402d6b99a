"""The JSON Schema of the engine YAML, for editors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.facts import folders

if TYPE_CHECKING:
    from gptoss.facts.world import Facts


def engine_schema(release: str, facts: Facts) -> str:
    """The JSON Schema (2020-12) of the engine YAML in a Dynamo release.

    Args:
        release: Version of the release; one of the same minor release stands for it.
        facts: Facts.

    Raises:
        InputError: The release is not known, or too old to be deployed.
    """
    version = facts.deployable(release).trtllm
    path = folders.root() / "schema" / "engine" / f"trtllm-{version}.schema.json"
    return path.read_text(encoding="utf-8")
