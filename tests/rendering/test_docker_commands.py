"""The docker commands in the head of a launch script: the cycle, in order, without an edit."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from typing import TYPE_CHECKING

import pytest

from gptoss.facts import programs
from gptoss.rendering.writing import write
from tests.rendering.forms import DYNAMO, EVALUATION, SERVE, SPREAD, TARGETS, rendered, target

if TYPE_CHECKING:
    from pathlib import Path

EVERY = pytest.mark.parametrize("name", TARGETS)
AIPERF = programs.releases(programs.AIPERF)[-1]
# In place of docker: says what it is given, word for word.
DOCKER = '#!/usr/bin/env bash\nprintf "%s\\n" "$@"\n'


def head(name: str) -> str:
    """The head of a launch script, a command a line."""
    text = rendered("shell", name, *EVALUATION).files["launch.sh"]
    return re.sub(r"\\\n# +", "", text.partition("\nset -euo")[0])


def commands(name: str) -> list[str]:
    return re.findall(r"(?m)^# {3}(docker .+)$", head(name))


def run(words: list[str]) -> tuple[str, list[str]]:
    """Image and command of ``docker run``."""
    at = words.index("./launch.sh")
    return words[at - 1], words[at:]


@EVERY
def test_the_parts_come_in_the_order_of_the_cycle(name: str) -> None:
    parts = [words[words.index("./launch.sh") + 1 :] for words in map(shlex.split, commands(name))
             if "./launch.sh" in words]  # fmt: skip
    serving = [["machine-1"], ["machine-2"]] if name in SPREAD else [[]]
    assert parts == [["download"], *serving, ["smoke"], ["bench"], ["accuracy"]]


@EVERY
def test_each_runs_in_an_image_that_has_its_program(name: str) -> None:
    found = [shlex.split(line) for line in commands(name)]
    images = {tuple(run(words)[1][1:]): run(words)[0] for words in found
              if words[1] == "run" and "./launch.sh" in words}  # fmt: skip
    deployment = target(name)
    worker = deployment.workers[0].pod.image
    assert worker
    assert images["download",] == worker.value
    assert images["accuracy",] == "gpt-oss-evals:0.0.9"
    benchmark = deployment.benchmark
    assert benchmark
    assert benchmark.pod.image
    if name in SERVE:
        # TensorRT-LLM's own image has no aiperf.
        assert images["bench",] == benchmark.pod.image.value != worker.value
        assert f"aiperf/bin/pip install aiperf=={AIPERF}\n" in head(name)
    else:
        assert ("bench",) not in images
        assert any(words[1] == "exec" and words[-1] == "bench" for words in found)


@EVERY
def test_the_token_is_handed_over_by_name_and_to_the_download_alone(name: str) -> None:
    with_token = [shlex.split(line) for line in commands(name) if "HF_TOKEN" in line]
    (words,) = with_token
    assert words[words.index("HF_TOKEN") - 1] == "-e"
    assert words[-1] == "download"


@pytest.mark.parametrize("name", [DYNAMO[0], SERVE[0]])
@pytest.mark.parametrize(
    ("given", "mounts", "told"),
    [
        ({}, ["gpt-oss-models:/opt/models", "gpt-oss-models:/model"], "MODEL_DIR="),
        (
            {"MODELS": "/data/a b", "MODEL_DIR": "/data/gpt oss"},
            ["/data/a b:/opt/models", "/data/gpt oss:/model"],
            "MODEL_DIR=/model",
        ),
    ],
)
def test_a_shell_makes_of_the_download_what_the_variables_say(
    name: str, given: dict[str, str], mounts: list[str], told: str, tmp_path: Path
) -> None:
    docker = tmp_path / "docker"
    docker.write_text(DOCKER)
    docker.chmod(0o755)
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "HF_TOKEN": "secret", **given}
    line = next(line for line in commands(name) if line.endswith("download"))
    said = subprocess.check_output(["sh", "-c", line], cwd=tmp_path, env=environment, text=True)
    words = said.splitlines()
    assert [words[n + 1] for n, word in enumerate(words) if word == "-v"] == [
        *mounts,
        f"{tmp_path}:/launch",
    ]
    assert told in words
    assert "secret" not in said


def program(folder: Path, name: str) -> str:
    """A PATH with a program that does nothing."""
    path = folder / "bin" / name
    path.parent.mkdir()
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return f"{path.parent}:{os.environ['PATH']}"


def launched(folder: Path, *words: str, **given: str) -> tuple[int, str]:
    found = subprocess.run(
        ["bash", str(folder / "launch.sh"), *words],
        env={"HF_HOME": str(folder), **given},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return found.returncode, found.stderr


@pytest.fixture
def server(tmp_path: Path) -> Path:
    """A folder with the script of a server."""
    write(rendered("shell", "serve-h100-2"), tmp_path)
    return tmp_path


def test_without_aiperf_the_benchmark_says_what_to_type_and_which_image_has_it(
    server: Path,
) -> None:
    code, said = launched(server, "bench", PATH="/usr/bin:/bin")
    assert code == 127
    assert f"there is no aiperf here; type: pip install aiperf=={AIPERF}, or run this " in said
    assert "ai-dynamo/tensorrtllm-runtime:" in said


def test_outside_of_the_container_the_benchmark_fetches_its_tokenizer_when_told(
    server: Path,
) -> None:
    path = program(server, "aiperf")
    code, said = launched(server, "bench", PATH=path)
    assert code == 1
    assert "type: HF_HOME=~/.cache/huggingface HF_HUB_OFFLINE=0 " in said
    stand_in = "import os, sys; sys.exit(f\"offline {os.environ['HF_HUB_OFFLINE']}\")"
    (server / "scripts" / "benchmark.py").write_text(stand_in)
    assert launched(server, "bench", PATH=path, HF_HUB_OFFLINE="0") == (1, "offline 0\n")


def test_links_into_a_folder_that_is_not_mounted_are_told(server: Path) -> None:
    found = re.search(r'\[\[ -d "\$HF_HOME/(.+)" \]\]', (server / "launch.sh").read_text())
    assert found
    (server / found[1]).mkdir(parents=True)
    (server / found[1] / "config.json").symlink_to("/nowhere/config.json")
    code, said = launched(server, PATH=program(server, "trtllm-serve"))
    assert code == 1
    assert "links into a folder that is not here; give MODEL_DIR again" in said
