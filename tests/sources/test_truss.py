"""A Truss configuration is read as what trtllm-serve would run."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gptoss import rules  # noqa: F401 (declares the rules)
from gptoss.checking.checker import run
from gptoss.deployment.model import Deployment, Role, Runtime
from gptoss.facts.world import Facts
from gptoss.rules.rule import Severity
from gptoss.sources.load import load
from gptoss.sources.recognise import is_truss
from gptoss.sources.request import Request
from gptoss.sources.truss.build import KIND, build_truss
from gptoss.text import plain_yaml
from gptoss.text.errors import InputError
from gptoss.text.yaml_tree import Tree, parse_documents
from tests.sources.test_mutations import changed, paths, replacements
from tests.sources.truss_examples import CACHED, TRUSS, VLLM

if TYPE_CHECKING:
    from gptoss.deployment.model import Worker

FACTS = Facts()
FOLDER = os.environ.get("GPTOSS_CORPUS")
CORPUS = sorted(Path(FOLDER).rglob("*.yaml")) if FOLDER else []


def tree(text: str) -> Tree:
    return parse_documents(text, "config.yaml")[0]


def deployment(text: str = TRUSS, release: str | None = "1.2.1") -> Deployment:
    return build_truss(tree(text), "config.yaml", FACTS, release)


def worker(text: str = TRUSS) -> Worker:
    (found,) = deployment(text).workers
    return found


def test_it_is_recognised_and_manifests_and_engine_files_are_not() -> None:
    assert all(is_truss(tree(text)) for text in (TRUSS, CACHED, VLLM))
    assert not is_truss(tree("apiVersion: v1\nmodel_metadata: {}\n"))
    assert not is_truss(tree("max_batch_size: 4\n"))


def test_it_is_one_server_with_the_accelerators_gpus() -> None:
    found = deployment()
    assert found.runtime is Runtime.SERVE
    assert found.frontend is None
    assert found.name == "gpt-oss-120b"
    assert worker().role is Role.AGGREGATED
    assert worker().gpu is FACTS.gpus["h100"]
    assert worker().gpus == 2
    assert worker(CACHED).gpus == 1


def test_model_and_public_name_are_told() -> None:
    model, name = worker().model, worker().served_name
    assert model
    assert name
    assert (model.value, name.value) == ("openai/gpt-oss-120b", "gpt-oss")
    assert deployment().model is FACTS.models["openai/gpt-oss-120b"]


def test_a_checkpoint_in_the_model_cache_is_what_is_served() -> None:
    model = worker(CACHED).model
    assert model
    assert model.value == "openai/gpt-oss-120b"


def test_patch_kwargs_win_over_named_settings_and_both_are_known() -> None:
    setting = worker().engine["max_seq_len"]
    assert setting.value == 131072
    assert [(c.spelling, c.value) for c in setting.beaten] == [
        ("trt_llm.runtime.max_seq_len", 98304)
    ]
    assert setting.place.line == TRUSS.splitlines().index("      max_seq_len: 131072") + 1


def test_what_a_file_leaves_out_is_what_truss_fills_in() -> None:
    settings = worker(CACHED.replace("    max_batch_size: 64\n", "")).engine
    assert settings["max_batch_size"].value == 256
    assert settings["enable_chunked_prefill"].value is True
    assert not settings["max_batch_size"].is_set


def test_zero_and_one_are_read_as_the_engine_reads_them() -> None:
    assert worker().engine["disable_overlap_scheduler"].value is True
    assert worker().engine["enable_autotuner"].value is False


def test_variables_go_along() -> None:
    assert worker().pod.variable("NCCL_DEBUG") == "WARN"


def test_what_only_the_platform_reads_is_explained_and_no_engine_setting() -> None:
    explained = [p.message for p in deployment().problems if p.kind == KIND]
    keys = [message.split()[0] for message in explained]
    assert {"build_commands", "patch_kwargs.chat_processor", "version_overrides"} <= set(keys)
    assert all("; here: " in message for message in explained)
    assert not worker().engine["chat_processor"].is_set


def test_another_engine_is_refused_with_its_name() -> None:
    with pytest.raises(InputError, match="vllm") as refused:
        deployment(VLLM)
    assert refused.value.place
    assert refused.value.place.line == 3


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("model_metadata: {}\n", "no trt_llm section"),
        ("trt_llm: {build: {base_model: llama}}\n", "only inference_stack: v2"),
        ("trt_llm: {inference_stack: v2}\n", "names no checkpoint"),
        (CACHED.replace("B200", "B200:many"), "write a GPU and a count"),
    ],
)
def test_what_is_not_read_is_refused_with_a_place(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said) as refused:
        deployment(text)
    assert refused.value.place


def test_an_accelerator_that_is_not_known_can_be_told() -> None:
    other = tree(TRUSS.replace("H100:2", "A100:2"))
    assert build_truss(other, "config.yaml", FACTS).workers[0].gpu is None
    assert build_truss(other, "config.yaml", FACTS, gpu="h200").workers[0].gpu is FACTS.gpus["h200"]


def test_every_command_reads_it(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(TRUSS)
    (found,) = load(Request((str(file),), release="1.2.1")).deployments
    errors = [f for f in run(found, FACTS).findings if f.rule.severity is Severity.ERROR]
    assert errors == []


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.sampled_from(list(paths(tree(TRUSS)))), min_size=1, max_size=3),
    st.lists(st.none() | replacements, min_size=3, max_size=3),
)
def test_it_is_read_or_refused_whatever_stands_in_it(
    where: list[tuple[str | int, ...]], new: list[Tree | None]
) -> None:
    mutant = tree(TRUSS)
    for path, value in zip(where, new, strict=False):
        mutant = changed(mutant, path, value)
    try:
        run(build_truss(mutant, "config.yaml", FACTS, "1.2.1"), FACTS)
    except InputError as error:
        assert "\n" not in str(error)  # noqa: PT017 (both outcomes are right)


@pytest.mark.parametrize(
    "path",
    [path for path in CORPUS if "trt_llm:" in path.read_text("utf-8")],
    ids=lambda path: path.name,
)
def test_a_truss_that_others_wrote_is_read_whole(path: Path) -> None:
    (found,) = load(Request((str(path),), release="1.2.1")).deployments
    given = plain_yaml.load(path.read_text("utf-8"))
    runtime = given["trt_llm"]["runtime"]
    named = {**runtime, **runtime["patch_kwargs"]}
    (server,) = found.workers
    assert server.engine["max_seq_len"].value == named["max_seq_len"]
    assert server.engine["moe_config.backend"].value == named["moe_config"]["backend"]
    assert server.gpu is not None
    assert server.ranks == server.gpus
