"""Promises of ``gptoss render TARGET --as shell``."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from functools import cache
from typing import TYPE_CHECKING

import pytest

from gptoss.checking.checker import run
from gptoss.comparing.compare import compare
from gptoss.deployment.model import Runtime
from gptoss.facts import folders
from gptoss.facts.world import Facts
from gptoss.rendering.shell import render_shell
from gptoss.rendering.target import read_target
from gptoss.rules.rule import Severity
from gptoss.sources.containers.script import build_script
from gptoss.sources.containers.script_group import GivenScript
from gptoss.sources.request import Request
from gptoss.text.errors import InputError
from tests.chart import hostile
from tests.oracles.client import DYNAMO_RELEASES
from tests.shellcheck import SHELLCHECK

if TYPE_CHECKING:
    from pathlib import Path

    from gptoss.deployment.model import Deployment
    from gptoss.rendering import Rendered
    from gptoss.rendering.target import Target
    from tests.oracles.client import Oracle

FACTS = Facts()
TARGETS = list(folders.target_files())
DYNAMO = [name for name in TARGETS if not name.startswith(("serve-", "eval-"))]
EACH = pytest.mark.parametrize("target", TARGETS)
TEXTS = [text for text in hostile.TEXTS if text != hostile.DOUBLED]
# Long enough for the slowest machine; nothing waits that long when the promise holds.
PATIENCE = 60


@cache
def read(target: str, release: str | None = None, *settings: str) -> Target:
    return read_target(Request((target,), settings=settings, release=release))


@cache
def rendered(target: str, release: str | None = None, *settings: str) -> Rendered:
    return render_shell(read(target, release, *settings))


@cache
def part(target: str, name: str) -> str:
    (text,) = render_shell(read(target), name).files.values()
    return text


@cache
def parts(target: str) -> list[str]:
    listed = re.search(r"one of (.+)", rendered(target).files["launch.sh"])
    assert listed
    return listed[1].split(", ")


def written(files: dict[str, str], folder: Path) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder / "launch.sh"


def read_back(folder: Path, target: str, release: str | None = None, *settings: str) -> Deployment:
    script = written(dict(rendered(target, release, *settings).files), folder)
    return build_script([GivenScript(script.read_text(encoding="utf-8"), str(script))], FACTS)


@EACH
def test_every_script_is_clean_to_bash_and_shellcheck(target: str, tmp_path: Path) -> None:
    texts = {"launch.sh": rendered(target).files["launch.sh"]}
    texts |= {f"{name}.sh": part(target, name) for name in parts(target)}
    paths = [tmp_path / name for name in texts]
    for path in paths:
        path.write_text(texts[path.name], encoding="utf-8")
        subprocess.run(["bash", "-n", path], check=True)
    done = subprocess.run([SHELLCHECK, *paths], capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("", 0)


@EACH
def test_the_script_is_the_same_deployment(target: str, tmp_path: Path) -> None:
    found = compare(read(target).deployment, read_back(tmp_path, target))
    # A server's pod listens everywhere, a script on this machine.
    assert [each for each in found if each.setting != "--host"] == []


@pytest.mark.parametrize("release", FACTS.releases)
def test_the_script_is_the_same_deployment_on_every_release(release: str, tmp_path: Path) -> None:
    expected = read("disagg-b200-node", release).deployment
    assert compare(expected, read_back(tmp_path, "disagg-b200-node", release)) == []


@EACH
def test_the_script_passes_the_check(target: str, tmp_path: Path) -> None:
    found = run(read_back(tmp_path, target), FACTS).findings
    assert [f"{f.rule.id} {f.message}" for f in found if f.rule.severity > Severity.INFO] == []


@pytest.mark.parametrize("release", DYNAMO_RELEASES)
@pytest.mark.parametrize("target", DYNAMO)
def test_real_parsers_take_the_flags(
    target: str, release: str, dynamo_oracles: dict[str, Oracle], tmp_path: Path
) -> None:
    deployment = read_back(tmp_path, target, release)
    assert deployment.frontend is not None
    assert deployment.frontend.command is not None
    asked = [("frontend", deployment.frontend.command, deployment.frontend.pod)]
    asked += [("worker", worker.command, worker.pod) for worker in deployment.workers]
    for program, command, pod in asked:
        words = [word.value for word in command.words]
        env = {name: v.value for name, v in pod.environment.items() if v.value is not None}
        verdict = dynamo_oracles[release].ask(program, words[words.index("-m") + 2 :], env)  # type: ignore[arg-type]
        assert verdict.ok, verdict.error


@EACH
def test_aiperf_takes_the_benchmark_s_flags(
    target: str, aiperf_oracle: Oracle, tmp_path: Path
) -> None:
    benchmark = read_back(tmp_path, target).benchmark
    assert benchmark is not None
    assert benchmark.steps
    for step in benchmark.steps:
        verdict = aiperf_oracle.ask("aiperf", [word.value for word in step.command.words[2:]])
        assert verdict.ok, verdict.error


@EACH
def test_no_gpu_is_given_to_two_workers_of_a_machine(target: str) -> None:
    text = rendered(target).files["launch.sh"]
    expected = read(target).deployment
    machines = re.findall(r"start_machine_\d\(\) \{\n(.*?)\n\}", text, re.DOTALL)
    given = [re.findall(r"run_\w+ ([\d,]+)", machine) for machine in machines]
    used = [[int(n) for gpus in machine for n in gpus.split(",")] for machine in given]
    gpu = expected.workers[0].gpu
    assert gpu is not None
    for numbers in used:
        assert numbers == list(range(len(numbers)))
        assert len(numbers) <= gpu.per_node
    assert sum(map(len, used)) == expected.gpus
    assert "run_frontend\n" in machines[0] or expected.runtime is Runtime.SERVE


@EACH
def test_each_part_alone_is_that_part_with_the_files_it_needs(target: str) -> None:
    expected = read(target).deployment
    for name in parts(target):
        text = part(target, name)
        if name in ("download", "smoke", "bench"):
            assert "END_OF_FILE" in text
            continue
        found = build_script([GivenScript(text, f"{name}.sh")], FACTS)
        if name == "frontend":
            assert (found.frontend is not None, found.workers) == (True, ())
            continue
        (worker,) = found.workers
        without_number = re.sub(r"-\d+$", "", name)
        (same,) = [w for w in expected.workers if w.name == without_number or name == "server"]
        assert worker.engine_known
        assert worker.gpus == same.gpus
        assert {k: worker.engine[k].value for k in worker.engine.keys} == {
            k: same.engine[k].value for k in same.engine.keys
        }


def test_the_address_is_the_caller_s_in_every_command() -> None:
    for target in ("disagg-b200-node", "serve-h100-2"):
        text = rendered(target).files["launch.sh"]
        assert "HTTP_HOST=${HTTP_HOST:-127.0.0.1}\nHTTP_PORT=${HTTP_PORT:-8000}\n" in text
        assert re.search(
            r'--(?:http-)?host "\$HTTP_HOST" \\\n +--(?:http-)?port "\$HTTP_PORT"', text
        )
        assert '--url "http://127.0.0.1:$HTTP_PORT"' in text
        assert "127.0.0.1:8000" not in text
    for name, known in (("smoke", True), ("bench", True), ("frontend", True), ("download", False)):
        assert ("HTTP_PORT=${HTTP_PORT:-8000}" in part("disagg-b200-node", name)) is known


def test_an_address_that_the_target_gives_is_the_default() -> None:
    given = ("frontend.extraArgs={--http-host,10.0.0.7,--http-port=9001}",)
    text = rendered("disagg-b200-node", None, *given).files["launch.sh"]
    assert "HTTP_HOST=${HTTP_HOST:-10.0.0.7}\nHTTP_PORT=${HTTP_PORT:-9001}\n" in text
    assert text.count("--http-port") == 1


def test_replicas_are_processes_with_gpus_of_their_own(tmp_path: Path) -> None:
    settings = ("workers.prefill.replicas=2",)
    text = rendered("disagg-b200", None, *settings).files["launch.sh"]
    assert re.findall(r"start (\S+) run_(\w+) ([\d,]+)\n", text) == [
        ("prefill-0", "prefill", "0"),
        ("prefill-1", "prefill", "1"),
        ("decode", "decode", "2,3,4,5"),
    ]
    found = read_back(tmp_path, "disagg-b200", None, *settings)
    assert {w.name: (w.gpus, w.replica_count) for w in found.workers} == {
        "prefill": (1, 2),
        "decode": (4, 1),
    }


def test_nothing_but_frontend_and_workers_has_to_run_on_one_machine() -> None:
    text = rendered("disagg-b200-node").files["launch.sh"]
    assert "DYN_DISCOVERY_BACKEND=file" in text
    assert "ETCD_ENDPOINTS" not in text
    assert rendered("disagg-b200-node").notes == ()


def test_more_gpus_than_a_machine_has_take_several_machines_and_an_etcd_that_is_checked() -> None:
    found = rendered("disagg-gb200")
    text = found.files["launch.sh"]
    assert "2 machines" in found.notes[0]
    assert "DYN_DISCOVERY_BACKEND=etcd" in text
    assert re.findall(r"run_\w+ [\d,]+\n", text) == ["run_prefill 0\n", "run_decode 0,1,2,3\n"]


def test_a_part_that_is_not_there_is_refused_with_those_that_are() -> None:
    with pytest.raises(InputError, match=r"--part decod: .* has frontend, prefill, decode"):
        render_shell(read("disagg-b200"), "decod")
    with pytest.raises(InputError, match=r"--part frontend: .* has server, download"):
        render_shell(read("serve-latency-b200"), "frontend")


def test_two_servers_on_one_port_are_refused() -> None:
    with pytest.raises(InputError, match="one port of a machine"):
        rendered("serve-h100-2", None, "workers.worker.replicas=2")


def test_a_worker_on_several_nodes_is_refused() -> None:
    wide = (
        "workers.decode.engine.tensor_parallel_size=16",
        "workers.decode.engine.moe_expert_parallel_size=16",
    )
    with pytest.raises(InputError, match="spans 2 nodes"):
        rendered("disagg-b200-node", None, *wide)


def finished(process: subprocess.Popen[str]) -> tuple[int, str]:
    _, said = process.communicate(timeout=PATIENCE)
    return process.returncode, said


# A server that writes its words down and serves until it is ended; the wait for its model is over
# at once.
STAND_INS = {
    "trtllm-serve": '#!/usr/bin/env bash\nprintf "%s\\0" "$NOTE" "$@" > words\n'
    'read -r < "$HF_HOME/never"\n',
    "python3": "#!/usr/bin/env bash\n",
}


def test_every_text_of_the_values_reaches_the_program_as_itself_and_runs_nothing(
    tmp_path: Path,
) -> None:
    values = {"workers": {"worker": {"extraArgs": list(TEXTS), "env": {"NOTE": " ".join(TEXTS)}}}}
    laid = tmp_path / "laid.yaml"
    laid.write_text(json.dumps(values, ensure_ascii=False), encoding="utf-8")
    target = read_target(Request(("serve-h100-2",), (str(laid),)))
    text = render_shell(target).files["launch.sh"]
    launch = written({"launch.sh": text}, tmp_path)
    read = build_script([GivenScript(text, "launch.sh")], FACTS).workers[0].command
    assert read is not None
    assert [word.value for word in read.words if word.value in TEXTS] == list(TEXTS)

    def run_in(folder: Path, path: str, home: Path) -> subprocess.Popen[str]:
        environment = {"PATH": path, "HF_HOME": str(home), "LC_ALL": "C"}
        return subprocess.Popen(
            ["bash", launch],
            cwd=folder,
            env=environment,
            stderr=subprocess.PIPE,
            text=True,
        )

    programs, home = tmp_path / "bin", tmp_path / "home"
    programs.mkdir()
    home.mkdir()
    code, said = finished(run_in(tmp_path, os.environ["PATH"], home))
    assert (code, "run this inside" in said) == (127, True)
    for name, program in STAND_INS.items():
        (programs / name).write_text(program)
        (programs / name).chmod(0o755)
    path = os.pathsep.join([str(programs), os.environ["PATH"]])
    code, said = finished(run_in(tmp_path, path, home))
    assert (code, "the model is not in" in said) == (1, True)
    (snapshot,) = re.findall(r"\[\[ -d (.+) \]\]", text)
    made = "mkdir -p -- " + snapshot
    subprocess.run(
        ["bash", "-c", made], cwd=tmp_path, env={"HF_HOME": str(home), "PATH": path}, check=True
    )
    os.mkfifo(home / "never")
    process = run_in(tmp_path, path, home)
    assert process.stderr is not None
    served = "openai/gpt-oss-120b is served at http://127.0.0.1:8000\n"
    for line in process.stderr:
        if line == served:
            break
    process.send_signal(signal.SIGTERM)
    assert process.wait(PATIENCE) == 143
    assert list(tmp_path.glob("**/ran*")) == []
    note, *words = (tmp_path / "words").read_text(encoding="utf-8").split("\0")[:-1]
    assert note == " ".join(TEXTS)
    assert [w for w in words if w in TEXTS] == list(TEXTS)


def test_a_secret_is_not_written_but_asked_for(tmp_path: Path) -> None:
    found = rendered("serve-h100-2", None, "workers.worker.env.DB_PASSWORD=hunter2")
    text = found.files["launch.sh"]
    assert "hunter2" not in "".join(found.files.values())
    assert "DB_PASSWORD" in found.notes[0]
    assert 'DB_PASSWORD="$DB_PASSWORD"' in text
    done = subprocess.run(
        ["bash", written({"launch.sh": text}, tmp_path), "server"],
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "DB_PASSWORD is a secret, which is not written here; export it" in done.stderr


def test_discovery_is_refused_where_others_could_write_to_it(tmp_path: Path) -> None:
    text = rendered("disagg-b200-node").files["launch.sh"]
    (function,) = re.findall(r"(?ms)^check_discovery\(\) \{\n.*?^\}\n", text)
    lines = [line for line in text.splitlines() if line.startswith(("private=", "export DYN_FILE"))]
    script = "\n".join(
        [
            "set -euo pipefail; HTTP_PORT=8000",
            'fail() { echo "$2" >&2; exit "$1"; }',
            *lines,
            function,
            'check_discovery; echo "$DYN_FILE_KV"',
        ]
    )

    def tried(**environment: str) -> subprocess.CompletedProcess[str]:
        environment = {"PATH": os.environ["PATH"], "TMPDIR": str(tmp_path), **environment}
        return subprocess.run(
            ["bash", "-c", script], env=environment, capture_output=True, text=True, check=False
        )

    private = tmp_path / f"gpt-oss-{os.getuid()}"
    assert tried().stdout == f"{private}/gpt-oss-disagg-b200-node-8000\n"
    assert private.stat().st_mode & 0o777 == 0o700
    private.chmod(0o777)
    assert "is not for this user alone; set DYN_FILE_KV" in tried().stderr
    private.rmdir()
    (tmp_path / "other").mkdir(mode=0o700)
    private.symlink_to(tmp_path / "other")
    assert tried().returncode == 1
    assert tried(DYN_FILE_KV="/mine").stdout == "/mine\n"


def test_what_a_target_is_called_runs_nothing(tmp_path: Path) -> None:
    settings = ("description=first\n$(touch a) line",)
    text = rendered("serve-h100-2", None, *settings).files["launch.sh"]
    assert text.splitlines()[1] == "# first $(touch a) line"
    values = tmp_path / "a $(touch b) target.yaml"
    values.write_bytes(folders.values_files()["agg-gb200"].read_bytes())
    odd = read_target(Request((str(values),)))
    text = render_shell(odd).files["launch.sh"]
    assert "touch b" not in re.sub(r"(?m)^#.*", "", text)
    assert (
        build_script([GivenScript(text, "launch.sh")], FACTS).workers[0].gpu == FACTS.gpus["gb200"]
    )
