"""No file outside its bounds is opened because a script, a compose file or a folder names it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from gptoss.cli import main
from gptoss.sources.load import load
from gptoss.sources.request import Request

PRIVATE = "max_batch_size: 777123\ntoken: s3cr3t-777123\n"
SERVE = "trtllm-serve openai/gpt-oss-120b --tp_size 8 --port 8000 --extra_llm_api_options"
COMPOSE = """\
services:
  server:
    image: nvcr.io/nvidia/tensorrt-llm/release:1.3.0rc14
    entrypoint: [trtllm-serve, serve, openai/gpt-oss-120b]
    command: [--tp_size, "8", --extra_llm_api_options, /etc/engine.yaml{more}]
"""


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository that is the current folder, beside a file and a home that nobody may read."""
    (tmp_path / "outside.yaml").write_text(PRIVATE)
    (tmp_path / ".docker").mkdir()
    (tmp_path / ".docker" / "config.yaml").write_text(PRIVATE)
    checkout = tmp_path / "checkout"
    (checkout / ".git").mkdir(parents=True)
    (checkout / ".git" / "config").write_text(PRIVATE)
    monkeypatch.chdir(checkout)
    monkeypatch.setenv("HOME", str(tmp_path))
    return checkout


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def everything(source: str) -> str:
    """All that any command and form prints about a source."""
    forms = [
        ("check", source, "--release", "1.2.1", "--explain", "--format", form)
        for form in ("text", "json", "sarif", "junit", "github", "gitlab")
    ]
    others = [("show", source), ("show", source, "--format", "json"), ("bench", source)]
    fixes = [("check", source, "--fix", "--diff"), ("import", source, "--gpu", "b200")]
    results = [run(*arguments) for arguments in (*forms, *others, *fixes)]
    return "".join(result.stdout + result.stderr for result in results)


