"""The images are those of this release, and the commands that build them fit their Dockerfiles."""

import re
import shlex
from pathlib import Path

import pytest

from gptoss.facts.world import Facts
from tests.chart.rendering import ROOT
from tests.shellcheck import passes_shellcheck

PAGE = (ROOT / "docs" / "building.md").read_text(encoding="utf-8")
SHELL = re.compile(r"```sh\n(.*?)```", re.DOTALL)
DOCKERFILES = sorted((ROOT / "images").glob("*/Dockerfile"))
ARGUMENT = re.compile(r"^ARG (\w+)=(.+)$", re.MULTILINE)


def arguments(dockerfile: Path) -> dict[str, str]:
    """Build arguments with their defaults."""
    return dict(ARGUMENT.findall(dockerfile.read_text(encoding="utf-8")))


def commands(text: str) -> list[list[str]]:
    joined = text.replace("\\\n", " ")
    return [shlex.split(line) for line in joined.splitlines() if line]


BUILDS = [
    words for block in SHELL.findall(PAGE) for words in commands(block) if "build" in words[:3]
]


def test_the_runtime_image_is_made_from_that_of_the_default_release() -> None:
    found = arguments(ROOT / "images" / "runtime" / "Dockerfile")
    release = Facts().default_release
    facts = (ROOT / "schema" / "releases.yaml").read_text(encoding="utf-8")
    assert f"image: {found['BASE']}\n" in facts
    assert found["RELEASE"] == release.version
    assert "serveImage: nvcr.io/nvidia/tensorrt-llm/release\n" in facts
    assert f"RELEASE={release.trtllm} " in PAGE


@pytest.mark.parametrize("dockerfile", DOCKERFILES, ids=lambda path: path.parent.name)
def test_an_image_runs_without_root(dockerfile: Path) -> None:
    users = re.findall(r"^USER (.+)$", dockerfile.read_text(encoding="utf-8"), re.MULTILINE)
    assert users[-1].partition(":")[0] == "1000"


def test_the_evaluations_are_pinned_in_the_version_that_the_page_and_the_chart_name() -> None:
    folder = ROOT / "images" / "evals"
    wanted = (folder / "requirements.in").read_text(encoding="utf-8")
    version = wanted.strip().removeprefix("gpt-oss[eval]==")
    pins = (folder / "requirements.txt").read_text(encoding="utf-8")
    assert f"gpt-oss=={version} \\\n    --hash=sha256:" in pins
    packages = re.findall(r"^[a-z][^ ]*==.*\n +(\S+)", pins, re.MULTILINE)
    assert len(packages) > 20
    assert all(first.startswith("--hash=sha256:") for first in packages)
    assert f"gpt-oss-evals:{version}" in PAGE
    assert f"gpt_oss {version} " in (ROOT / "charts/gpt-oss/defaults.yaml").read_text("utf-8")


@pytest.mark.parametrize("words", BUILDS, ids=" ".join)
def test_a_build_command_names_a_folder_of_images_and_arguments_that_its_dockerfile_has(
    words: list[str],
) -> None:
    folder = ROOT / words[-1]
    assert (folder / "Dockerfile") in DOCKERFILES
    given = [words[n + 1] for n, word in enumerate(words) if word == "--build-arg"]
    assert {argument.partition("=")[0] for argument in given} <= set(
        arguments(folder / "Dockerfile")
    )
    assert ("linux/amd64,linux/arm64" in words) == ("buildx" in words)


def test_the_shell_commands_of_the_page_pass_shellcheck() -> None:
    assert len(BUILDS) == 4
    passes_shellcheck(*SHELL.findall(PAGE))
