"""Promises of gptoss.sources.kubernetes.split: each deployment gets what belongs to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.sources.kubernetes.build import build
from gptoss.sources.kubernetes.split import split
from gptoss.text.yaml_tree import parse_documents
from tests.sources.manifest_examples import ALPHA, BENCHMARK, CLAIM, DOWNLOAD, ENGINE, FACTS

if TYPE_CHECKING:
    from gptoss.deployment.model import Deployment

TWO = "gpt-oss-two"
MEASURED = BENCHMARK.replace("aiperf profile", "aiperf profile --url http://gpt-oss-frontend:8000")


def renamed(text: str) -> str:
    """The same object for a second deployment."""
    return (
        text.replace("gpt-oss-frontend", f"{TWO}-frontend")
        .replace("name: gpt-oss\n", f"name: {TWO}\n")
        .replace("engines", "engines-two")
    )


def deployments(*texts: str) -> list[Deployment]:
    documents = parse_documents("---\n".join(texts), "all.yaml")
    return [build(part, "all.yaml", FACTS) for part in split(documents)]


def test_each_deployment_has_its_own_config_maps_and_benchmark() -> None:
    first, second = deployments(
        ENGINE, ALPHA, renamed(ENGINE), renamed(ALPHA), renamed(MEASURED), MEASURED, DOWNLOAD
    )
    assert (first.name, second.name) == ("gpt-oss", TWO)
    assert [c.name for c in first.config_maps] == ["engines"]
    assert [c.name for c in second.config_maps] == ["engines-two"]
    for deployment, url in ((first, "http://gpt-oss-frontend"), (second, f"http://{TWO}-frontend")):
        assert deployment.benchmark is not None
        assert deployment.benchmark.command is not None
        assert url in deployment.benchmark.command.line
        assert [job.name for job in deployment.downloads] == ["fetch"]


def test_a_benchmark_that_names_no_deployment_is_left_out() -> None:
    one, two = deployments(ALPHA, renamed(ALPHA), BENCHMARK)
    assert (one.benchmark, two.benchmark) == (None, None)
    one, two = deployments(ALPHA, renamed(ALPHA), BENCHMARK.replace("bench}", f"{TWO}-bench}}"))
    assert one.benchmark is None
    assert two.benchmark is not None


def test_one_deployment_keeps_every_document() -> None:
    documents = parse_documents("---\n".join((ENGINE, ALPHA, BENCHMARK)), "all.yaml")
    assert split(documents) == [documents]


def test_what_several_deployments_name_belongs_to_each() -> None:
    first, second = deployments(CLAIM, ENGINE, ALPHA, ALPHA.replace("gpt-oss\n", f"{TWO}\n"))
    assert [c.name for c in first.config_maps] == [c.name for c in second.config_maps]
    assert "cache" in {claim.value for claim in first.claims}
    assert "cache" in {claim.value for claim in second.claims}


def test_nothing_crosses_namespaces() -> None:
    inside = "metadata: {name: engines, namespace: one}"
    engine = ENGINE.replace("metadata: {name: engines}", inside)
    one = ALPHA.replace("  name: gpt-oss\n", "  name: gpt-oss\n  namespace: one\n")
    two = ALPHA.replace("  name: gpt-oss\n", f"  name: {TWO}\n  namespace: two\n")
    first, second = deployments(engine, one, two)
    assert first.workers[0].engine_known
    assert second.config_maps == ()
    assert not second.workers[0].engine_known
