"""Servers that scripts start for trtllm-serve disaggregated are one deployment with pair rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from gptoss.cli import main
from gptoss.deployment.model import Deployment, Runtime
from gptoss.sources.load import load
from gptoss.sources.request import Request
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

TOLD = ("--release", "1.3.1", "--gpu", "b200")
UCX = "tensor_parallel_size: 1\ncache_transceiver_config: {backend: UCX}\n"
NIXL = "tensor_parallel_size: 2\ncache_transceiver_config: {backend: NIXL}\n"
LIST = """\
context_servers: {num_instances: 1, urls: ["localhost:8001"]}
generation_servers: {num_instances: 1, urls: ["localhost:8002"]}
"""
SERVERS = """\
model: openai/gpt-oss-120b
context_servers:
  urls: ["localhost:8001"]
  tensor_parallel_size: 1
  cache_transceiver_config: {backend: UCX}
generation_servers:
  urls: ["localhost:8002"]
  tensor_parallel_size: 2
  cache_transceiver_config: {backend: NIXL}
"""
MPI = "mpirun -n 3 trtllm-serve disaggregated_mpi_worker -c disagg_config.yaml &\n"
SERVE = """\
CUDA_VISIBLE_DEVICES={} trtllm-serve openai/gpt-oss-120b --port {} --config {} 2>&1 | tee log &
"""
FRONT = "trtllm-serve disaggregated -c ./disagg_config.yaml 2>&1 | tee log &\n"
RUN = SERVE.format("0", 8001, "./a.yaml") + SERVE.format("1,2", 8002, "./b.yaml") + FRONT
WRITES = (
    f"cat > a.yaml <<E\n{UCX}E\ncat > b.yaml <<E\n{NIXL}E\ncat > disagg_config.yaml <<E\n{LIST}E\n"
)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def written(folder: Path, texts: dict[str, str]) -> str:
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text)
    return str(folder)


def one(*sources: str) -> Deployment:
    (found,) = load(Request(sources)).deployments
    return found


def told(deployment: Deployment) -> dict[str, tuple[str, int, object]]:
    """Role, GPUs and transceiver of each worker."""
    return {
        worker.name: (
            worker.role.value,
            worker.gpus,
            worker.engine["cache_transceiver_config.backend"].value,
        )
        for worker in deployment.workers
    }


BOTH = {"prefill": ("prefill", 1, "UCX"), "decode": ("decode", 2, "NIXL")}
FILES = {"a.yaml": UCX, "b.yaml": NIXL, "disagg_config.yaml": LIST}
WRITES = "".join(f"cat > {name} <<E\n{text}E\n" for name, text in FILES.items())


def test_a_folder_of_engine_files_with_a_run_script_is_one_deployment(tmp_path: Path) -> None:
    folder = written(tmp_path, FILES | {"run.sh": RUN})
    found = one(folder)
    assert found.runtime is Runtime.SERVE
    assert told(found) == BOTH
    assert found.source == str(tmp_path / "run.sh")
    checked = run("check", folder, *TOLD).stdout
    assert f"{tmp_path / 'b.yaml'}:2:28: error: cache_transceiver_config.backend" in checked
    assert f"{tmp_path / 'a.yaml'}:2:28: the other side says UCX" in checked


def test_the_files_may_be_written_by_the_script(tmp_path: Path) -> None:
    folder = written(tmp_path, {"run.sh": WRITES + RUN})
    assert told(one(folder)) == told(one(f"{folder}/run.sh")) == BOTH


def test_they_may_be_given_along_with_it(tmp_path: Path) -> None:
    away = written(tmp_path / "away", FILES)
    script = written(tmp_path / "here", {"run.sh": RUN.replace("./", "/config/")}) + "/run.sh"
    assert told(one(script, *(f"{away}/{name}" for name in FILES))) == BOTH


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (FRONT, ""),
        (FRONT, FRONT.replace("./disagg_config", "/elsewhere/list")),
        ("./a.yaml", "$FOLDER/ctx_0.yaml"),
        ("./a.yaml", "/etc/engine/ctx_0.yaml"),
        ("./a.yaml", "$FILE"),
    ],
)
def test_roles_follow_from_the_names_of_files_where_no_list_tells(
    before: str, after: str, tmp_path: Path
) -> None:
    script = RUN.replace("./a.yaml", "./ctx_0.yaml").replace("./b.yaml", "./gen_0.yaml")
    files = {"ctx_0.yaml": UCX, "gen_0.yaml": NIXL, "disagg_config.yaml": LIST}
    folder = written(tmp_path, files | {"run.sh": script.replace(before, after)})
    assert told(one(folder)) == BOTH


def test_the_role_that_a_server_is_given_counts(tmp_path: Path) -> None:
    script = RUN.replace("./a.yaml", "./a.yaml --server_role context")
    script = script.replace("./b.yaml", "./b.yaml --server_role GENERATION").replace(FRONT, "")
    assert told(one(written(tmp_path, FILES | {"run.sh": script}))) == BOTH


def test_a_role_chosen_by_an_argument_is_either(tmp_path: Path) -> None:
    ctx, gen = SERVE.format("0", 8001, "ctx.yaml"), SERVE.format("1,2", 8001, "gen.yaml")
    script = f'if [ "$1" = ctx ]; then\n{ctx}else\n{gen}fi\n'
    folder = written(tmp_path, {"run.sh": script, "ctx.yaml": UCX, "gen.yaml": NIXL})
    assert told(one(folder)) == BOTH


def test_each_server_may_have_a_script_of_its_own(tmp_path: Path) -> None:
    ctx, gen, front = RUN.splitlines(keepends=True)
    folder = written(tmp_path, FILES | {"ctx.sh": ctx, "gen.sh": gen, "front.sh": front})
    assert told(one(folder)) == BOTH


def test_workers_of_mpi_are_those_of_the_list(tmp_path: Path) -> None:
    text = "cat > disagg_config.yaml <<E\n" + SERVERS + "E\n" + MPI + FRONT
    found = one(written(tmp_path, {"run.sh": text}) + "/run.sh")
    assert list(told(found).values()) == list(BOTH.values())
    assert found.engine_only


@pytest.mark.parametrize(
    ("listed", "count"),
    [
        (LIST, 0),
        (LIST.replace("8002", "8003"), 1),
        (LIST.replace("8001", "9001").replace("8002", "9002"), 2),
        (LIST.replace('"localhost:8002"', '"localhost:8002", "localhost:8003"'), 0),
        (LIST.replace("localhost:8002", "elsewhere:8003"), 0),
        (LIST.replace("8002", "$PORT"), 0),
    ],
)
def test_a_listed_server_listens_where_it_is_listed(
    listed: str, count: int, tmp_path: Path
) -> None:
    script = RUN.replace("./a.yaml", "./ctx.yaml").replace("./b.yaml", "./gen.yaml")
    files = {"ctx.yaml": UCX, "gen.yaml": UCX, "disagg_config.yaml": listed, "run.sh": script}
    assert run("check", written(tmp_path, files), *TOLD).stdout.count("is listed, but") == count


SLURM = """\
LOG_DIR=/data/$SLURM_JOB_ID
COMMON="export TRTLLM_ENABLE_PDL=1"
NODES=($(scontrol show hostnames))
PIDS=()
start_bg() {
    "$@" &
    PIDS+=($!)
}
write_prefill() {
    local path="$1"
    cat > "$path" <<E
tensor_parallel_size: 1
cache_transceiver_config: {backend: UCX}
E
}
write_prefill "$LOG_DIR/prefill.yaml"
cat > $LOG_DIR/decode.yaml <<E
tensor_parallel_size: 2
cache_transceiver_config: {backend: NIXL}
E
cat > $LOG_DIR/list.yaml <<E
context_servers:
  num_instances: 2
  urls: ["${NODES[0]}:8001", "${NODES[0]}:8002"]
