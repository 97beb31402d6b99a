"""gptoss import, as people use it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from gptoss.cli import Commands
from gptoss.cli.transfer import diff, import_
from gptoss.text import plain_yaml
from tests.comparing.test_compare import container, objects, text
from tests.importing.test_convert import SERVE
from tests.sources.truss_examples import TRUSS

if TYPE_CHECKING:
    from pathlib import Path


def run(*arguments: str, stdin: str | None = None) -> Result:
    group = Commands(commands=[import_, diff])
    return CliRunner().invoke(group, list(arguments), input=stdin, catch_exceptions=False)


@pytest.fixture
def manifest(tmp_path: Path) -> str:
    """A deployment with its benchmark in one file."""
    path = tmp_path / "deploy.yaml"
    path.write_text(text(objects()))
    return str(path)


def test_values_go_to_standard_output_and_the_report_to_standard_error(manifest: str) -> None:
    result = run("import", manifest)
    assert result.exit_code == 0
    assert plain_yaml.load(result.stdout)["hardware"]["gpu"] == "gb200"
    assert "settings" in result.stderr


def test_values_go_to_a_file_that_can_be_compared(manifest: str, tmp_path: Path) -> None:
    target = tmp_path / "mine.yaml"
    result = run("import", manifest, "--output", str(target))
    assert result.stdout == ""
    compared = run("diff", manifest, str(target))
    assert compared.exit_code == 1
    assert "max_batch_size" not in compared.stdout


def test_manifests_from_standard_input_are_imported() -> None:
    assert run("import", "-", stdin=text(objects())).exit_code == 0


def test_the_report_as_json_has_values_notes_and_findings(manifest: str) -> None:
    report = json.loads(run("import", manifest, "--format", "json").stdout)
    assert plain_yaml.load(report["values"])["workers"].keys() == {"prefill", "decode"}
    assert {note["kind"] for note in report["notes"]} <= {"mended", "left out", "chosen"}
    assert all(note["place"] is None or note["place"]["line"] for note in report["notes"])
    assert isinstance(report["findings"], list)


def test_findings_of_the_result_stand_at_its_own_lines(tmp_path: Path) -> None:
    parts = objects()
    parts["engines"]["decode"]["num_postprocess_workers"] = 4
    source, target = tmp_path / "deploy.yaml", tmp_path / "mine.yaml"
    source.write_text(text(parts))
    report = json.loads(
        run("import", str(source), "--output", str(target), "--format", "json").stdout
    )
    (found,) = [f for f in report["findings"] if "num_postprocess_workers" in f["message"]]
    assert found["place"]["file"] == str(target)
    line = target.read_text().splitlines()[found["place"]["line"] - 1]
    assert "num_postprocess_workers: 4" in line


def test_what_the_chart_mends_is_told(tmp_path: Path) -> None:
    parts = objects()
    parts["graph"]["spec"]["services"]["decode"]["componentType"] = "main"
    source = tmp_path / "deploy.yaml"
    source.write_text(text(parts))
    result = run("import", str(source))
    assert result.exit_code == 0
    assert "[G001]" in result.stderr.partition("what check says")[0]


def test_the_name_of_the_helm_release_can_be_given(manifest: str) -> None:
    assert "helm install mine " in run("import", manifest, "--name", "mine").stdout


def test_values_that_have_errors_are_written_and_end_with_1(tmp_path: Path) -> None:
    parts = objects()
    parts["engines"]["decode"]["max_seq_len"] = 16
    source, target = tmp_path / "deploy.yaml", tmp_path / "mine.yaml"
    source.write_text(text(parts))
    result = run("import", str(source), "--output", str(target))
    assert result.exit_code == 1
    assert target.is_file()
    assert "error:" in result.stderr


def test_values_that_helm_refuses_are_told_with_the_reason(tmp_path: Path) -> None:
    parts = objects()
    parts["engines"]["decode"]["moe_expert_parallel_size"] = 3
    source = tmp_path / "deploy.yaml"
    source.write_text(text(parts))
    result = run("import", str(source))
    assert result.exit_code == 1
    assert "refused by Helm" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("disagg-gb200",), "for the chart already"),
        (("nowhere.yaml",), "neither a target nor a file"),
    ],
)
def test_what_cannot_be_imported_ends_with_2(arguments: tuple[str, ...], said: str) -> None:
    result = run("import", *arguments)
    assert result.exit_code == 2
    assert said in result.stderr


def test_an_unknown_kind_of_gpu_writes_nothing(tmp_path: Path) -> None:
    source, target = tmp_path / "serve.sh", tmp_path / "mine.yaml"
    source.write_text(SERVE)
    result = run("import", str(source), "--output", str(target))
    assert result.exit_code == 2
    assert "give --gpu" in result.stderr
    assert str(source) in result.stderr
    assert not target.exists()


def test_a_truss_is_imported_with_its_platforms_keys_explained(tmp_path: Path) -> None:
    source = tmp_path / "config.yaml"
    source.write_text(TRUSS)
    result = run("import", str(source))
    assert result.exit_code == 0
    values = plain_yaml.load(result.stdout)
    assert values["runtime"]["kind"] == "trtllm-serve"
    assert values["hardware"] == {"gpu": "h100"}
    assert values["workers"]["worker"]["engine"]["max_seq_len"] == 131072
    explained = " ".join(result.stderr.split())
    assert "chat_processor" in explained
    assert "here: nothing: trtllm-serve does so" in explained


def test_no_secret_is_printed(tmp_path: Path) -> None:
    parts = objects()
    secret = "hf_" + "x" * 30
    container(parts, "decode")["env"] += [{"name": "HF_TOKEN", "value": secret}]
    source = tmp_path / "deploy.yaml"
    source.write_text(text(parts))
    result = run("import", str(source))
    assert secret not in result.stdout + result.stderr


def test_a_name_that_the_chart_would_refuse_is_left_out_and_told(tmp_path: Path) -> None:
    script = tmp_path / "serve.sh"
    script.write_text(
        "trtllm-serve openai/gpt-oss-120b --served_model_name 'a $(b)' --tp_size 4 --port 8000\n"
    )
    nim = tmp_path / "nim.yaml"
    nim.write_text(
        "image: {repository: nvcr.io/nim/openai/gpt-oss-120b, tag: 1.0.0}\n"
        "model: {name: openai/gpt-oss-120b, ngcAPISecret: ngc}\n"
        "persistence: {enabled: true, existingClaim: 'Bad $'}\n"
        "resources: {limits: {nvidia.com/gpu: 4}}\n"
    )
    given = {script: "model.servedName 'a $(b)'", nim: "modelCache.existingClaim 'Bad $'"}
    for source, told in given.items():
        result = run("import", str(source), "--gpu", "b200")
        assert f"{told}: the chart takes no such text" in " ".join(result.stderr.split())
        assert "refused by Helm" not in result.stderr
        assert result.exit_code == 0
