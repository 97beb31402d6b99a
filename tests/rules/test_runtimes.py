"""A rule exists only for the deployments that it is about."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gptoss.checking.checker import run
from gptoss.deployment.model import Runtime
from gptoss.rules.rule import DYNAMO, RULES, SERVE, Rule
from tests.rules.examples import FACTS, deployment_of, read

SERVER = deployment_of(read("# server.yaml\nstream_interval: 20\n"))
GRAPH = deployment_of(read("# worker.yaml\nstream_interval: 20\n"))
OF_DYNAMO = [rule for rule in RULES.values() if rule.runtimes == DYNAMO]
OF_SERVE = [rule for rule in RULES.values() if rule.runtimes == SERVE]


def ids(rules: list[Rule]) -> list[str]:
    return [rule.id for rule in rules]


@pytest.mark.parametrize("rule", OF_DYNAMO, ids=ids(OF_DYNAMO))
def test_a_rule_about_dynamo_is_neither_run_nor_missed_on_a_server(rule: Rule) -> None:
    blind = replace(SERVER, release=None, model=None)
    result = run(blind, FACTS, [rule])
    assert (result.findings, result.not_applied) == ((), ())


@pytest.mark.parametrize("rule", OF_SERVE, ids=ids(OF_SERVE))
def test_a_rule_about_a_server_is_neither_run_nor_missed_on_a_graph(rule: Rule) -> None:
    blind = replace(GRAPH, release=None, model=None)
    result = run(blind, FACTS, [rule])
    assert (result.findings, result.not_applied) == ((), ())


# What only Dynamo has: the operator, its frontend and router, parsers, two roles, its variables.
ONLY_DYNAMO = (
    "G001 G006 G009 G010 G020 G050 D009 D011 S001 S002 S006 S008 S014 S016 R002 R004 R009 "
)
ONLY_DYNAMO += "R012 R015 R018 C003 C005 C006 E011"
FOR_ALL = "G011 G021 G022 G032 G034 G040 G060 C001 P001 E001 E006 M001 K002 S004 S010 B001 B010 "
FOR_ALL += "S028 D001 D005 L002 L005 X001 X004 R001 R006 R007 R008 R011 R013 R014 V001 Z001"


@pytest.mark.parametrize("name", ONLY_DYNAMO.split())
def test_what_only_dynamo_has_is_judged_there_alone(name: str) -> None:
    assert RULES[name].runtimes == DYNAMO


@pytest.mark.parametrize("name", FOR_ALL.split())
def test_what_every_deployment_has_is_judged_on_every_runtime(name: str) -> None:
    assert RULES[name].runtimes == tuple(Runtime)


# Whose flags and engine keys were read in full.
EXACT = "1.2.1"
SERVE_BAD = {
    "R001": "# server flags\n--allow_request_chat_template\n",
    "R005": "# server flags\n--reasoning_parser qwen3_5\n",
    "R006": "# server flags\n--moe_backend TRTLLM\n",
    "R007": "# server flags\n--chat_template\n",
    "R008": "# server flags\n--enable_chunked_prefill true\n",
    "R011": "# server flags\n--help\n",
    "R013": "# server flags\n--reasoning_parser harmony\n",
    "R014": "# server flags\n--num_postprocess_workers many\n",
    "C001": "# server flags\n--max_batch_size 64\n",
    "B010": "# benchmark flags\n--url http://gpt-oss-server:9000\n---\n# server.yaml\n{}\n",
    "E006": "# server.yaml\ncuda_graph_config: {max_batch_size: 64}\n",
    "G011": "# server container\nresources: {limits: null, requests: {nvidia.com/gpu: null}}\n",
    "G032": "# server\nspec: {template: {metadata: {annotations: null}}}\n",
    "G040": "# server container\nstartupProbe: {failureThreshold: 6}\n",
    "G043": "# server\nspec:\n  template:\n    spec:\n      volumes:\n"
    "      - {name: model-cache, persistentVolumeClaim: {claimName: gpt-oss-model-cache}}\n"
    "      - {name: engine, configMap: {name: gpt-oss-engine}}\n"
    "      - {name: shared-memory, emptyDir: {medium: Memory, sizeLimit: 64Mi}}\n",
    "M001": "# server.yaml\nmoe_config: {backend: DEEPGEMM}\n",
    "P001": "# server.yaml\ntensor_parallel_size: 8\n",
    "S004": "# server env\nTIKTOKEN_ENCODINGS_BASE: null\n",
    "S011": "# server env\nHF_HOME: /root/cache\n",
    "S013": "# server flags\n--revision " + "0" * 40 + "\n",
    "S026": "# server flags removed\n--revision\n",
}


@pytest.mark.parametrize("name", SERVE_BAD)
def test_a_server_is_judged_without_a_word_about_dynamo(name: str) -> None:
    deployment = deployment_of(read(f"# release: {EXACT}\n{SERVE_BAD[name]}"))
    found = [f for f in run(deployment, FACTS).findings if f.rule.id == name]
    assert found, name
    for finding in found:
        text = f"{finding.message} {finding.hint}".lower()
        for word in ("dynamo", "operator", "frontend", "extra-engine-args", "extrapod"):
            assert word not in text, text


def test_a_setting_of_disaggregated_trtllm_serve_is_known_to_a_server_alone() -> None:
    for target, refused in (("server.yaml", False), ("worker.yaml", True)):
        deployment = deployment_of(read(f"# release: {EXACT}\n# {target}\ndisagg_cluster: {{}}\n"))
        found = {finding.rule.id for finding in run(deployment, FACTS).findings}
        assert ("E001" in found) is refused


def test_what_wins_is_left_open_where_it_is_not_known() -> None:
    image = "# server container\nimage: nvcr.io/nvidia/tensorrt-llm/release:1.3.0rc16\n"
    text = f"{image}---\n# server flags\n--max_batch_size 64\n"
    (finding,) = [f for f in run(deployment_of(read(text)), FACTS).findings if f.rule.id == "C001"]
    assert "which of them wins" in finding.message
    assert not finding.fixes


@pytest.mark.parametrize("release", ["1.0.2", "1.1.1", "1.3.1", "1.4.2", "1.5.1", "1.6.1"])
def test_a_clean_server_is_clean_on_every_release(release: str) -> None:
    example = read(f"# release: {release}\n# server.yaml\nstream_interval: 20\n")
    assert [f"{f.rule.id} {f.message}" for f in run(deployment_of(example), FACTS).findings] == []


@pytest.mark.parametrize("name", ["R001", "R006", "R007", "R008", "R013", "R014"])
@pytest.mark.parametrize("release", ["1.0.2", "1.3.1", "1.6.1"])
def test_flags_that_are_inferred_give_no_errors(name: str, release: str) -> None:
    deployment = deployment_of(read(f"# release: {release}\n{SERVE_BAD[name]}"))
    found = {f.rule.id: f for f in run(deployment, FACTS).findings}
    assert name not in found
    assert all("are inferred" in f.message for f in found.values() if f.rule.id == "R020")
