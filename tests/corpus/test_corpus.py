"""Configurations that others wrote are read, and no error is found in what works.

The folder is named by the environment variable GPTOSS_CORPUS. Engine files of NVIDIA's tuned
configurations stand in folders named after the GPU; they were made for the TensorRT-LLM that
RELEASE has, or run on it unchanged.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gptoss.checking.checker import run
from gptoss.facts.world import Facts
from gptoss.rules.rule import Severity
from gptoss.sources.engine_alone import build_engine
from gptoss.sources.given import GivenFile
from gptoss.sources.kubernetes.build import build
from gptoss.sources.kubernetes.split import split
from gptoss.sources.recognise import is_engine_yaml
from gptoss.text import plain_yaml
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from gptoss.text.yaml_tree import Tree

FACTS = Facts()
RELEASE = "1.2.1"
FOLDER = os.environ.get("GPTOSS_CORPUS")
FILES = sorted(Path(FOLDER).rglob("*.yaml")) if FOLDER else []
EXPECTED: dict[str, dict[str, str]] = plain_yaml.load(
    Path(__file__).with_name("expected.yaml").read_text(encoding="utf-8")
)

if not FILES:
    pytest.skip("GPTOSS_CORPUS names no folder with YAML files of others", allow_module_level=True)

every_file = pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)


def gpu_of(path: Path) -> str | None:
    """The GPU that a folder is named after."""
    return next((part.lower() for part in path.parts if part.lower() in FACTS.gpus), None)


def engine_of(path: Path) -> Tree | None:
    """The engine YAML that a file holds."""
    documents = GivenFile(path).trees
    alone = len(documents) == 1 and is_engine_yaml(documents[0], FACTS)
    return documents[0] if alone else None


@every_file
def test_a_file_is_read_or_refused_in_one_sentence(path: Path) -> None:
    if engine_of(path):
        return
    try:
        for documents in split(GivenFile(path).trees):
            run(build(documents, path.name, FACTS), FACTS)
    except InputError as error:
        assert "\n" not in str(error)  # noqa: PT017 (both outcomes are right)


@every_file
def test_an_engine_file_has_the_errors_that_are_expected_and_no_other(path: Path) -> None:
    engine = engine_of(path)
    if engine is None:
        assert path.name not in EXPECTED
        return
    deployment = build_engine(engine, path.name, FACTS, RELEASE, gpu_of(path))
    findings = run(deployment, FACTS).findings
    errors = {f.rule.id: str(f) for f in findings if f.rule.severity is Severity.ERROR}
    assert errors.keys() == EXPECTED.get(path.name, {}).keys(), errors


def test_every_recipe_with_a_graph_is_judged_as_a_whole() -> None:
    graphs = [path for path in FILES if "kind: DynamoGraphDeployment" in path.read_text("utf-8")]
    for path in graphs:
        for documents in split(GivenFile(path).trees):
            assert build(documents, path.name, FACTS).workers, path.name
