"""The name that a target is rendered as."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from gptoss.cli import main
from gptoss.facts import folders
from tests.chart.rendering import run as helm

if TYPE_CHECKING:
    from pathlib import Path

AS_FOUND = str(folders.root() / "examples" / "as-found")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments), catch_exceptions=False)


def test_show_reads_a_target_under_the_name_it_is_given() -> None:
    shown = json.loads(run("show", "agg-gb200", "--name", "mine", "--format", "json").stdout)
    assert shown["name"] == "mine"


def test_bench_asks_the_frontend_of_the_name_it_is_given() -> None:
    assert "--url http://mine-frontend:8000" in run("bench", "agg-gb200", "--name", "mine").stdout


def test_render_writes_the_name_into_the_objects_and_into_the_command() -> None:
    text = run("render", "agg-gb200", "--as", "manifests", "--name", "mine").stdout
    assert 'name: "mine-model-cache"' in text
    assert "--name mine" in text


def test_diff_gives_its_targets_the_name() -> None:
    done = run("diff", "agg-gb200", AS_FOUND, "--name", "split", "--format", "json")
    assert done.exit_code == 1


def test_a_target_is_compared_with_what_is_installed_under_another_name(tmp_path: Path) -> None:
    installed = tmp_path / "installed.yaml"
    values = str(folders.root() / "values" / "agg-gb200.yaml")
    chart = str(folders.root() / "charts" / "gpt-oss")
    installed.write_text(helm("helm4", "template", "split", chart, "-f", values).stdout)
    alone = run("check", "agg-gb200", "--against", str(installed))
    assert alone.exit_code == 2
    assert "--name split" in alone.stderr
    named = run("check", "agg-gb200", "--against", str(installed), "--name", "split")
    assert named.exit_code == 0, named.output


def test_a_target_installed_is_read_under_the_same_name() -> None:
    done = run("check", "agg-gb200", "--against", "agg-gb200", "--name", "split")
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize("name", ["Mine", "--post-renderer=/bin/sh", "a" * 54, "a_b", ""])
def test_what_helm_takes_for_no_name_is_refused(name: str) -> None:
    done = run("check", "agg-gb200", f"--name={name}")
    assert done.exit_code == 2
    assert "a Helm release is named in" in done.stderr


def test_manifests_have_their_names() -> None:
    done = run("check", AS_FOUND, "--name", "mine")
    assert done.exit_code == 2
    assert "--name is for targets" in done.stderr
