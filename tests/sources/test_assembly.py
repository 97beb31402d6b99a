"""Every source makes containers, and one function makes a deployment of them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from gptoss import sources
from gptoss.deployment.model import Deployment, Runtime
from gptoss.deployment.pods import Pod
from gptoss.facts.world import Facts
from gptoss.sources.parts.assembly import Origin, assemble
from gptoss.sources.parts.container import Container, Task, container_of, task_of
from gptoss.sources.parts.pod_spec import ReadPod
from gptoss.text.command import Command
from gptoss.text.places import Located, Place

COMMANDS = {
    Task.WORKER: "python3 -m dynamo.trtllm --model m",
    Task.SERVER: "trtllm-serve serve m",
    Task.FRONTEND: "python3 -m dynamo.frontend",
    Task.BENCHMARK: "aiperf profile --concurrency 8",
    Task.ACCURACY: "python3 -m gpt_oss.evals --eval gpqa",
    Task.DOWNLOAD: "hf download openai/gpt-oss-120b",
    None: "etcd --listen 2379",
}


def command(text: str) -> Command:
    return Command(tuple(Located(word, Place("run.sh", 3)) for word in text.split()))


def container(text: str, name: str = "it") -> Container:
    pod = Pod(Place("run.sh", 3), commands=(command(text),))
    return container_of(name, ReadPod(pod, None, ()))


def made(*texts: str) -> Deployment:
    origin = Origin(name="mine", place=Place("run.sh"), source="run.sh")
    return assemble([container(text) for text in texts], origin, Facts())


@pytest.mark.parametrize(("task", "text"), COMMANDS.items())
def test_a_container_is_known_by_its_command(task: Task | None, text: str) -> None:
    assert task_of([command(text)]) is task


def test_containers_of_every_task_make_one_deployment() -> None:
    deployment = made(*COMMANDS.values())
    assert [worker.name for worker in deployment.workers] == ["it"]
    assert deployment.runtime is Runtime.DYNAMO
    assert deployment.frontend
    assert deployment.benchmark
    assert deployment.accuracy
    assert len(deployment.downloads) == 1
    assert deployment.others == ()


def test_without_a_worker_the_server_serves() -> None:
    assert made(COMMANDS[Task.SERVER]).runtime is Runtime.SERVE


@pytest.mark.parametrize("name", ["Deployment", "Worker"])
def test_a_deployment_and_its_workers_are_built_in_one_place(name: str) -> None:
    folder = Path(sources.__file__).parent
    calls = [
        path.name
        for path in folder.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name
    ]
    assert calls == ["assembly.py"]
