"""What a file is, from its text or its one document.

This module imports nothing that reads: most readers are not needed for the files at hand.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gptoss.sources.given import MEASURES, SCRIPT_SUFFIXES, SERVES

if TYPE_CHECKING:
    from gptoss.facts.world import Facts
    from gptoss.text.yaml_tree import Tree

SHEBANG = re.compile(r"\ufeff?#!\s*\S*\b(?:env\s+)?(?:ba|da|z)?sh\b")
YAML_START = re.compile(r"""---|[{\[]|- |[\w."'/-]+:(?:\s|$)""")
# Keys of a configuration of trtllm-serve disaggregated.
SERVER_SECTIONS = ("context_servers", "generation_servers")
# Charts whose values are carried over.
PRODUCTION_STACK = "vLLM's production-stack chart"
LLM_D = "llm-d's modelservice chart"
NIM = "NVIDIA's nim-llm chart"
# Keys that only a Truss has.
MARKS = ("trt_llm", "docker_server", "model_metadata")


def is_script(text: str, name: str) -> bool:
    """Whether a text is a shell script, or a command line that serves or measures a model."""
    if name.endswith(SCRIPT_SUFFIXES) or SHEBANG.match(text):
        return True
    written = (line for line in text.splitlines() if line.strip() and not line.startswith("#"))
    runs = SERVES.search(text) or MEASURES.search(text)
    return not YAML_START.match(next(written, "")) and bool(runs)


def is_compose(tree: Tree) -> bool:
    """Whether a document is a compose file: services at the top, and no Kubernetes kind."""
    return tree.is_map and tree.at("services") is not None and tree.at("kind") is None


def is_truss(tree: Tree) -> bool:
    """Whether a document is a Truss configuration."""
    keys = tree.value.keys() if tree.is_map else ()
    return bool(set(MARKS) & set(keys)) and "apiVersion" not in keys


def is_disaggregated(tree: Tree) -> bool:
    """Whether a document is a configuration of ``trtllm-serve disaggregated``."""
    return any(tree.at(name) is not None for name in SERVER_SECTIONS)


def is_engine_yaml(tree: Tree, facts: Facts) -> bool:
    """Whether a document is an engine YAML: a map of engine settings, and no Kubernetes object.

    Half of its keys have to be known, so that a misspelt one does not hide the others.
    """
    if not tree.is_map or not tree.value or {"apiVersion", "kind"} & tree.value.keys():
        return False
    known = facts.engine_fields.keys() | facts.engine["stale_keys"].keys()
    return 2 * len(tree.value.keys() & known) >= len(tree.value)


def other_chart(tree: Tree) -> str | None:
    """Whose values a document holds, where it is another chart whose values are carried over."""
    if tree.at("servingEngineSpec") is not None:
        return PRODUCTION_STACK
    if tree.at("modelArtifacts") is not None:
        return LLM_D
    ngc = any(
        tree.at("model", key) is not None for key in ("ngcAPISecret", "ngcAPIKey", "nimCache")
    )
    image = tree.text("image", "repository") or ""
    return NIM if ngc or "/nim/" in image else None
