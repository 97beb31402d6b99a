"""What a prediction takes from a deployment, and what it says when something is missing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gptoss.deployment.model import Role
from gptoss.facts import folders
from gptoss.facts.world import Facts
from gptoss.planning.layouts import KvType, Layout, Load
from gptoss.planning.systems import loads_of, system_of
from gptoss.planning.telling.plan_words import gpus
from gptoss.sources.load import load
from gptoss.sources.request import Request
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from gptoss.deployment.model import Deployment

AS_FOUND = str(folders.root() / "examples" / "as-found")
SIZES = "max_batch_size: 256\nmax_num_tokens: 8192\n"
SPLIT = """\
backend: pytorch
context_servers: {num_instances: 3, urls: ["a:8001", "b:8001", "c:8001"], max_batch_size: 8}
generation_servers: {num_instances: 1, urls: ["d:8001"], tensor_parallel_size: 2}
"""


def engine(folder: Path, text: str, **told: object) -> Deployment:
    """The deployment of an engine file on a B200."""
    file = folder / "worker.yaml"
    file.write_text(SIZES + text)
    asked = Request((str(file),), gpu="b200", **told)  # type: ignore[arg-type]
    (found,) = load(asked).deployments
    return found


def layout(folder: Path, text: str) -> Layout:
    return system_of(engine(folder, text)).decode.layout


def found(*sources: str, **told: object) -> Deployment:
    (deployment,) = load(Request(sources, **told)).deployments  # type: ignore[arg-type]
    return deployment


def test_experts_are_cut_over_all_gpus_unless_a_size_spreads_them(tmp_path: Path) -> None:
    assert layout(tmp_path, "tensor_parallel_size: 4\n").moe_ep == 1
    spread = "tensor_parallel_size: 4\nmoe_expert_parallel_size: 2\n"
    assert layout(tmp_path, spread).moe_ep == 2
    assert layout(tmp_path, "tensor_parallel_size: 4\nmoe_expert_parallel_size: 8\n").moe_ep == 4
    assert layout(tmp_path, "tensor_parallel_size: 4\nmoe_tensor_parallel_size: 1\n").moe_ep == 4


def test_attention_data_parallelism_and_the_type_of_the_cache_are_honoured(tmp_path: Path) -> None:
    text = """\
