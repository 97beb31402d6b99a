"""Deployments that others wrote come back equal, save for what is mended, each with its reason.

The folder is named by the environment variable GPTOSS_CORPUS.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gptoss import rules  # noqa: F401 (declares the rules)
from gptoss.comparing.compare import compare
from gptoss.facts.world import Facts
from gptoss.importing.convert import convert
from gptoss.importing.run import read_back
from gptoss.sources.load import load
from gptoss.sources.request import Request

if TYPE_CHECKING:
    from gptoss.deployment.model import Deployment
    from gptoss.importing.convert import Imported

FACTS = Facts()
FOLDER = os.environ.get("GPTOSS_CORPUS")
FILES = sorted(Path(FOLDER).rglob("*.yaml")) if FOLDER else []
TRUSSES = [path for path in FILES if "\ntrt_llm:" in path.read_text("utf-8")]
GRAPHS = [path for path in FILES if "\nkind: DynamoGraphDeployment" in path.read_text("utf-8")]

if not FILES:
    pytest.skip("GPTOSS_CORPUS names no folder with YAML files of others", allow_module_level=True)

# What differs in whatever is imported, with the reason.
BY_THE_CHART = {
    "$DYN_GRACEFUL_SHUTDOWN_GRACE_PERIOD_SECS": "without it answers are cut off after 5 seconds",
    "$DYN_HTTP_GRACEFUL_SHUTDOWN_TIMEOUT_SECS": "the frontend waits for answers as long",
    "$HF_HUB_OFFLINE": "the chart serves from its cache without the network",
    "$SERVED_MODEL_NAME": "nobody reads it",
    "$TRTLLM_NO_USAGE_STATS": "the chart's server tells nobody of its use",
    "$USER": "libraries of the server ask for one",
    "--dyn-reasoning-parser": "without it clients get raw channel markup",
    "--dyn-tool-call-parser": "without it clients get raw channel markup",
    "--enforce-disagg": "decode workers would silently prefill",
    "cpu request": "the chart asks for a share of the node by GPU",
    "memory request": "the chart asks for a share of the node by GPU",
}
RECIPES = {
    "extra input nvext": "Dynamo refuses it from 1.3 on",
    "headers": "aiperf sends Accept by itself, and the frontend asks for no key",
    "image": "a patch of the release that the chart runs",
    "revision": "the recipe serves whatever is newest",
    "concurrency": "the recipe counts 6 GPUs where 5 are",
    "requests": "ten times the concurrency",
    "warm-up requests": "as many as the concurrency",
}
BASETEN = {
    "release": "Baseten's builds belong to no release",
    "revision": "refs/pr/35 and main move",
    "enable_trtllm_sampler": "TensorRT-LLM 1.2 has it no more",
    "given": "a Truss has no benchmark",
}


def read(*paths: Path) -> Deployment:
    (found,) = load(Request(tuple(map(str, paths)))).deployments
    return found


def back(source: Deployment, gpu: str | None = None) -> tuple[Imported, Deployment]:
    imported = convert(source, FACTS, gpu)
    rendered = read_back(imported)
    assert not rendered.is_refused, [problem.message for problem in rendered.problems]
    return imported, rendered


@pytest.mark.parametrize("path", GRAPHS, ids=lambda path: path.name)
def test_a_recipe_comes_back_save_for_what_is_mended(path: Path) -> None:
    job = path.with_name(f"{path.name.partition('-')[0]}.perf.yaml")
    source = read(path, *([job] if job.is_file() else []))
    _, rendered = back(source, "gb200")
    mended = BY_THE_CHART | RECIPES
    left = [d for d in compare(source, rendered) if d.setting not in mended]
    assert left == []


@pytest.mark.parametrize("path", TRUSSES, ids=lambda path: path.name)
def test_a_truss_comes_back_save_for_what_is_mended(path: Path) -> None:
    source = read(path)
    _, rendered = back(source)
    mended = BY_THE_CHART | BASETEN
    left = [d for d in compare(source, rendered) if d.setting not in mended]
    assert left == []


def test_the_truss_template_gives_the_shipped_target_in_essence() -> None:
    (template,) = [path for path in TRUSSES if path.name.startswith("torchflow")]
    _, rendered = back(read(template))
    (worker,) = rendered.workers
    (target,) = load(Request(("serve-h100-2",))).deployments
    (shipped,) = target.workers
    assert (rendered.runtime, worker.gpu, worker.gpus) == (target.runtime, shipped.gpu, 2)
    essence = (
        "tensor_parallel_size",
        "moe_expert_parallel_size",
        "moe_config.backend",
        "max_batch_size",
        "max_seq_len",
        "max_num_tokens",
        "enable_chunked_prefill",
        "kv_cache_config.free_gpu_memory_fraction",
        "kv_cache_config.enable_block_reuse",
        "cuda_graph_config.enable_padding",
    )
    assert {key: worker.engine[key].value for key in essence} == {
        key: shipped.engine[key].value for key in essence
    }
