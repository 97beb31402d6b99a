"""When two containers of one machine count as able to open each other's GPU memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import yaml

from gptoss.checking.checker import run
from gptoss.facts.world import Facts
from gptoss.sources.load import load
from gptoss.sources.request import Request
from gptoss.text import plain_yaml

if TYPE_CHECKING:
    from pathlib import Path

FACTS = Facts()
IMAGE = "nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:1.3.1"
WORKER = "python3 -m dynamo.trtllm --model openai/gpt-oss-120b --disaggregation-mode"
OWN = ("'\"device=0,1\"'", "'\"device=2,3\"'")
SHARED = "--pid container:pause --ipc container:pause"


def said(folder: Path, name: str, text: str) -> list[str]:
    (folder / name).write_text(text)
    (deployment,) = load(Request((str(folder / name),), gpu="b200")).deployments
    return [f.said for f in run(deployment, FACTS).findings if f.rule.id == "D014"]


def lines(prefill: str, decode: str) -> str:
    """A script that starts both in containers of their own."""
    return "".join(
        f"docker run -d {flags} {IMAGE} {WORKER} {role}\n"
        for role, flags in (("prefill", prefill), ("decode", decode))
    )


def both(flags: str) -> str:
    """The same script with every GPU in both containers."""
    return lines(
        f"--gpus all {flags} -e CUDA_VISIBLE_DEVICES=0,1",
        f"--gpus all {flags} -e CUDA_VISIBLE_DEVICES=2,3",
    )


def test_containers_of_their_own_are_told_what_they_lack(tmp_path: Path) -> None:
    script = lines(f"--gpus {OWN[0]}", f"--gpus {OWN[1]}")
    (message,) = said(tmp_path, "run.sh", script)
    assert message == (
        "decode and prefill have PID and IPC namespaces of their own and are not given each "
        "other's GPUs, so the KV cache goes over TCP"
    )


@pytest.mark.parametrize(
    ("flags", "lacks"),
    [
        ("", "PID and IPC namespaces"),
        ("--ipc host", "PID namespaces"),
        ("--ipc=host --shm-size 10g", "PID namespaces"),
        ("--pid host", "IPC namespaces"),
        ("--pid container:pause --ipc shareable", "IPC namespaces"),
    ],
)
def test_either_namespace_of_its_own_is_enough(flags: str, lacks: str, tmp_path: Path) -> None:
    (message,) = said(tmp_path, "run.sh", both(flags))
    assert message == (
        f"decode and prefill have {lacks} of their own, so the KV cache goes over TCP"
    )


@pytest.mark.parametrize("flags", ["--pid host --ipc host", SHARED])
def test_shared_namespaces_with_all_gpus_are_clean(flags: str, tmp_path: Path) -> None:
    assert said(tmp_path, "run.sh", both(flags)) == []


def test_shared_namespaces_without_the_others_gpus_are_not(tmp_path: Path) -> None:
    script = lines(f"--gpus {OWN[0]} {SHARED}", f"--gpus {OWN[1]} {SHARED}")
    assert said(tmp_path, "run.sh", script) == [
        "decode and prefill are not given each other's GPUs, so the KV cache goes over TCP"
    ]


@pytest.mark.parametrize("flags", ["--device /dev/infiniband", "-v /dev:/dev", "--privileged"])
def test_what_may_use_rdma_is_left_alone(flags: str, tmp_path: Path) -> None:
    script = lines(f"--gpus {OWN[0]} {flags}", f"--gpus {OWN[1]} {flags}")
    assert said(tmp_path, "run.sh", script) == []


def test_a_container_may_join_the_one_of_the_other_worker(tmp_path: Path) -> None:
    script = lines(
        "--name prefill --ipc shareable --gpus all -e CUDA_VISIBLE_DEVICES=0,1",
        "--pid container:prefill --ipc container:prefill --gpus all -e CUDA_VISIBLE_DEVICES=2,3",
    )
    assert said(tmp_path, "run.sh", script) == []


def test_two_workers_in_one_container_share_everything(tmp_path: Path) -> None:
    script = f"docker run -it --gpus all {IMAGE} bash\n"
    for role, gpus in (("prefill", "0,1"), ("decode", "2,3")):
        script += f"CUDA_VISIBLE_DEVICES={gpus} {WORKER} {role} &\n"
    assert said(tmp_path, "run.sh", script) == []
    (tmp_path / "one.sh").write_text("")
    words = " & ".join(f"{WORKER} {role}" for role in ("prefill", "decode"))
    assert said(tmp_path, "one.sh", f'docker run --gpus all {IMAGE} bash -c "{words}"\n') == []


def test_processes_of_the_machine_itself_are_in_one_namespace(tmp_path: Path) -> None:
    assert said(tmp_path, "run.sh", f"{WORKER} prefill &\n{WORKER} decode &\n") == []


def services(prefill: dict[str, str], decode: dict[str, str], gpus: object = "all") -> str:
    """A compose file with these fields of the two workers."""
    found: dict[str, object] = {"pause": {"image": "busybox", "container_name": "keeper"}}
    for role, fields, chosen in (("prefill", prefill, "0,1"), ("decode", decode, "2,3")):
        found[role] = {
            "image": IMAGE,
            "command": f"{WORKER} {role}",
            "gpus": gpus,
            "environment": {"CUDA_VISIBLE_DEVICES": chosen},
            **fields,
        }
    return yaml.safe_dump({"services": found})


def joined(owner: str) -> dict[str, str]:
    return {"pid": owner, "ipc": owner}


@pytest.mark.parametrize(
    ("prefill", "decode"),
    [
        (joined("host"), joined("host")),
        (joined("service:pause"), joined("service:pause")),
        (joined("service:pause"), joined("container:keeper")),
        (joined("container:another"), joined("container:another")),
        ({"ipc": "shareable"}, joined("service:prefill")),
    ],
)
def test_services_of_one_namespace_are_clean(
    prefill: dict[str, str], decode: dict[str, str], tmp_path: Path
) -> None:
    assert said(tmp_path, "compose.yaml", services(prefill, decode)) == []


def test_services_with_the_first_gpus_of_the_machine_each_are_not_told_of_gpus(
    tmp_path: Path,
) -> None:
    shared = joined("service:pause")
    counted = [{"count": 4, "capabilities": ["gpu"]}]
    assert said(tmp_path, "compose.yaml", services(shared, shared, counted)) == []


def test_workers_that_no_machine_holds_together_are_left_alone(tmp_path: Path) -> None:
    wide = {"environment": {"CUDA_VISIBLE_DEVICES": ",".join(map(str, range(8)))}}
    text = plain_yaml.load(services({}, {}))
    text["services"]["decode"] |= wide
    assert said(tmp_path, "compose.yaml", yaml.safe_dump(text)) == []


def test_the_guides_ipc_of_the_host_is_told_of_a_narrower_one(tmp_path: Path) -> None:
    (tmp_path / "compose.yaml").write_text(services(joined("host"), joined("host")))
    (deployment,) = load(Request((str(tmp_path),), gpu="b200")).deployments
    (hint,) = {f.hint for f in run(deployment, FACTS).findings if f.rule.id == "X010"}
    assert hint.endswith("or share those of one container, as in pid: service:NAME")
