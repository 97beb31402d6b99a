"""The targets beside the documents they were made of."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from generate import documents as beside_documents
from generate.documents import comparisons, judged, shown
from generate.documents_page import documents_page, places_of
from generate.evidence import faults_of_evidence
from generate.places import anchors, fault_of_place
from generate.recorded import deployment_of, documents, words
from gptoss.comparing.compare import compared
from gptoss.comparing.differences import Difference
from gptoss.deployment.settings import nested
from gptoss.facts import folders
from gptoss.facts.world import Facts
from gptoss.text.errors import InputError
from gptoss.text.places import Place

if TYPE_CHECKING:
    from collections.abc import Mapping

    from generate.recorded import Document

FACTS = Facts()
HERE = Place("here.yaml")


def document(name: str) -> Document:
    return next(found for found in documents() if found.name == name)


def judge(setting: Difference, *because: Mapping[str, Any]) -> tuple[Any, list[str]]:
    faults: list[str] = []
    asked = replace(document("recipe"), because=because)
    return judged(asked, "aggregated", "agg-gb200", [setting], faults), faults


def test_every_target_that_is_not_tuned_is_beside_its_document() -> None:
    shipped = {name for name in folders.target_files() if not name.endswith("-tuned")}
    assert {comparison.target.partition(",")[0] for comparison in comparisons()} == shipped


def test_what_a_record_sets_and_what_it_leaves_to_defaults_is_in_force() -> None:
    (worker,) = deployment_of(document("recipe"), "aggregated", FACTS).workers
    assert worker.gpus == 4
    assert worker.engine["moe_config.backend"].value == "CUTLASS"
    assert worker.engine["max_batch_size"].value == 800
    assert worker.engine["enable_chunked_prefill"].value is False
    _, decode = deployment_of(document("guide"), "one node", FACTS).workers
    assert decode.engine["max_batch_size"].value == 2048
    server = deployment_of(document("quick-start"), "max throughput", FACTS)
    assert server.benchmark is not None
    assert len(server.benchmark.steps) == 8
    (truss,) = deployment_of(document("truss"), "two H100", FACTS).workers
    assert truss.engine["disable_overlap_scheduler"].value is True


def test_a_record_that_is_compared_with_itself_keeps_everything() -> None:
    for name in ("recipe", "guide", "quick-start", "truss"):
        asked = document(name)
        for deployment in asked.deployments:
            read = deployment_of(asked, deployment, FACTS)
            assert not [setting for setting in compared(read, read) if setting.differs]


def test_a_difference_without_a_reason_is_told() -> None:
    _, faults = judge(Difference("worker", "max_batch_size", 800, 900, HERE, HERE))
    said = "agg-gb200: worker.max_batch_size is 900, not 800, and `because` gives no reason"
    assert faults == [f"schema/documents/recipe.yaml: {said}"]


def test_a_difference_with_two_reasons_is_told() -> None:
    reason = {"of": ["worker.max_*"], "why": "so", "evidence": ["B003"]}
    setting = Difference("worker", "max_batch_size", 800, 900, HERE, HERE)
    _, faults = judge(setting, reason, {**reason, "of": ["*"]})
    assert faults[0].endswith("`because` gives 2 reasons")


def test_a_reason_without_a_difference_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    reason = {"of": ["worker.GPUs"], "targets": ["agg-*"], "why": "so", "evidence": ["B003"]}
    recipe = document("recipe")
    changed = replace(recipe, because=(*recipe.because, reason))
    others = [found for found in documents() if found is not recipe]
    monkeypatch.setattr(beside_documents, "documents", lambda: (changed, *others))
    with pytest.raises(InputError) as refusal:
        comparisons.__wrapped__()
    assert str(refusal.value) == (
        "schema/documents/recipe.yaml: agg-gb200 does as its document says in worker.GPUs; "
        "remove the reason"
    )


def test_the_defaults_of_two_releases_are_named_as_such() -> None:
    found, faults = judge(Difference("frontend", "--router-queue-threshold", 4.0, 16.0))
    assert faults == []
    assert found.departures[0].reason == "nobody sets it; these are the defaults of two releases"


def test_what_is_kept_is_what_the_document_sets_itself() -> None:
    same = Difference("worker", "max_batch_size", 800, 800, HERE, HERE)
    assert judge(same)[0].kept == (same,)
    assert judge(replace(same, left_place=None))[0].kept == ()


@pytest.mark.parametrize(
    "evidence",
    ["Z999", "values/agg-gb200.yaml: what is not written there", "everybody knows", "a/b some.py"],
)
def test_evidence_that_cannot_be_looked_up_is_told(evidence: str) -> None:
    assert list(faults_of_evidence([evidence]))


@pytest.mark.parametrize(
    "place",
    [
        "README.md",
        "docs/shutdown.md#what-the-chart-sets",
        "values/agg-gb200.yaml: routerMode: round-robin",
        "gptoss render agg-gb200 --as compose --output dist/x",
        "gptoss bench run agg-gb200 http://localhost:8000",
        "make template",
        "values modelCache.storageClassName",
        "values workers.decode.engine",
        "compose run --rm smoke",
        "launch.sh --gpus all",
        "S001",
    ],
)
def test_a_place_that_is_there_is_found(place: str) -> None:
    assert fault_of_place(place, {}) is None


@pytest.mark.parametrize(
    "place",
    [
        "docs/nowhere.md",
        "docs/shutdown.md#what-is-not-said",
        "values/agg-gb200.yaml: routerMode: everywhere",
        "gptoss render agg-gb200 --as poem",
        "gptoss sing",
        "make coffee",
        "values modelCache.colour",
        "compose nobody-has-this",
        "launch.sh nobody-has-this",
        "S999",
    ],
)
def test_a_place_that_is_not_there_is_told(place: str) -> None:
    assert fault_of_place(place, {}) is not None


def test_an_item_without_a_place_stops_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    nowhere = replace(document("truss"), items={"Deployment": [{"says": "a step"}]})
    monkeypatch.setattr("generate.documents_page.documents", lambda: (nowhere,))
    monkeypatch.setattr("generate.documents_page.target_pages", dict)
    with pytest.raises(InputError, match="a step: it has no place here"):
        documents_page()


def test_an_item_that_a_comma_has_cut_stops_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    cut = {"says": "one", "two": None, "here": "README.md"}
    monkeypatch.setattr(
        "generate.documents_page.documents",
        lambda: (replace(document("truss"), items={"Deployment": [cut]}),),
    )
    monkeypatch.setattr("generate.documents_page.target_pages", dict)
    with pytest.raises(InputError, match="it has two; quote what holds a comma"):
        documents_page()


def test_places_are_one_or_several() -> None:
    assert places_of({"here": "a"}) == ["a"]
    assert places_of({"here": ["a", "b"]}) == ["a", "b"]


def test_headings_are_called_as_github_calls_them() -> None:
    assert anchors("# A `b`: c, d?\n```\n# no heading\n```\n") == {"a-b-c-d"}


def test_flags_and_settings_are_written_out() -> None:
    assert list(words({"--a": 1, "--b": None, "-c": ["x", "y"]})) == [
        *("--a", "1", "--b", "-c", "x", "-c", "y")
    ]
    assert nested({"a.b": 1, "a.c": 2, "d": 3}) == {"a": {"b": 1, "c": 2}, "d": 3}
    assert [shown(v) for v in (None, True, [1, 2], {"a": 1})] == [
        *("not set", "true", "1, 2", '{"a": 1}')
    ]
