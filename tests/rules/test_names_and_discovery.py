"""What the operator makes of names and component types depends on its release."""

from __future__ import annotations

import pytest

from gptoss.checking.checker import run
from gptoss.rules.rule import RULES
from tests.rules.examples import FACTS, deployment_of, read

LONG = "gpt-oss-120b-production-customer-facing-east1"
MAIN = "---\n# decode\ncomponentType: main\n"


def fires(rule: str, text: str) -> bool:
    return bool(run(deployment_of(read(text)), FACTS, [RULES[rule]]).findings)


@pytest.mark.parametrize(
    ("release", "refused"), [("1.0.2", True), ("1.1.1", True), ("1.2.1", False), ("1.6.1", False)]
)
def test_the_operator_shortens_long_names_from_1_2_on(release: str, refused: bool) -> None:
    assert fires("G005", f"# release: {release}\n# graph\nmetadata: {{name: {LONG}}}") is refused


@pytest.mark.parametrize(("length", "refused"), [(54, False), (55, True)])
def test_a_name_and_that_of_a_component_make_a_label_of_63_characters(
    length: int, refused: bool
) -> None:
    assert fires("G005", f"# graph\nmetadata: {{name: {'n' * length}}}") is refused


def test_no_release_shortens_the_name_of_a_component() -> None:
    worker = "n" * 42
    spec = "{componentType: worker, extraPodSpec: {mainContainer: {args: [x]}}}"
    assert fires("G005", f"# graph\nspec: {{services: {{{worker}: {spec}}}}}")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("# graph\nmetadata: {}\n", True),
        ("# graph\nmetadata: {annotations: {nvidia.com/dynamo-discovery-backend: etcd}}\n", False),
        ("# graph\nmetadata: {annotations: {nvidia.com/dynamo-discovery-backend: mem}}\n", True),
        ("# decode env\nDYN_DISCOVERY_BACKEND: etcd\n", False),
        ("# decode env\nDYN_DISCOVERY_BACKEND: kubernetes\n", True),
        ("# graph\nspec: {envs: [{name: DYN_DISCOVERY_BACKEND, value: etcd}]}\n", False),
    ],
)
def test_workers_of_any_type_register_in_etcd(text: str, found: bool) -> None:
    assert fires("G001", text + MAIN) is found


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("None", False),
        ("${HF_TOKEN:-None}", False),
        ("<your-token>", False),
        ("hf_xxxxxxxxxxxxxxxxxxxxxxxx", False),
        ("hf_examplexexamplexexamplexexample", True),
        ("dGhpc2lzYTpzZWNyZXQxMjM0NTY3ODkw", True),
    ],
)
def test_only_what_can_be_a_token_is_taken_for_one(value: str, found: bool) -> None:
    assert fires("X003", f"# decode env\nHF_TOKEN: {value!r}\n") is found


@pytest.mark.parametrize(
    ("namespace", "refused"), [("None", True), ("null", False), ("serving", False), ('"1"', False)]
)
def test_a_namespace_that_a_script_made_of_nothing_is_refused(
    namespace: str, refused: bool
) -> None:
    assert fires("G106", f"# graph\nmetadata: {{namespace: {namespace}}}") is refused


@pytest.mark.parametrize(
    ("address", "found"),
    [
        ("http://gpt-oss-frontend.None.svc.cluster.local:8000", True),
        ("gpt-oss-frontend.null:8000", True),
        ("http://gpt-oss-frontend:8000", False),
        ("http://gpt-oss-frontend.none-such.svc:8000", False),
        ("http://gateway.None.svc:8000", False),
    ],
)
def test_an_address_made_of_no_namespace_is_found(address: str, found: bool) -> None:
    assert fires("G107", f"# benchmark flags\n--url {address}\n") is found


def test_an_address_is_held_against_no_namespace_that_is_still_to_be_filled_in() -> None:
    graph = "# graph\nmetadata: {namespace: '${NAMESPACE}'}\n---\n"
    flags = "# benchmark flags\n--url http://gpt-oss-frontend.serving.svc:8000\n"
    assert not fires("G107", graph + flags)


@pytest.mark.parametrize(
    ("label", "found"),
    [
        ("NVIDIA-H100-SXM5-80GB", True),
        ("H200", True),
        ("nvidia-b200", True),
        ("NVIDIA-B200-SXM6", True),
        ("NVIDIA-H100-80GB-HBM3", False),
        ("NVIDIA-H100-80GB-HBM3-SHARED", False),
        ("NVIDIA-H100-PCIe", False),
        ("NVIDIA-H200-NVL", False),
        ("NVIDIA-B300-SXM6-AC", False),
        ("NVIDIA-GB200-NVL72", False),
        ("NVIDIA-A100-SXM4-80GB", False),
    ],
)
def test_labels_that_no_discovery_writes_are_told_from_those_it_may(
    label: str, found: bool
) -> None:
    text = f"# decode pod\nnodeSelector: {{nvidia.com/gpu.product: {label}}}\n"
    assert fires("L024", text) is found


@pytest.mark.parametrize(("release", "found"), [("1.4.2", True), ("1.5.1", False)])
def test_one_late_answer_restarts_a_worker_before_1_5(release: str, found: bool) -> None:
    probe = "extraPodSpec: {mainContainer: {livenessProbe: null}}"
    assert fires("G105", f"# release: {release}\n# decode\n{probe}\n") is found


def test_a_preference_to_keep_away_is_nothing_to_tell_of() -> None:
    term = (
        "{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: "
        "{nvidia.com/dynamo-graph-deployment-name: gpt-oss}}}"
    )
    one = f"[{{weight: 1, podAffinityTerm: {term}}}]"
    away = "# decode pod\naffinity: {podAntiAffinity: "
    assert fires("L025", f"{away}{{requiredDuringSchedulingIgnoredDuringExecution: [{term}]}}}}")
    assert not fires("L025", f"{away}{{preferredDuringSchedulingIgnoredDuringExecution: {one}}}}}")
