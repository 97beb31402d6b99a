"""The config.yaml of a Truss is the target, or one line says why there is none."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from click.testing import CliRunner

from gptoss.cli import main
from gptoss.comparing.compare import compare
from gptoss.rendering import render_as
from gptoss.rendering.truss import REASONS
from gptoss.rules.rule import Severity
from gptoss.text import plain_yaml
from tests.chart import hostile
from tests.rendering.forms import ROOT, SERVE, judged, read_back, rendered, request, target

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = [text for text in hostile.TEXTS if text != hostile.DOUBLED]
TRUSS = [name for name in SERVE if not name.endswith("gb200")]


def config(name: str, *settings: str) -> dict[str, Any]:
    loaded: dict[str, Any] = plain_yaml.load(
        rendered("truss", name, *settings).files["config.yaml"]
    )
    return loaded


def refusal(*words: str) -> str:
    result = CliRunner().invoke(main, ["render", *words, "--as", "truss"])
    assert result.exit_code == 2
    (line,) = result.stderr.splitlines()
    return line


@pytest.mark.parametrize("name", TRUSS)
def test_it_read_back_is_the_target_but_for_what_its_head_gives_a_reason_for(
    name: str, tmp_path: Path
) -> None:
    form = rendered("truss", name)
    back = read_back(form, tmp_path, "config.yaml")
    assert [d.setting for d in compare(target(name), back)] == list(REASONS)
    head = form.files["config.yaml"].partition("\nmodel_name:")[0]
    assert all(f"#   {setting}:" in head and why in head for setting, why in REASONS.items())
    found = judged(back).findings
    assert [f.message for f in found if f.rule.severity is Severity.ERROR] == []


CHANGED = [
    "workers.worker.engine.max_batch_size=48",
    "workers.worker.engine.max_seq_len=65536",
    "workers.worker.engine.enable_chunked_prefill=false",
    "workers.worker.engine.kv_cache_config.enable_block_reuse=false",
    "workers.worker.env.TRTLLM_NOTE=costs $5: much",
    "model.servedName=gpt-oss",
]


@pytest.mark.parametrize("setting", CHANGED)
def test_what_is_laid_over_a_target_is_in_it(setting: str, tmp_path: Path) -> None:
    back = read_back(rendered("truss", "serve-h100-2", setting), tmp_path, "config.yaml")
    differing = {d.setting for d in compare(target("serve-h100-2", setting), back)}
    assert differing <= set(REASONS)
    assert compare(target("serve-h100-2"), back) != compare(target("serve-h100-2", setting), back)


def test_settings_that_truss_knows_by_name_are_told_by_name_and_once() -> None:
    runtime = config("serve-h100-2")["trt_llm"]["runtime"]
    patch = runtime.pop("patch_kwargs")
    assert runtime.keys() >= {"tensor_parallel_size", "max_batch_size", "enable_chunked_prefill"}
    assert not runtime.keys() & patch.keys()


def test_secrets_are_there_by_name_only() -> None:
    repository = config("serve-h100-2")["trt_llm"]["build"]["checkpoint_repository"]
    assert set(repository) == {"source", "repo", "revision", "runtime_secret_name"}
    found = rendered("truss", "serve-h100-2", "workers.worker.env.DB_PASSWORD=hunter2")
    assert "hunter2" not in found.files["config.yaml"]
    assert found.notes == ("not written, for secrets: DB_PASSWORD",)


def test_every_text_of_the_values_is_itself_in_it(tmp_path: Path) -> None:
    env = {f"NOTE_{n}": text for n, text in enumerate(TEXTS)}
    laid = tmp_path / "laid.yaml"
    given = {"workers": {"worker": {"env": env}}}
    laid.write_text(json.dumps(given, ensure_ascii=False), encoding="utf-8")
    asked = request("serve-h100-2", "description=a\nb: {{ c", files=(str(laid),))
    text = render_as("truss", asked).files["config.yaml"]
    found = yaml.safe_load(text)
    assert "b" not in found
    assert {n: v for n, v in found["environment_variables"].items() if n in env} == env


def test_variables_of_the_pods_volumes_and_users_stay_behind() -> None:
    assert config("serve-h100-2")["environment_variables"] == {
        "ALL_REDUCE_FUSION_KERNEL_ACC_FP32": "1",
        "TRTLLM_NO_USAGE_STATS": "1",
    }


def test_the_head_says_what_is_needed_and_how_to_push() -> None:
    text = rendered("truss", "serve-h100-2").files["config.yaml"]
    head = text.partition("\nmodel_name:")[0]
    for word in ("Baseten account", "API key", "hf_access_token", "pip install", "truss push"):
        assert word in head
    assert "`gptoss render serve-h100-2 --as truss`" in head


REFUSED = [
    (("agg-gb200",), "without Dynamo's frontend; take a target of trtllm-serve"),
    (("disagg-b200",), "without separate prefill and decode workers"),
    (("serve-latency-gb200",), "no accelerator NVIDIA GB200"),
    (("serve-h100-2", "--set", "workers.worker.replicas=2"), "its 2 replicas"),
    (
        ("serve-h100-2", "--set", "workers.worker.extraArgs={--trust_remote_code}"),
        "no place for --trust",
    ),
    (
        ("eval-tp8-b200", "-f", str(ROOT / "values" / "eval-high-effort-tp.yaml")),
        "max_num_tokens is 133120, and Truss takes 131072 at most",
    ),
]


@pytest.mark.parametrize(("words", "said"), REFUSED, ids=[said for _, said in REFUSED])
def test_what_truss_cannot_serve_is_refused_in_one_line(words: tuple[str, ...], said: str) -> None:
    assert said in refusal(*words)
