"""A worker's settings as an engine's shape."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gptoss.deployment.model import Role
from gptoss.facts import folders
from gptoss.memory.engine_shapes import graph_sizes_of, shape_of
from gptoss.memory.gpu_memory import gpu_memory
from gptoss.memory.worker_memory import memory_of
from tests.memory.shapes import FACTS, MODEL
from tests.rules.examples import deployment_of, read

if TYPE_CHECKING:
    from gptoss.memory.engine_shapes import EngineShape


def shape(engine: str, heading: str = "worker.yaml text") -> EngineShape:
    """The shape of a worker with an engine YAML."""
    [worker] = deployment_of(read(f"# {heading}\n{engine}")).workers
    found = shape_of(worker, MODEL, FACTS.default_release)
    assert found is not None
    return found


def shipped(target: str, role: str) -> str:
    return (folders.root() / "engine_configs" / target / f"{role}.yaml").read_text()


def test_a_shipped_engine_has_the_shape_that_its_yaml_says() -> None:
    found = shape(shipped("agg-gb200", "worker"))
    assert (found.gpu.key, found.tp, found.attention_dp, found.ranks) == ("gb200", 4, True, 4)
    assert (found.moe_tp, found.moe_ep, found.moe_backend) == (1, 4, "TRTLLM")
    assert (found.max_batch_size, found.kv, found.transfers) == (900, "bfloat16", False)


def test_what_nobody_sets_is_as_the_engine_has_it() -> None:
    found = shape("print_iter_log: false\n")
    assert (found.tp, found.pp, found.moe_tp, found.moe_ep) == (1, 1, 1, 1)
    assert (found.max_seq_len, found.free_fraction, found.block) == (131_072, 0.9, 32)


@pytest.mark.parametrize("fraction", [".nan", ".inf", "-1", "0", "1.5", "all"])
def test_a_fraction_that_is_none_is_as_if_nobody_wrote_it(fraction: str) -> None:
    found = shape(f"kv_cache_config: {{free_gpu_memory_fraction: {fraction}}}\n")
    assert found.free_fraction == 0.9


@pytest.mark.parametrize("size", ["0", "-8", "10000000000000", "3", "much", "[1]"])
@pytest.mark.parametrize(
    "key",
    [
        *("tensor_parallel_size", "moe_expert_parallel_size", "moe_tensor_parallel_size"),
        *("max_batch_size", "max_num_tokens", "max_seq_len"),
        *("kv_cache_config.tokens_per_block", "kv_cache_config.max_tokens"),
    ],
)
def test_memory_is_computed_of_any_size_that_somebody_writes(key: str, size: str) -> None:
    block, _, inner = key.rpartition(".")
    text = f"{block}: {{{inner}: {size}}}\n" if block else f"{key}: {size}\n"
    of = gpu_memory(shape(text), MODEL)
    assert of.longest >= 0
    assert of.sequences(1000) >= 0
    assert of.with_windows().sequences(1000) >= 0


@pytest.mark.parametrize(
    ("engine", "sizes"),
    [
        ("tensor_parallel_size: 8", (8, 1)),
        ("tensor_parallel_size: 8\nmoe_expert_parallel_size: 8", (1, 8)),
        ("tensor_parallel_size: 8\nmoe_expert_parallel_size: 2", (4, 2)),
        ("tensor_parallel_size: 8\nmoe_tensor_parallel_size: 1", (1, 8)),
        ("tensor_parallel_size: 8\nmoe_expert_parallel_size: -1", (8, 1)),
    ],
)
def test_a_moe_size_that_is_left_out_is_what_the_other_leaves(
    engine: str, sizes: tuple[int, int]
) -> None:
    found = shape(f"{engine}\n")
    assert (found.moe_tp, found.moe_ep) == sizes


@pytest.mark.parametrize(
    ("chosen", "release", "second"),
    [("", "1.3.1", False), ("", "1.5.1", True), ("true", "1.3.1", True), ("false", "1.5.1", False)],
)
def test_the_second_kv_cache_manager_is_that_of_newer_releases_or_asked_for(
    chosen: str, release: str, *, second: bool
) -> None:
    engine = f"kv_cache_config: {{use_kv_cache_manager_v2: {chosen}}}\n" if chosen else "{}\n"
    [worker] = deployment_of(read(f"# worker.yaml text\n{engine}")).workers
    found = shape_of(worker, MODEL, FACTS.release(release))
    assert found is not None
    assert found.second_manager is second


@pytest.mark.parametrize(("runtime", "second"), [("PYTHON", True), ("CPP", False), ("", False)])
def test_disaggregated_workers_get_it_with_the_python_transceiver_only(
    runtime: str, *, second: bool
) -> None:
    chosen = f", transceiver_runtime: {runtime}" if runtime else ""
    text = f"# decode.yaml\ncache_transceiver_config: {{backend: NIXL{chosen}}}\n"
    deployment = deployment_of(read(text))
    decode = next(w for w in deployment.workers if w.role is Role.DECODE)
    found = shape_of(decode, MODEL, FACTS.release("1.5.1"))
    assert found is not None
    assert found.second_manager is second


@pytest.mark.parametrize(
    ("graphs", "count"),
    [
        ("{max_batch_size: 64, enable_padding: true}", 3 + 8),
        ("{max_batch_size: 900, enable_padding: true}", 3 + 16 + 2 + 1),
        ("{max_batch_size: 2048, enable_padding: true}", 3 + 16 + 2 + 1),
        ("{max_batch_size: 64, enable_padding: false}", 32 + 1),
        ("{batch_sizes: [1, 8, 64]}", 3),
        ("null", 0),
    ],
)
def test_cuda_graphs_are_counted_as_the_engine_captures_them(graphs: str, count: int) -> None:
    engine = f"# worker.yaml text\nmax_batch_size: 900\ncuda_graph_config: {graphs}"
    [worker] = deployment_of(read(engine)).workers
    assert len(graph_sizes_of(worker.engine)) == count


def test_the_recipe_on_gb200_as_worked_out_by_hand() -> None:
    # 189,471 MiB = 185.03 GiB, less 61.15 / 4 of experts, 3.96 of other weights, 1.375 of
    # activations, 0.5 of MoE workspace, 0.38 of NCCL and 3.5 of other: 160.0. 0.9 of it for 73,728
    # bytes a token.
    deployment = deployment_of(read(f"# worker.yaml text\n{shipped('agg-gb200', 'worker')}"))
    memory = memory_of(deployment.workers[0], deployment)
    assert memory is not None
    assert sum(line.gib for line in memory.weights) == pytest.approx(19.25, abs=0.01)
    assert memory.kv_tokens == pytest.approx(2_097_400, abs=200)
