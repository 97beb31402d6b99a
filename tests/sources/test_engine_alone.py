"""Promises of gptoss.sources.engine_alone: an engine YAML is judged without its deployment."""

from __future__ import annotations

from pathlib import Path

import pytest

from gptoss.checking.checker import run
from gptoss.deployment.model import Deployment, Role
from gptoss.facts.world import Facts
from gptoss.rules.rule import RULES, Need, Severity
from gptoss.sources.engine_alone import build_engine
from gptoss.sources.recognise import is_engine_yaml
from gptoss.text.errors import InputError
from gptoss.text.yaml_tree import Tree, parse_documents

ROOT = Path(__file__).resolve().parents[2]
FACTS = Facts()
EAGLE3 = "decoding_type: Eagle3, max_draft_len: 3"
SHIPPED = sorted((ROOT / "charts" / "gpt-oss" / "engine_configs").glob("*/*.yaml"))


def tree_of(text: str, file: str = "decode.yaml") -> Tree:
    (tree,) = parse_documents(text, file)
    return tree


def built(text: str, file: str = "engine.yaml", role: Role | None = None) -> Deployment:
    return build_engine(tree_of(text, file), file, FACTS, "1.2.1", "gb200", None, role)


def fired(deployment: Deployment) -> dict[str, int]:
    """Line of the finding of each rule that says something."""
    return {finding.rule.id: finding.place.line for finding in run(deployment, FACTS).findings}


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_shipped_engine_file_is_clean_on_its_own(path: Path) -> None:
    tree = tree_of(path.read_text(encoding="utf-8"), path.name)
    assert is_engine_yaml(tree, FACTS)
    gpu = next(part for part in path.parent.name.split("-") if part in FACTS.gpus)
    found = run(build_engine(tree, path.name, FACTS, "1.2.1", gpu), FACTS).findings
    assert [f.rule.id for f in found if f.rule.severity > Severity.INFO] == []


def test_an_engine_yaml_alone_may_be_that_of_trtllm_serve() -> None:
    assert "E011" not in fired(built("num_postprocess_workers: 4\nmax_batch_size: 8\n"))


def test_what_an_engine_setting_breaks_is_found_at_its_line() -> None:
    assert fired(built("max_batch_sise: 8\n"))["E001"] == 1
    assert "P001" in fired(
        build_engine(tree_of("tensor_parallel_size: 8\n"), "a.yaml", FACTS, "1.2.1", "b200", 4)
    )
    assert fired(built("max_batch_size: 8\nmax_batch_size: 9\n"))["G034"] == 2


def test_rules_about_the_rest_are_listed_as_not_applied() -> None:
    reasons = {
        item.rule: item.reason for item in run(built("max_batch_size: 8\n"), FACTS).not_applied
    }
    assert reasons["G009"] == reasons["S001"] == "only an engine YAML is given"
    assert "E001" not in reasons


def test_rules_that_need_the_release_or_the_gpu_are_not_applied_without_them() -> None:
    deployment = build_engine(tree_of("max_batch_size: 8\n"), "a.yaml", FACTS)
    reasons = {item.reason for item in run(deployment, FACTS).not_applied}
    assert "the Dynamo release is not known; give --release" in reasons
    assert "a: no facts about the GPU" in reasons


@pytest.mark.parametrize(
    ("file", "asked", "role"),
    [
        ("engine.yaml", None, Role.AGGREGATED),
        ("decode.yaml", None, Role.DECODE),
        ("my-prefill.yaml", None, Role.PREFILL),
        ("decode.yaml", Role.AGGREGATED, Role.AGGREGATED),
    ],
)
def test_the_role_is_the_one_asked_for_or_the_one_in_the_name(
    file: str, asked: Role | None, role: Role
) -> None:
    assert built("max_batch_size: 8\n", file, asked).workers[0].role is role


def test_gpus_are_spread_over_the_nodes_that_hold_them() -> None:
    (worker,) = built("tensor_parallel_size: 8\n").workers
    assert (worker.gpus, worker.nodes.value) == (8, 2)


def test_another_model_leaves_out_the_rules_that_need_its_facts() -> None:
    deployment = built("model: someone/other\nmax_batch_sise: 8\n")
    assert deployment.model is None
    result = run(deployment, FACTS)
    assert [finding.rule.id for finding in result.findings] == ["E001"]
    assert "no facts about the model" in {item.reason for item in result.not_applied}


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("recipes/deepseek-r1/decode.yaml", "moe_config: {backend: CUTLASS}"),
        ("DSR1-decode.yaml", "tensor_parallel_size: 6"),
        ("qwen3-235b.yaml", "attn_backend: FLASHINFER"),
        ("nvfp4_phi-4/decode.yaml", "max_batch_size: 8"),
        ("ChatGLM3.yaml", "max_batch_size: 8"),
        ("decode.yaml", "moe_config: {backend: WIDEEP}\ntensor_parallel_size: 36"),
        ("decode.yaml", "moe_config: {backend: DEEPGEMM}"),
        ("decode.yaml", "tensor_parallel_size: 12\nmoe_expert_parallel_size: 12"),
        ("decode.yaml", "max_seq_len: 163840"),
        ("decode.yaml", "speculative_config: {decoding_type: MTP, num_nextn_predict_layers: 3}"),
        (
            "decode.yaml",
            f"speculative_config: {{{EAGLE3}, speculative_model: yuhuili/EAGLE3-LLaMA3.1}}",
        ),
    ],
)
def test_an_unnamed_file_of_another_model_is_not_held_against_ours(file: str, text: str) -> None:
    deployment = built(text, file)
    assert deployment.model is None
    of_the_model = {each for each, rule in RULES.items() if Need.MODEL in rule.needs}
    assert not of_the_model & set(fired(deployment))


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("decode.yaml", "moe_config: {backend: VANILLA}\nmodel: openai/gpt-oss-120b"),
        ("qwen/gpt-oss/decode.yaml", "moe_config: {backend: CUTEDSL}"),
        (
            "decode.yaml",
            f"speculative_config: {{{EAGLE3}, speculative_model: nvidia/gpt-oss-120b-Eagle3}}",
        ),
        ("decode.yaml", "attn_backend: FLASHINFER"),
        ("made/tmpaphi3xz/decode.yaml", "max_batch_size: 8"),
        ("made/xds_v8q1/decode.yaml", "max_batch_size: 8"),
    ],
)
def test_a_file_that_names_ours_or_none_is_held_against_ours(file: str, text: str) -> None:
    assert built(text, file).model is FACTS.models["openai/gpt-oss-120b"]


@pytest.mark.parametrize(
    "text",
    ["apiVersion: v1\nkind: ConfigMap\n", "workers: {}\nruntime: {}\n", "- 1\n", "{}\n", "text\n"],
)
def test_other_yaml_is_no_engine_yaml(text: str) -> None:
    assert not is_engine_yaml(tree_of(text), FACTS)


@pytest.mark.parametrize(
    ("release", "gpu", "gpus", "message"),
    [
        ("9.9.9", None, None, "Dynamo release 9.9.9 is not known"),
        (None, "a100", None, "GPU a100 is not known"),
        (None, None, 0, "at least one GPU"),
    ],
)
def test_what_is_not_known_is_refused(
    release: str | None, gpu: str | None, gpus: int | None, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        build_engine(tree_of("max_batch_size: 8\n"), "a.yaml", FACTS, release, gpu, gpus)
