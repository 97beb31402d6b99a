"""``--fix`` changes what is given, files and folders, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from gptoss.cli import main
from gptoss.facts import folders

ENGINE = "kv_cache_config:\n  tokens_per_blocks: 32\n"
SERVE = "trtllm-serve openai/gpt-oss-120b --tp_size 8 --port 8000 --extra_llm_api_options"


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    (tmp_path / "outside.yaml").write_text(ENGINE)
    monkeypatch.chdir(checkout)
    return checkout


def fixed(*sources: str) -> str:
    arguments = ["check", *sources, "--release", "1.2.1", "--gpu", "b200", "--fix"]
    return CliRunner().invoke(main, arguments).stderr


@pytest.mark.parametrize("given", [("serve.sh", "engine.yaml"), (".",), ("ABSOLUTE",)])
def test_the_engine_file_of_a_script_is_fixed_where_it_is_given(
    given: tuple[str, ...], checkout: Path
) -> None:
    (checkout / "engine.yaml").write_text(ENGINE)
    Path("serve.sh").write_text(f"{SERVE} engine.yaml\n")
    fixed(*(each.replace("ABSOLUTE", str(checkout)) for each in given))
    assert (checkout / "engine.yaml").read_text() != ENGINE


def test_an_engine_file_that_a_script_names_is_not_changed_and_that_is_said(
    checkout: Path,
) -> None:
    (checkout / "deploy").mkdir()
    (checkout / "engine.yaml").write_text(ENGINE)
    Path("serve.sh").write_text(f"{SERVE} engine.yaml\n")
    Path("deploy/serve.sh").write_text(f"{SERVE} ../engine.yaml\n")
    for source in ("serve.sh", "deploy"):
        told = fixed(source)
        assert "engine.yaml was not given)" in told
        assert (checkout / "engine.yaml").read_text() == ENGINE


def test_upgrade_changes_only_what_is_given(checkout: Path) -> None:
    engine = "cuda_graph_config:\n  max_batch_size: 64\nmax_batch_size: 64\n"
    (checkout / "engine.yaml").write_text(engine + ENGINE)
    Path("serve.sh").write_text(f"{SERVE} engine.yaml\n")
    arguments = ["upgrade", "serve.sh", "--release", "1.2.1", "--to", "1.6.1", "--write"]
    CliRunner().invoke(main, arguments)
    assert (checkout / "engine.yaml").read_text() == engine + ENGINE


@pytest.mark.parametrize("named", ["../outside.yaml", "ABSOLUTE", "link.yaml"])
def test_an_engine_file_outside_is_not_changed(named: str, checkout: Path) -> None:
    outside = checkout.parent / "outside.yaml"
    Path("link.yaml").symlink_to(outside)
    Path("serve.sh").write_text(f"{SERVE} {named.replace('ABSOLUTE', str(outside))}\n")
    fixed("serve.sh")
    assert outside.read_text() == ENGINE


@pytest.mark.parametrize("given", ["link.yaml", "up/outside.yaml"])
def test_what_a_given_link_leads_to_is_not_changed(given: str, checkout: Path) -> None:
    outside = checkout.parent / "outside.yaml"
    Path("link.yaml").symlink_to(outside)
    Path("up").symlink_to("..")
    assert "a link leads to it from elsewhere" in fixed(given)
    assert outside.read_text() == ENGINE
    fixed(str(outside))
    assert outside.read_text() != ENGINE


def test_a_target_s_engine_file_is_not_changed_from_elsewhere(checkout: Path) -> None:
    mine = checkout / "mine.yaml"
    mine.write_text("target: disagg-b200\nworkers: {decode: {engine: {max_batch_size: 2000}}}\n")
    engine = folders.chart() / "engine_configs" / "disagg-b200" / "decode.yaml"
    before = engine.read_text()
    told = CliRunner().invoke(main, ["check", str(mine), "--fix"]).stderr
    assert "it stands in the chart's own files" in told
    assert engine.read_text() == before