tensor_parallel_size: 4
moe_expert_parallel_size: 4
enable_attention_dp: true
kv_cache_config: {dtype: fp8}
"""
    assert layout(tmp_path, text) == Layout("b200", 4, True, 4, KvType.FP8)
    assert layout(tmp_path, "enable_attention_dp: true\n") == Layout(
        "b200", 1, False, 1, KvType.BF16
    )


def test_a_target_gives_its_engines_its_release_and_its_load() -> None:
    deployment = found("disagg-gb200")
    system = system_of(deployment)
    assert system.prefill
    assert (str(system.prefill.layout), str(system.decode.layout)) == ("TP1", "TP4")
    assert (system.gpus, system.trtllm) == (5, "1.3.0rc19")
    assert loads_of(deployment) == (Load(1280, 8192, 1024),)


def test_a_sweep_gives_a_load_a_step() -> None:
    loads = loads_of(found("serve-latency-b200"))
    assert [load.clients for load in loads] == [32, 64, 128, 256, 512, 720]
    assert {(load.isl, load.osl) for load in loads} == {(1024, 1024)}


def test_what_is_told_counts_more_than_the_benchmark() -> None:
    deployment = found("serve-latency-b200")
    assert loads_of(deployment, (300,), isl=2000) == (Load(300, 2000, 1024),)


def test_servers_of_one_kind_are_replicas_of_one_engine(tmp_path: Path) -> None:
    (tmp_path / "disagg.yaml").write_text(SPLIT)
    system = system_of(found(str(tmp_path / "disagg.yaml"), gpu="b200", release="1.3.1"))
    assert system.prefill
    assert (system.prefill.replicas, system.decode.replicas, system.gpus) == (3, 1, 5)


def test_workers_of_one_role_are_one_engine_and_have_to_be_alike() -> None:
    deployment = found("disagg-gb200")
    decode = next(one for one in deployment.workers if one.role is Role.DECODE)
    more = replace(decode, name="more")
    two = system_of(replace(deployment, workers=(*deployment.workers, more)))
    assert (two.decode.replicas, two.gpus) == (2, 9)
    other = replace(more, gpu=Facts().gpu("b200"))
    with pytest.raises(InputError, match="decode and more have different engines"):
        system_of(replace(deployment, workers=(*deployment.workers, other)))


def test_gpus_that_no_engine_uses_are_owned(tmp_path: Path) -> None:
    (tmp_path / "worker.yaml").write_text(SIZES + "tensor_parallel_size: 2\n")
    system = system_of(found(str(tmp_path / "worker.yaml"), gpu="b200", gpus=8))
    assert (system.gpus, system.unused) == (8, 6)
    assert gpus(system) == "8 x b200, 6 of them unused"


def test_manifests_are_read_as_they_are_given() -> None:
    deployment = found(*sorted(str(path) for path in Path(AS_FOUND).glob("*.yaml")))
    assert system_of(deployment).gpus == 5


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("pipeline_parallel_size: 2\n", "no measured data for pipeline_parallel_size above 1"),
        ("kv_cache_config: {dtype: nvfp4}\n", "no measured data for a KV cache of type nvfp4"),
        ("max_num_tokens: 0\n", "max_num_tokens is 0 and not a number of at least 1"),
    ],
)
def test_what_is_not_modelled_is_one_message(tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "worker.yaml"
    sizes = SIZES if "max_num_tokens" not in text else ""
    file.write_text(sizes + text)
    with pytest.raises(InputError, match=rf"worker\.yaml: no prediction for worker: .*{told}"):
        system_of(found(str(file), gpu="b200"))


def test_a_missing_gpu_says_where_to_say_it(tmp_path: Path) -> None:
    (tmp_path / "worker.yaml").write_text(SIZES)
    with pytest.raises(InputError, match=r"on which GPUs it runs; .*--gpu"):
        system_of(found(str(tmp_path / "worker.yaml")))


def test_prefill_alone_and_decode_alone_ask_for_the_other(tmp_path: Path) -> None:
    for role, other in (("prefill", "decode or aggregated"), ("decode", "prefill")):
        deployment = engine(tmp_path, "", roles=(role,))
        with pytest.raises(InputError, match=f"{other} worker too"):
            system_of(deployment)


def test_a_load_that_nobody_says_names_the_options(tmp_path: Path) -> None:
    deployment = engine(tmp_path, "")
    with pytest.raises(InputError, match=r"no benchmark.*give --clients, --isl, --osl$"):
        loads_of(deployment)
    assert loads_of(deployment, (10, 20), 1000, 100) == (Load(10, 1000, 100), Load(20, 1000, 100))


@pytest.mark.parametrize(
    ("flags", "told", "given"),
    [
        (
            "--request-rate=5",
            "starts requests by a clock.*give --clients$",
            Load(64, 8192, 1024),
        ),
        (
            "--public-dataset=sharegpt",
            "prompts of a recording; give --isl, --osl$",
            Load(1280, 300, 200),
        ),
        (
            "--session-turns-mean=4",
            "each turn of a conversation; give --isl$",
            Load(1280, 9000, 1024),
        ),
    ],
)
def test_traffic_that_clients_or_lengths_do_not_tell_asks_for_them(
    flags: str, told: str, given: Load
) -> None:
    deployment = found("disagg-gb200", settings=(f"benchmark.extraArgs={{{flags}}}",))
    with pytest.raises(InputError, match=told):
        loads_of(deployment)
    assert loads_of(deployment, (given.clients,), given.isl, given.osl) == (given,)


def test_a_target_that_helm_refuses_says_why() -> None:
    deployment = found("agg-gb200", settings=("workers.worker.engine.max_batch_size=none",))
    with pytest.raises(InputError, match="max_batch_size"):
        system_of(deployment)