def findings(source: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(run("check", source, "--format", "json").stdout)[
        "findings"
    ]
    return found


def left_out(source: str) -> list[str]:
    return [found["message"] for found in findings(source) if found["rule"] == "L023"]


def engine_links() -> list[str]:
    Path("link.yaml").symlink_to("../outside.yaml")
    Path("up").symlink_to("..")
    return ["link.yaml", "up/outside.yaml"]


@pytest.mark.parametrize(
    "named",
    ["ABSOLUTE", "../outside.yaml", "link.yaml", "up/outside.yaml"],
)
def test_a_script_cannot_have_a_file_outside_printed(named: str, checkout: Path) -> None:
    engine_links()
    named = named.replace("ABSOLUTE", str(checkout.parent / "outside.yaml"))
    Path("serve.sh").write_text(f'{SERVE} "{named}"\n')
    assert "777123" not in everything("serve.sh")
    (said,) = left_out("serve.sh")
    assert said.endswith(f"outside {checkout}: it is not read without --allow-read")
    (server,) = load(Request(("serve.sh",))).deployments[0].workers
    assert not server.engine_known


def test_a_script_cannot_have_the_credentials_of_the_checkout_printed(checkout: Path) -> None:
    Path("serve.sh").write_text(f"{SERVE} .git/config\n")
    assert "777123" not in everything("serve.sh")
    assert left_out("serve.sh") == [".git/config is hidden: it is not read without --allow-read"]
    assert (checkout / ".git" / "config").read_text() == PRIVATE


def test_a_file_that_two_workers_name_is_said_once(checkout: Path) -> None:
    worker = f"python3 -m dynamo.trtllm --extra-engine-args {checkout.parent}/outside.yaml"
    Path("serve.sh").write_text(
        f"{worker} --disaggregation-mode prefill &\n{worker} --disaggregation-mode decode\n"
    )
    assert len(left_out("serve.sh")) == 1


@pytest.mark.parametrize(
    "volume", ["~/.docker/config.yaml", "../outside.yaml", "./link.yaml", "./up/outside.yaml"]
)
def test_a_compose_file_cannot_have_a_file_outside_printed(volume: str, checkout: Path) -> None:
    engine_links()
    volumes = f'    volumes: ["{volume}:/etc/engine.yaml:ro"]\n'
    Path("compose.yaml").write_text(COMPOSE.format(more="") + volumes)
    assert "777123" not in everything("compose.yaml")
    assert len(left_out("compose.yaml")) == 1
    configs = (
        "    configs: [{source: engine, target: /etc/engine.yaml}]\n"
        f"configs:\n  engine: {{file: {volume.replace('~', str(checkout.parent))}}}\n"
    )
    Path("compose.yaml").write_text(COMPOSE.format(more="") + configs)
    assert "777123" not in everything("compose.yaml")
    assert len(left_out("compose.yaml")) == 1


def test_a_compose_file_does_not_take_variables_from_outside(checkout: Path) -> None:
    (checkout.parent / "credentials").write_text("aws_secret_access_key = 777123\n")
    Path(".env").symlink_to("../credentials")
    more = ', --max_batch_size, "${aws_secret_access_key}"'
    Path("compose.yaml").write_text(COMPOSE.format(more=more))
    assert "777123" not in everything("compose.yaml")
    (said,) = left_out("compose.yaml")
    assert said.startswith(".env is a link that leads out of")
    Path(".env").unlink()
    Path(".env").write_text("aws_secret_access_key = 777123\n")
    assert "777123" in everything("compose.yaml")


def test_links_of_a_folder_that_lead_out_are_left_out_and_said(checkout: Path) -> None:
    manifests = run("render", "agg-gb200", "--as", "manifests").stdout
    folder = Path("deploy")
    folder.mkdir()
    (folder / "manifests.yaml").write_text(manifests)
    (folder / "a.yaml").symlink_to("../../outside.yaml")
    assert "777123" not in everything("deploy")
    (said,) = left_out("deploy")
    assert said.startswith(
        f"deploy/a.yaml is a link that leads out of {checkout}: it is not followed"
    )
    (folder / "manifests.yaml").unlink()
    result = run("check", "deploy")
    assert (result.exit_code, said in result.stderr) == (2, True)


@pytest.mark.parametrize("name", ["deploy.yaml", "deploy"])
def test_what_is_given_is_not_followed_out_of_the_repository(name: str, checkout: Path) -> None:
    Path(name).symlink_to("../outside.yaml" if "." in name else "..")
    printed = everything(name)
    assert "777123" not in printed
    assert f"{name} is a link that leads out of {checkout}: it is not followed" in printed
    if "." in name:
        result = run("check", "agg-gb200", "-f", name)
        assert (result.exit_code, "777123" in result.output) == (2, False)
    found = run("check", str(checkout.parent / "outside.yaml"), "--gpu", "b200")
    assert "max_batch_size" in found.stdout or found.exit_code in (0, 1)


@pytest.mark.usefixtures("checkout")
def test_the_configuration_is_not_followed_out_of_the_repository() -> None:
    Path(".gptoss.yaml").symlink_to("../outside.yaml")
    result = run("check", "agg-gb200")
    assert result.exit_code == 2
    assert ".gptoss.yaml is a link that leads out of" in result.stderr
    assert "777123" not in result.output


@pytest.mark.parametrize("named", ["ABSOLUTE", "../../../../../../../../../../../../ABSOLUTE"])
def test_the_chart_takes_no_engine_file_from_outside(named: str, checkout: Path) -> None:
    named = named.replace("ABSOLUTE", str(checkout.parent / "outside.yaml"))
    values = Path("values.yaml")
    values.write_text("workers:\n  worker:\n    engineConfig: " + json.dumps(named) + "\n")
    assert "777123" not in everything("values.yaml")


def test_no_pipe_is_waited_for(checkout: Path) -> None:
    os.mkfifo("engine.yaml")
    Path("serve.sh").write_text(f"{SERVE} engine.yaml\n")
    assert run("check", "serve.sh").exit_code in (0, 1)
    assert left_out("serve.sh") == []
    (checkout / "deploy").mkdir()
    os.mkfifo("deploy/a.yaml")
    assert run("check", "deploy").exit_code == 2


def test_a_file_of_the_repository_is_read_from_a_folder_beside_it(checkout: Path) -> None:
    (checkout / "scripts").mkdir()
    (checkout / "engine").mkdir()
    (checkout / "engine" / "server.yaml").write_text("max_batch_size: 96\n")
    Path("scripts/serve.sh").write_text(f'{SERVE} "$(dirname "$0")/../engine/server.yaml"\n')
    assert left_out("scripts/serve.sh") == []
    assert "96" in run("show", "scripts/serve.sh").stdout
