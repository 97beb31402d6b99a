"""What the API server drops or refuses is found at its line."""

from __future__ import annotations

import pytest

from tests.sources.manifest_examples import ALPHA, BENCHMARK, BETA, DOWNLOAD, ENGINE, deployment


def problems(*texts: str) -> list[tuple[str, int, str]]:
    found = deployment(*texts).problems
    return [
        (problem.kind, problem.place.line, problem.message)
        for problem in found
        if problem.kind.startswith("field-")
    ]


def changed(text: str, old: str, new: str) -> tuple[str, int]:
    """The text with the first occurrence replaced, and the line of the change."""
    assert old in text
    return text.replace(old, new, 1), text[: text.index(old)].count("\n") + 1


def test_manifests_that_the_api_server_takes_have_no_problem() -> None:
    assert problems(ENGINE, ALPHA, BENCHMARK, DOWNLOAD) == []
    assert problems(ENGINE, BETA) == []


@pytest.mark.parametrize(
    ("text", "old", "new", "kind", "message"),
    [
        (ALPHA, "componentType:", "componentTyp:", "field-unknown", "did you mean componentType?"),
        (ALPHA, "mainContainer:", "maincontainer:", "field-unknown", "did you mean mainContainer?"),
        (BENCHMARK, "{name: bench}", "{name: bench, label: {}}", "field-unknown", "mean labels?"),
        (BETA, "podTemplate:", "podtemplate:", "field-unknown", "did you mean podTemplate?"),
        (BENCHMARK, "image:", "imaeg:", "field-unknown", "did you mean image?"),
        (BENCHMARK, "image: python:3.12", "stdin: 3", "field-refused", "must be true or false"),
        (
            ALPHA,
            "  services:",
            "  labels: {a: 1}\n  services:",
            "field-refused",
            "must be a string",
        ),
        (
            ALPHA,
            "  services:",
            "  backendFramework: TRTLLM\n  services:",
            "field-refused",
            "must be sglang or vllm or trtllm",
        ),
    ],
)
def test_what_is_wrong_with_a_field_is_said_at_its_line(
    text: str, old: str, new: str, kind: str, message: str
) -> None:
    wrong, line = changed(text, old, new)
    others = [ENGINE] if text is not BENCHMARK else [ALPHA]
    (found, *_) = problems(wrong, *others)
    assert found[:2] == (kind, line)
    assert message in found[2]


@pytest.mark.parametrize("value", [".inf", ".nan", "1.5"])
def test_a_number_that_is_not_whole_is_refused_as_one(value: str) -> None:
    wrong, _ = changed(BENCHMARK, "image: python:3.12", f"ports: [{{containerPort: {value}}}]")
    (found,) = problems(ALPHA, wrong)
    assert "must be a whole number" in found[2]


def test_null_is_as_good_as_absent() -> None:
    silent, _ = changed(BENCHMARK, "image: python:3.12", "image: null\n          stdin: null")
    assert problems(ALPHA, silent) == []


def test_the_template_of_another_kind_is_no_pod() -> None:
    other = """\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: all}
spec:
  template:
    spec: {project: default}
"""
    assert problems(ALPHA, other) == []


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("kind: Job", "kind: Jobb", "batch/v1 has no Jobb; did you mean Job?"),
        ("kind: Job", "kind: jOB", "batch/v1 has no jOB; did you mean Job?"),
        ("kind: Job", "knd: Job", "the object needs kind, a string"),
        ("apiVersion: batch/v1", "apiVersion: batch/V1", "Job is of batch/v1, not of batch/V1"),
    ],
)
def test_an_object_whose_type_does_not_exist_is_refused(old: str, new: str, message: str) -> None:
    wrong, _ = changed(BENCHMARK, old, new)
    assert [found[2] for found in problems(ALPHA, wrong)] == [message]


@pytest.mark.parametrize(
    "text",
    [
        "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: a}\n",
        "apiVersion: serving.knative.dev/v1\nkind: Service\nmetadata: {name: a}\nspec: {a: 1}\n",
    ],
)
def test_a_kind_of_another_api_group_may_have_a_known_name(text: str) -> None:
    assert problems(ALPHA, text) == []


def test_a_missing_element_of_a_list_is_no_string() -> None:
    wrong, _ = changed(ALPHA, "replicas: 2", "frontendSidecar: {args: [~]}")
    (found,) = problems(ENGINE, wrong)
    assert found[2].endswith("frontendSidecar.args[0] must be a string, not nothing")


def test_a_text_that_must_not_be_empty_is_refused() -> None:
    wrong, _ = changed(ALPHA, "  services:", "  restart: {id: ''}\n  services:")
    (found,) = problems(ENGINE, wrong)
    assert found[2] == "spec.restart.id must be at least 1 character long, not ''"


def test_a_file_of_kustomize_is_no_object() -> None:
    assert problems(ALPHA, "resources: [deploy.yaml]\n") == []
