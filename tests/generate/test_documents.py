"""The targets beside the documents they were made of."""

import pytest
import yaml

from generate.documents import ROOT, compared, in_force
from gptoss.deployment.model import Deployment
from gptoss.facts import folders
from gptoss.sources.load import load
from gptoss.sources.request import Request


@pytest.fixture(scope="module")
def agg() -> Deployment:
    return load(Request(("agg-gb200",))).deployments[0]


def written(
    monkeypatch: pytest.MonkeyPatch, says: dict[str, object], because: dict[str, str]
) -> None:
    entry = {"document": "recipe", "says": says, "because": because}
    known = yaml.safe_load((ROOT / "schema/documents.yaml").read_text(encoding="utf-8"))
    only = known | {"targets": {"agg-gb200": entry}}
    monkeypatch.setattr("generate.documents.yaml.safe_load", lambda _: only)


def test_every_target_names_its_document() -> None:
    known = yaml.safe_load((ROOT / "schema/documents.yaml").read_text(encoding="utf-8"))
    shipped = {
        name
        for name, path in folders.values_files().items()
        if folders.overlay_for(path.read_text(encoding="utf-8")) is None
    }
    assert set(known["targets"]) == shipped
    assert {entry["document"] for entry in known["targets"].values()} <= set(known["documents"])


@pytest.mark.parametrize(
    ("statement", "value"),
    [
        ("worker.engine.max_batch_size", 900),
        ("worker.engine.max_beam_width", 1),
        ("worker.env.TRT_LLM_DISABLE_LOAD_WEIGHTS_IN_PARALLEL", "True"),
        ("worker.env.NOBODY", None),
        ("worker.flags.--dyn-tool-call-parser", "harmony"),
        ("worker.gpus", 4),
        ("frontend.flags.--router-mode", "round-robin"),
        ("benchmark.concurrency", 3600),
        ("benchmark.flags.--random-seed", 100),
    ],
)
def test_a_statement_is_about_what_is_in_force(
    agg: Deployment, statement: str, value: object
) -> None:
    assert in_force(agg, statement) == value


def test_a_statement_about_a_worker_that_is_not_there_is_refused(agg: Deployment) -> None:
    with pytest.raises(ValueError, match="there is no worker decode"):
        in_force(agg, "decode.gpus")


def test_a_difference_without_a_reason_is_refused(
    agg: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(monkeypatch, {"worker.gpus": 8}, {})
    with pytest.raises(ValueError, match="gives no reason"):
        compared("agg-gb200", agg)


def test_a_reason_without_a_difference_is_refused(
    agg: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(monkeypatch, {"worker.gpus": 4}, {"worker.gpus": "there are four"})
    with pytest.raises(ValueError, match="remove the reason"):
        compared("agg-gb200", agg)


def test_what_holds_is_counted_and_what_does_not_is_listed(
    agg: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(monkeypatch, {"worker.gpus": 8, "worker.replicas": 1}, {"worker.gpus": "half a node"})
    comparison = compared("agg-gb200", agg)
    assert comparison is not None
    assert comparison.kept == 1
    (departure,) = comparison.departures
    assert (departure.said, departure.here, departure.reason) == ("8", "4", "half a node")