generation_servers:
  urls: ["${NODES[1]}:8003"]
E
for gpu in 0 1; do
  start_bg srun --container-mounts "$LOG_DIR:/logs" bash -c "$COMMON
    export CUDA_VISIBLE_DEVICES=$gpu
    trtllm-llmapi-launch trtllm-serve /model --port $((8001 + gpu)) --config /logs/prefill.yaml"
done
start_bg srun --container-mounts "$LOG_DIR:/logs" bash -c "$COMMON
  trtllm-llmapi-launch trtllm-serve /model --port 8003 --config /logs/decode.yaml"
start_bg srun bash -c "trtllm-serve disaggregated -c /logs/list.yaml -t 7200"
"""


def test_a_script_for_slurm_starts_them_in_shells_of_their_own(tmp_path: Path) -> None:
    found = one(written(tmp_path, {"run.sh": SLURM}) + "/run.sh")
    assert told(found) == BOTH
    assert [worker.replica_count for worker in found.workers] == [2, 1]
    assert all(w.pod.variable("TRTLLM_ENABLE_PDL") == "1" for w in found.workers)


def test_an_engine_file_that_no_script_names_is_one_by_itself(tmp_path: Path) -> None:
    folder = written(tmp_path, FILES | {"run.sh": RUN, "agg.yaml": "max_batch_size: 1\n"})
    first, second = load(Request((folder,))).deployments
    assert (told(first), second.source) == (BOTH, str(tmp_path / "agg.yaml"))


def test_what_else_stands_beside_a_script_is_not_read(tmp_path: Path) -> None:
    others = {
        "notes.yaml": "colour: red\n",
        "broken.yaml": "a: [\n",
        "values.yaml": "workers: {}\n",
    }
    assert told(one(written(tmp_path, FILES | others | {"run.sh": RUN}))) == BOTH


def test_servers_without_roles_are_no_deployment(tmp_path: Path) -> None:
    folder = written(tmp_path, FILES | {"run.sh": RUN.replace(FRONT, "")})
    with pytest.raises(InputError, match="started twice"):
        one(folder)


COMPOSE = """\
services:
  one:
    image: nvcr.io/nvidia/tensorrt-llm/release:1.3.0rc19
    command: trtllm-serve openai/gpt-oss-120b --host 0.0.0.0 --config /engine/a.yaml
    volumes: [./a.yaml:/engine/a.yaml:ro]
    gpus: [{device_ids: ["0"]}]
  two:
    image: nvcr.io/nvidia/tensorrt-llm/release:1.3.0rc19
    command: trtllm-serve openai/gpt-oss-120b --host 0.0.0.0 --config /engine/b.yaml
    volumes: [./b.yaml:/engine/b.yaml:ro]
    gpus: [{device_ids: ["1", "2"]}]
  front:
    image: nvcr.io/nvidia/tensorrt-llm/release:1.3.0rc19
    command: trtllm-serve disaggregated -c /list/servers.yaml
    volumes: [./servers.yaml:/list/servers.yaml:ro]
"""


def test_services_of_compose_have_the_roles_of_the_list(tmp_path: Path) -> None:
    listed = LIST.replace("localhost:8001", "one:8000").replace("localhost:8002", "two:8000")
    files = {"a.yaml": UCX, "b.yaml": NIXL, "servers.yaml": listed, "compose.yaml": COMPOSE}
    folder = written(tmp_path, files)
    assert list(told(one(folder)).values()) == list(BOTH.values())
    assert "[D005]" in run("check", folder, "--gpu", "b200").stdout
    (tmp_path / "servers.yaml").write_text(listed.replace("num_instances: 1", "num_instances: 2"))
    assert "[D061]" in run("check", folder, "--gpu", "b200").stdout
