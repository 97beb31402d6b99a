"""Promises of the reader of ``docker run`` lines: the container that they start."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gptoss.sources.containers.docker_run import DockerRun, docker_run
from gptoss.text.places import Place
from gptoss.text.shell.evaluation import read_script
from gptoss.text.yaml_tree import Tree

IMAGE = "nvcr.io/nvidia/tensorrt-llm/release:1.3.0rc14"


def container(line: str) -> DockerRun:
    found = optional(line)
    assert found is not None
    return found


def optional(line: str) -> DockerRun | None:
    (step,) = read_script(Tree(line, Place("run.sh", 0), None, 0), {}).steps
    return docker_run(step.command, step.environment)


def words(line: str) -> list[str]:
    return [word.value for word in container(line).words]


@pytest.mark.parametrize(
    "line",
    [
        f"docker run {IMAGE} serve --x",
        f"sudo docker run --rm -it {IMAGE} serve --x",
        f"docker container run -itd --init --gpus all {IMAGE} serve --x",
        f"podman run --name=a -e A=1 -eB=2 -p8000:8000 {IMAGE} serve --x",
        f"nerdctl run --privileged --shm-size 10g -- {IMAGE} serve --x",
        f"docker run --entrypoint serve {IMAGE} --x",
    ],
)
def test_image_and_command_are_found_behind_the_flags(line: str) -> None:
    found = container(line)
    assert found.image.value == IMAGE
    assert found.image.place == Place("run.sh", 1, line.index(IMAGE) + 1)
    assert words(line) == ["serve", "--x"]


@pytest.mark.parametrize(
    "line", ["docker ps", "docker", "docker run", "docker run --rm", "run a b"]
)
def test_what_starts_no_container_is_none(line: str) -> None:
    assert optional(line) is None


@pytest.mark.parametrize(
    ("flag", "count"),
    [
        ("--gpus all", None),
        ("", None),
        ("--gpus 2", 2),
        ("--gpus=count=3", 3),
        ("""--gpus '"device=0,2,5"'""", 3),
        ('--gpus "device=1"', 1),
        ("--gpus device=GPU-3a23c669", 1),
        ("""--gpus '"device=0,1","capabilities=utility"'""", 2),
    ],
)
def test_gpus_are_counted_where_they_are_named(flag: str, count: int | None) -> None:
    found = container(f"docker run {flag} {IMAGE}").gpus
    assert (found.value if found else None) == count


def test_environment_is_what_is_given_and_what_is_handed_on() -> None:
    line = f"C=5 docker run -e A=1 --env B= -e C -e D -e E=$UNKNOWN --env=F='x y' {IMAGE}"
    found = {name: v.value for name, v in container(line).environment.items()}
    assert found == {"A": "1", "B": "", "C": "5", "D": None, "E": None, "F": "x y"}


def test_volumes_are_mounts_with_their_folders_on_the_host() -> None:
    found = container(
        "docker run -v ~/.cache:/root/.cache:rw --volume models:/opt/models:ro -v /scratch "
        f"--mount type=bind,source=/e,target=/engine,readonly --mount type=tmpfs,dst=/t {IMAGE}"
    )
    assert [(m.path, m.claim, m.read_only) for m in found.mounts] == [
        ("/root/.cache", "~/.cache", False),
        ("/opt/models", "models", True),
        ("/scratch", None, False),
        ("/engine", "/e", True),
        ("/t", None, False),
    ]
    assert found.folders == {
        "/root/.cache": "~/.cache",
        "/opt/models": "models",
        "/engine": "/e",
    }


def test_rights_and_shared_memory_are_read_at_their_flags() -> None:
    line = (
        f"docker run --privileged --user 0:0 --cap-add SYS_PTRACE --shm-size=10G --name llm {IMAGE}"
    )
    found = container(line)
    assert found.privileged == Place("run.sh", 1, line.index("--privileged") + 1)
    assert found.root == Place("run.sh", 1, line.index("--user") + 1)
    assert [capability.value for capability in found.capabilities] == ["SYS_PTRACE"]
    assert found.shared_memory is not None
    assert found.shared_memory.value == "10Gi"
    assert found.name is not None
    assert found.name.value == "llm"
    plain = container(f"docker run --privileged=false -u 1000 {IMAGE}")
    assert (plain.privileged, plain.root) == (None, None)


@pytest.mark.parametrize(
    ("command", "opens"),
    [("", True), ("/bin/bash", True), ("bash -l", True), ("bash -c x", False), ("serve", False)],
)
def test_a_container_with_a_shell_waits_for_commands(command: str, opens: bool) -> None:
    assert container(f"docker run -it {IMAGE} {command}").opens_shell is opens


@given(
    st.lists(st.sampled_from(["docker", "run", "-e", "-v", "a:b", "--mount", "--gpus", "=", "-"]))
)
def test_no_line_makes_it_fail(pieces: list[str]) -> None:
    for step in read_script(Tree(" ".join(pieces), Place("x", 0), None, 0), {}).steps:
        docker_run(step.command, step.environment)
