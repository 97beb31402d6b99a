"""A finding points at the line to edit, and names the other place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gptoss.checking.checker import run
from gptoss.rules.rule import RULES
from tests.rules.examples import FACTS, deployment_of, read, text_of

if TYPE_CHECKING:
    from gptoss.rules.finding import Finding

LINES = {
    "G001": "componentType: main",
    "G005": "decode:",
    "G020": "image: registry.acme.internal/gpt-oss-runtime:build-7",
    "G030": "name: llm-config",
    "G034": "max_batch_size: 1280",
    "C001": "- --tensor-parallel-size",
    "C004": "value: openai/gpt-oss-120b",
    "P001": "gpu: '2'",
    "P003": "moe_expert_parallel_size: 2",
    "E001": "kv_cache_free_gpu_memory_fraction: 0.85",
    "E003": "backend: ucx",
    "E006": "max_batch_size: 640",
    "M001": "backend: DEEPGEMM",
    "M003": "value: W4A8_MXFP8",
    "G040": "startupProbe:",
    "G042": "- name: dshm",
    "G050": "Planner:",
    "K001": "free_gpu_memory_fraction: 0.98",
    "K007": "max_attention_window:",
    "S016": "- --kv-cache-block-size",
    "L008": "- key: nvidia.com/gpu.product",
    "X006": "- SYS_ADMIN",
    "X007": "hostIPC: true",
    "D003": "max_tokens_in_buffer: 11010",
    "D005": "tokens_per_block: 64",
    "D008": "max_seq_len: 9000",
    "S003": "- --dyn-reasoning-parser",
    "S026": "- --model-path",
    "B001": "value: '6'",
    "B003": "- --concurrency",
    "B011": "- topologyKey: kubernetes.io/hostname",
    "L003": "kubernetes.io/arch: amd64",
    "X001": "privileged: true",
    "X003": "value: hf_examplexexamplexexamplexexample",
    "R001": "- --durable-kv-events",
}
OTHER_LINES = {
    "C001": "tensor_parallel_size: 4",
    "P001": "tensor_parallel_size: 4",
    "E006": "max_batch_size: 1280",
    "D007": "max_tokens_in_buffer: 11008",
    "D008": "max_seq_len: 11008",
    "S005": "- --served-model-name",
    "B001": "gpu: '1'",
    "B003": "max_batch_size: 800",
    "L001": "name: gpt-oss",
}


def fired(rule: str) -> tuple[list[str], Finding]:
    example = read(RULES[rule].bad)
    found = [f for f in run(deployment_of(example), FACTS).findings if f.rule.id == rule]
    return text_of(example).split("\n"), found[-1]


@pytest.mark.parametrize(("rule", "line"), LINES.items(), ids=LINES)
def test_a_finding_points_at_the_line_to_edit(rule: str, line: str) -> None:
    lines, finding = fired(rule)
    assert lines[finding.place.line - 1].strip() == line
    assert lines[finding.place.line - 1][finding.place.column - 1 :].lstrip("- ") in line


@pytest.mark.parametrize(("rule", "line"), OTHER_LINES.items(), ids=OTHER_LINES)
def test_a_finding_names_the_other_place(rule: str, line: str) -> None:
    lines, finding = fired(rule)
    assert line in [lines[also.place.line - 1].strip() for also in finding.also]


def test_a_token_is_never_printed() -> None:
    _, finding = fired("X003")
    assert "hf_" not in finding.message + finding.hint


def test_a_variable_that_names_the_model_is_the_line_to_edit() -> None:
    example = read(
        """\
# worker container
command: [/bin/sh, -c]
args:
- python3 -m dynamo.trtllm --model-path "$MODEL" --served-model-name openai/gpt-oss-120b
  --extra-engine-args /opt/gpt-oss/worker.yaml
  --dyn-reasoning-parser gpt_oss --dyn-tool-call-parser harmony
---
# worker env
MODEL: openai/gpt-oss-120b
HF_HUB_OFFLINE: null
"""
    )
    found = run(deployment_of(example), FACTS).findings
    assert [f.rule.id for f in found] == ["S026"]
    line = text_of(example).split("\n")[found[0].place.line - 1]
    assert line.strip() == "value: openai/gpt-oss-120b"


def test_a_token_on_a_command_line_is_found_and_never_printed() -> None:
    leaked = "hf_examplexexamplexexamplexexample"
    example = read(f"# benchmark flags\n--api-key {leaked}\n")
    found = run(deployment_of(example), FACTS).findings
    assert [f.rule.id for f in found] == ["X003"]
    assert leaked not in found[0].message + found[0].hint
    assert leaked in text_of(example).split("\n")[found[0].place.line - 1]
