"""What the chart renders is imported and rendered again to the same deployment."""

from __future__ import annotations

from pathlib import Path

import pytest

from gptoss.comparing.compare import compare
from gptoss.facts import folders
from gptoss.facts.world import Facts
from gptoss.importing.convert import convert
from gptoss.importing.run import read_back
from gptoss.sources.chart.helm import ChartSource, find_helm, render
from gptoss.sources.kubernetes.build import build
from gptoss.sources.load import load
from gptoss.sources.request import Request
from gptoss.text.yaml_tree import parse_documents

FACTS = Facts()
TARGETS = folders.target_files()


@pytest.mark.parametrize("name", TARGETS)
def test_a_rendered_target_comes_back_in_every_setting(name: str) -> None:
    rendering = render(ChartSource(name, (TARGETS[name],)), find_helm())
    source = build(parse_documents(rendering.output, "all.yaml"), "all.yaml", FACTS)
    assert compare(source, read_back(convert(source, FACTS))) == []


COMPOSE = """\
services:
  trtllm:
    image: nvcr.io/nvidia/tensorrt-llm/release:1.3.0rc14
    command: >-
      trtllm-serve openai/gpt-oss-120b --host 0.0.0.0 --config /cfg/engine.yaml --tp_size 4
      --max_batch_size 64
    environment: {NCCL_DEBUG: WARN, "HF_TOKEN": "${HF_TOKEN}"}
    shm_size: 16gb
    volumes: ["./engine.yaml:/cfg/engine.yaml", "hf:/root/.cache/huggingface"]
    deploy:
      resources:
        reservations:
          devices: [{driver: nvidia, device_ids: ["0", "1", "2", "3"], capabilities: [gpu]}]
volumes: {hf: {}}
"""
ENGINE = "moe_config: {backend: TRTLLM}\nmoe_expert_parallel_size: 4\n"
DOCKER = """\
docker run --rm --gpus '"device=0,1"' -v ~/.cache:/root/.cache -e NCCL_DEBUG=WARN \\
  nvcr.io/nvidia/tensorrt-llm/release:1.3.0rc14 trtllm-serve openai/gpt-oss-120b --tp_size 2 \\
  --reasoning_parser gpt_oss
"""
CHARTS_OWN = {"$HF_HUB_OFFLINE", "$TRTLLM_NO_USAGE_STATS", "$USER", "given", "revision"}


@pytest.mark.parametrize(
    "files",
    [{"compose.yaml": COMPOSE, "engine.yaml": ENGINE}, {"run.sh": DOCKER}],
    ids=["compose", "docker run"],
)
def test_what_runs_in_docker_comes_back_in_every_setting(
    files: dict[str, str], tmp_path: Path
) -> None:
    for name, text in files.items():
        Path(tmp_path, name).write_text(text)
    first = Path(tmp_path, next(iter(files)))
    (source,) = load(Request((str(first),), gpu="b200")).deployments
    found = compare(source, read_back(convert(source, FACTS, "b200")))
    assert [difference for difference in found if difference.setting not in CHARTS_OWN] == []
