"""Promises of gptoss.sources.containers.script: the deployment that a shell script starts."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gptoss.checking.checker import run
from gptoss.deployment.model import Deployment, Role, Runtime
from gptoss.facts.world import Facts
from gptoss.rules.rule import Severity
from gptoss.sources.containers.script import build_script
from gptoss.sources.containers.script_group import GivenScript
from gptoss.sources.load import load
from gptoss.sources.recognise import is_script
from gptoss.sources.request import Request
from gptoss.text import budget
from gptoss.text.budget import Kind
from gptoss.text.errors import InputError
from gptoss.text.places import Place

if TYPE_CHECKING:
    from pathlib import Path

    from gptoss.deployment.model import Worker

FACTS = Facts()
RUNTIME = "nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:1.2.1"
TRTLLM = "nvcr.io/nvidia/tensorrt-llm/release:1.3.0rc14"

BY_HAND = f"""\
#!/bin/bash
export MODEL_PATH=/data/gpt-oss-120b
hf download openai/gpt-oss-120b --exclude 'original/*' --local-dir $MODEL_PATH

docker run --gpus all -it --rm --network host -v $MODEL_PATH:/model -v $PWD:/workspace \\
    --shm-size=10G --ulimit memlock=-1 -e TRTLLM_ENABLE_PDL=1 {RUNTIME}

python3 -m dynamo.frontend --router-mode round-robin --http-port 8000 &

CUDA_VISIBLE_DEVICES=0,1,2,3 python3 -m dynamo.trtllm \\
  --model-path /model --served-model-name openai/gpt-oss-120b \\
  --extra-engine-args /workspace/engine/prefill.yaml \\
  --disaggregation-mode prefill --max-num-tokens 20000 &

CUDA_VISIBLE_DEVICES=4,5,6,7 python3 -m dynamo.trtllm \\
  --model-path /model --served-model-name openai/gpt-oss-120b \\
  --extra-engine-args engine/decode.yaml \\
  --disaggregation-mode decode

aiperf profile --model openai/gpt-oss-120b --concurrency 256 --request-count 6144 \\
    --synthetic-input-tokens-mean 32000 --output-tokens-mean 256
"""

SERVER = f"""\
docker run --rm -it --ipc=host --gpus '"device=0,1,2,3"' -p 8000:8000 \\
  --name llm {TRTLLM} /bin/bash
CONFIG=/tmp/config.yml

cat << EOF > ${{CONFIG}}
enable_attention_dp: false
moe_config:
    backend: TRTLLM
EOF

trtllm-serve openai/gpt-oss-120b --host 0.0.0.0 --max_batch_size 720 \\
    --tp_size 4 --extra_llm_api_options ${{CONFIG}}
"""

SWEEP = """\
cat <<'EOF' > bench.sh
for concurrency in 32 64 128; do
    python -m tensorrt_llm.serve.scripts.benchmark_serving --model openai/gpt-oss-120b \\
        --random-input-len 1024 --random-output-len 1024 \\
        --num-prompts $((concurrency * 5)) --max-concurrency ${concurrency}
done
EOF
chmod +x bench.sh
./bench.sh
"""


def read(text: str, source: str = "launch.sh", **options: str | int) -> Deployment:
    return build_script([GivenScript(text, source)], FACTS, **options)  # type: ignore[arg-type]


def worker(text: str, source: str = "launch.sh", **options: str | int) -> Worker:
    (found,) = read(text, source, **options).workers
    return found


def dynamo(*flags: str) -> str:
    return " ".join(["python3 -m dynamo.trtllm --model-path /model", *flags])


def test_commands_typed_one_after_the_other_are_one_deployment(tmp_path: Path) -> None:
    engine = tmp_path / "engine"
    engine.mkdir()
    (engine / "prefill.yaml").write_text("tensor_parallel_size: 4\nmax_batch_size: 32\n")
    (engine / "decode.yaml").write_text("tensor_parallel_size: 4\nmax_batch_size: 128\n")
    script = str(tmp_path / "launch.sh")
    found = read(BY_HAND, script, gpu="b200")
    assert found.runtime is Runtime.DYNAMO
    assert found.release is not None
    assert found.release.version == "1.2.1"
    assert found.frontend is not None
    assert found.frontend.place == Place(script, 8, 1)
    assert [(w.name, w.role, w.gpus, w.replica_count) for w in found.workers] == [
        ("prefill", Role.PREFILL, 4, 1),
        ("decode", Role.DECODE, 4, 1),
    ]
    prefill, decode = found.workers
    assert prefill.gpus_per_pod is not None
    assert prefill.gpus_per_pod.place == Place(script, 10, 1)
    assert prefill.engine["max_batch_size"].place == Place(str(engine / "prefill.yaml"), 2, 1)
    assert decode.engine["max_batch_size"].value == 128
    assert prefill.engine["max_num_tokens"].place == Place(script, 13, 33)
    assert prefill.pod.image is not None
    assert prefill.pod.image.value == RUNTIME
    assert prefill.pod.variable("TRTLLM_ENABLE_PDL") == "1"
    assert "MODEL_PATH" not in prefill.pod.environment
    assert prefill.gpu == FACTS.gpus["b200"]
    assert found.benchmark is not None
    assert found.benchmark.concurrency is not None
    assert found.benchmark.concurrency.value == 256
    (download,) = found.downloads
    assert download.model is not None
    assert download.model.value == "openai/gpt-oss-120b"


def test_a_server_takes_its_engine_file_from_the_script() -> None:
    found = read(SERVER)
    assert found.runtime is Runtime.SERVE
    assert found.release is not None
    assert found.release.trtllm == "1.3.0rc14"
    (server,) = found.workers
    assert server.gpus == 4
    assert server.engine["moe_config.backend"].value == "TRTLLM"
    assert server.engine["moe_config.backend"].place == Place("launch.sh", 8, 5)
    assert server.engine["max_batch_size"].value == 720
    assert server.engine["max_batch_size"].place == Place("launch.sh", 11, 49)


def test_a_sweep_in_a_script_that_the_script_writes_is_read() -> None:
    benchmark = read(SERVER + SWEEP).benchmark
    assert benchmark is not None
    assert [step.concurrency.value for step in benchmark.steps if step.concurrency] == [32, 64, 128]
    assert [step.requests.value for step in benchmark.steps if step.requests] == [160, 320, 640]


def test_a_command_line_alone_is_a_deployment_with_the_file_given_along(tmp_path: Path) -> None:
    line, engine = tmp_path / "command.txt", tmp_path / "server.yaml"
    line.write_text("trtllm-serve openai/gpt-oss-120b --tp_size 8 --config /etc/x.yaml\n")
    engine.write_text("moe_config: {backend: CUTLASS}\n")
    (found,) = load(Request((str(line), str(engine)), release="1.2.1")).deployments
    (server,) = found.workers
    assert server.gpus == 8
    assert server.engine["moe_config.backend"].place == Place(str(engine), 1, 14)


@pytest.mark.parametrize(
    "path",
    [
        '"$(dirname "$0")/engine.yaml"',
        '"$here/engine.yaml"',
        "engine.yaml",
        "./engine.yaml",
    ],
)
def test_engine_files_are_found_beside_the_script(path: str, tmp_path: Path) -> None:
    (tmp_path / "engine.yaml").write_text("tensor_parallel_size: 2\n")
    text = 'here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"\n'
    found = worker(text + dynamo("--extra-engine-args", path), str(tmp_path / "launch.sh"))
    assert found.engine_known
    assert found.engine["tensor_parallel_size"].value == 2


def test_an_engine_file_that_is_not_there_is_not_known(tmp_path: Path) -> None:
    found = worker(dynamo("--extra-engine-args nowhere.yaml"), str(tmp_path / "launch.sh"))
    assert not found.engine_known
    assert found.gpus_per_pod is None


@pytest.mark.parametrize(
    ("text", "gpus"),
    [
        ("CUDA_VISIBLE_DEVICES=0,3 " + dynamo("--tensor-parallel-size 2"), 2),
        ("export CUDA_VISIBLE_DEVICES=5\n" + dynamo(), 1),
        ("env CUDA_VISIBLE_DEVICES=0,1,2 " + dynamo(), 3),
        ("G=0,1; CUDA_VISIBLE_DEVICES=${G} nohup " + dynamo() + " > log 2>&1 &", 2),
        (dynamo("--tensor-parallel-size 4"), 4),
        ("CUDA_VISIBLE_DEVICES=$UNKNOWN " + dynamo("--tensor-parallel-size 4"), 4),
        (f"docker run --gpus 2 {RUNTIME} " + dynamo(), 2),
        (f"docker run --gpus all {RUNTIME} " + dynamo("--tensor-parallel-size 8"), 8),
        (f"docker run --gpus 4 {RUNTIME} bash -c 'CUDA_VISIBLE_DEVICES=1 " + dynamo() + "'", 1),
    ],
)
def test_gpus_are_those_that_a_worker_sees_else_what_it_needs(text: str, gpus: int) -> None:
    assert worker(text).gpus == gpus


def test_gpus_that_nothing_tells_are_those_asked_for() -> None:
    assert worker(dynamo(), gpus=4).gpus == 4
    assert worker("CUDA_VISIBLE_DEVICES=0 " + dynamo(), gpus=4).gpus == 1


def test_the_same_command_on_other_gpus_is_a_replica() -> None:
    text = f"""
    serve() {{ CUDA_VISIBLE_DEVICES=$1 {dynamo()} & }}
    for gpus in 0,1 2,3 4,5; do serve $gpus; done
    """
    found = worker(text)
    assert (found.replica_count, found.gpus) == (3, 2)


def test_a_process_that_branches_start_in_the_same_way_counts_once() -> None:
    text = f"""
    run_decode() {{ CUDA_VISIBLE_DEVICES=0 {dynamo("--disaggregation-mode decode")}; }}
    case "${{1:-all}}" in
      all) run_decode & ;;
      decode) run_decode ;;
    esac
    """
    found = worker(text)
    assert (found.name, found.replica_count) == ("decode", 1)


@pytest.mark.parametrize(
    ("loop", "count"),
    [
        ("for i in 0 1 2 3", 4),
        ("for i in {0..2}", 3),
        ("for i in $(seq 0 3)", 4),
        ("N=5; for ((i=0; i<N; i++))", 5),
        ("i=0; while [ $((i++)) -lt 2 ]", 2),
        ("for i in 0 1; do for j in a b; do for k in x y", 8),
    ],
)
def test_workers_that_a_loop_starts_are_as_many_as_its_turns(loop: str, count: int) -> None:
    ends = "; done" * loop.count("do for") + "; done"
    found = worker(f"{loop}; do {dynamo()} & sleep 1{ends}\nwait")
    assert (found.replica_count, found.counted) == (count, True)


@pytest.mark.parametrize("loop", ["for i in $HOSTS", "while read host", "for i in $(seq $N)"])
def test_workers_of_a_loop_whose_turns_are_not_known_are_not_counted(loop: str) -> None:
    found = worker(f"{loop}; do {dynamo('--max-batch-size 64')} & done")
    assert not found.counted
    assert found.capacity is None


def test_workers_that_are_started_one_after_the_other_are_one() -> None:
    found = worker(f"for i in 1 2 3; do {dynamo()} & bench; kill $!; done")
    assert found.replica_count == 1
    assert worker(f"while true; do {dynamo()}; sleep 5; done").counted


def test_servers_of_two_branches_are_one_with_either_command_line() -> None:
    found = worker("""
    if [ -f /data/fast ]; then
      trtllm-serve m --tp_size 4 --max_batch_size 64
    else
      trtllm-serve m --tp_size 8 --max_batch_size 64
    fi
    """)
    assert found.engine["max_batch_size"].value == 64
    assert found.engine["tensor_parallel_size"].value == "$(4|8)"
    assert not found.engine_known
    assert found.gpus_per_pod is None


def test_a_flag_of_one_branch_only_is_not_known() -> None:
    text = "case $MODE in a) trtllm-serve m ;; b) trtllm-serve m --max_batch_size 8 ;; esac"
    found = worker(text)
    assert not found.arguments.complete
    assert not found.engine["max_batch_size"].is_set


@pytest.mark.parametrize(
    "text",
    [
        'set -- $(flags); trtllm-serve m "$@"',
        'eval "A=($FLAGS)"; trtllm-serve m "${A[@]}"',
        "trtllm-serve m --trust_remote_code $EXTRA",
        'A=(--tp_size 4); A+=($(more)); trtllm-serve m "${A[@]}"',
        'source other.sh; trtllm-serve m --tp_size "$TP"',
    ],
)
def test_a_command_line_that_is_left_open_is_not_taken_for_whole(text: str) -> None:
    found = worker(text)
    assert not found.engine_known
    assert found.capacity is None


@pytest.mark.parametrize(
    "text",
    [
        'set -- --tp_size 8; trtllm-serve m "$@"',
        "TP=4; ((TP++)); let TP=TP+3; trtllm-serve m --tp_size $TP",
        'A=--tp_size; eval "trtllm-serve m $A 8"',
        'if [ "$UNSET" = x ]; then TP=8; else TP=8; fi; trtllm-serve m --tp_size=$TP',
    ],
)
def test_what_a_script_sets_in_its_own_ways_is_known(text: str) -> None:
    assert worker(text).engine["tensor_parallel_size"].value == 8


@pytest.mark.parametrize("append", ["cat >> e.yaml <<E", "cat <<E >> e.yaml", "tee -a e.yaml <<E"])
def test_here_documents_that_append_are_one_file_with_each_line_in_its_place(append: str) -> None:
    text = f"cat > e.yaml <<E\nmax_batch_size: 8\nE\n\n{append}\nmax_num_tokens: 9\nE\n"
    found = worker(text + dynamo("--extra-engine-args e.yaml"))
    assert found.engine["max_batch_size"].place == Place("launch.sh", 2, 1)
    assert found.engine["max_num_tokens"].place == Place("launch.sh", 6, 1)


@pytest.mark.parametrize("change", ["sed -i s/8/9/ e.yaml", "make >> e.yaml", "cp other e.yaml"])
def test_an_engine_file_that_something_else_writes_to_is_not_known(change: str) -> None:
    text = f"cat > e.yaml <<E\nmax_batch_size: 8\nE\n{change}\n"
    assert not worker(text + dynamo("--extra-engine-args e.yaml")).engine_known


def test_each_branch_has_the_engine_file_that_it_writes() -> None:
    run = dynamo("--extra-engine-args e.yaml", "--disaggregation-mode")
    text = f"""
case $1 in
prefill)
cat > e.yaml <<E
max_batch_size: 8
E
{run} prefill ;;
decode)
cat > e.yaml <<E
max_batch_size: 64
E
{run} decode ;;
esac
"""
    assert [w.engine["max_batch_size"].value for w in read(text).workers] == [8, 64]


def test_what_is_not_known_in_an_engine_file_is_a_value_of_its_own() -> None:
    text = "cat > e.yaml <<E\nx: [${A%b}, {y: `z`}]\nmax_batch_size: ${N:?no}\nE\n"
    found = worker(text + dynamo("--extra-engine-args e.yaml"))
    assert found.engine["max_batch_size"].value == "$(N_no)"
    assert found.engine["x"].value == ["$(A_b)", {"y": "$(z)"}]


def test_nothing_is_said_of_what_only_a_shell_knows() -> None:
    text = """cat > e.yaml <<E
max_batch_size: $N
moe_config: {backend: ${B}}
cuda_graph_config:
  max_batch_size: $(nproc)
  batch_sizes: [${L}]
enable_chunked_prefill: $P
E
trtllm-serve openai/gpt-oss-120b --tp_size 1 --config e.yaml --max_seq_len $S
"""
    result = run(read(text, release="1.2.1", gpu="b200"), FACTS)
    assert {f.rule.id for f in result.findings if f.rule.severity is Severity.ERROR} == set()
    assert "server: only a shell knows max_batch_size" in {n.reason for n in result.not_applied}


def test_each_worker_has_a_name_of_its_own() -> None:
    text = f"""
    run_long_prompts() {{ {dynamo("--disaggregation-mode prefill")} & }}
    run_long_prompts
    {dynamo("--disaggregation-mode prefill", "--max-batch-size 2")} &
    {dynamo("--disaggregation-mode prefill", "--max-batch-size 4")} &
    docker run --name batch_jobs {RUNTIME} {dynamo("--disaggregation-mode decode")}
    """
    assert [w.name for w in read(text).workers] == [
        "long-prompts",
        "prefill",
        "prefill-2",
        "batch-jobs",
    ]


def test_the_first_lines_tell_what_a_script_has_no_field_for() -> None:
    text = "#!/bin/sh\n# gptoss: target=mine gpu=b200 release=1.3.1\n" + dynamo()
    found = read(text)
    assert (found.name, found.release and found.release.version) == ("mine", "1.3.1")
    assert found.workers[0].gpu == FACTS.gpus["b200"]
    asked = read(text, release="1.4.2", gpu="h100")
    assert asked.release == FACTS.releases["1.4.2"]
    assert asked.workers[0].gpu == FACTS.gpus["h100"]


def test_what_is_not_known_stays_as_it_is_written() -> None:
    found = worker("python3 -m dynamo.trtllm --model-path $MODEL_PATH")
    assert found.model is not None
    assert found.model.value == "${MODEL_PATH}"


@pytest.mark.parametrize(
    ("text", "source", "expected"),
    [
        ("echo hi", "launch.sh", True),
        ("#!/usr/bin/env bash\n", "launch", True),
        ("trtllm-serve openai/gpt-oss-120b", "command.txt", True),
        ("# first\nCUDA_VISIBLE_DEVICES=0 python3 -m dynamo.trtllm", "-", True),
        ("docker run x trtllm-serve y", "command.txt", True),
        ("start_command: sh -c 'trtllm-serve x'\n", "config.yaml", False),
        ("apiVersion: v1\nkind: Pod\nx: trtllm-serve", "-", False),
        ("services:\n  a: {command: trtllm-serve}", "-", False),
        ("---\na: python3 -m dynamo.trtllm", "-", False),
        ('{"a": "trtllm-serve"}', "-", False),
        ("# trtllm-serve\nmax_batch_size: 1\n", "engine.yaml", False),
        ("", "empty.yaml", False),
    ],
)
def test_scripts_are_told_from_yaml(text: str, source: str, expected: bool) -> None:
    assert is_script(text, source) is expected


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("echo hi", {}, "nothing here runs dynamo.trtllm or trtllm-serve"),
        (dynamo(), {"gpu": "b300"}, "GPU b300 is not known; it is one of h100"),
        (dynamo(), {"release": "9.9"}, "release 9.9 is not known; it is one of 0.5.0"),
        ("trtllm-serve a\ntrtllm-serve b", {}, "trtllm-serve is started twice"),
        ("cat > e.yaml << E\n- 1\nE\n" + dynamo("--extra-engine-args e.yaml"), {}, "must be a map"),
    ],
)
def test_what_cannot_be_read_says_why(text: str, options: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(text, **options)


PIECES = st.sampled_from(
    [
        "python3 -m dynamo.trtllm", "trtllm-serve m", "docker run -it", "--gpus",
        "CUDA_VISIBLE_DEVICES=", "0,1", "--extra-engine-args", "--config", "e.yaml",
        "cat << E > e.yaml", "E", "\n", "a: {", "}", "for x in 1 2; do", "done", "f() {", "f", "$(",
        ")", "'", '"', "`", "\\", "&", "|", "env A=1", "\0", "aiperf profile", "--concurrency",
        "x,y", "benchmark.py --sweep a --rounds b", "hf download", "# gptoss: gpu=x", "export",
        "${a[@]}", "a=(", "exec", "bash e.yaml", "é", "=", "--",
    ]
)  # fmt: skip


@given(st.lists(PIECES, max_size=25), st.sampled_from([" ", "\n"]))
def test_no_script_makes_it_fail_but_with_a_message(pieces: list[str], blank: str) -> None:
    text = blank.join(["python3 -m dynamo.trtllm", *pieces])
    with suppress(InputError):
        build_script([GivenScript(text, "launch.sh")], FACTS)


@given(st.text(max_size=60))
def test_no_text_makes_it_fail_but_with_a_message(text: str) -> None:
    with suppress(InputError):
        build_script([GivenScript(f"trtllm-serve m {text}", "launch.sh")], FACTS)


def test_a_folder_is_mounted_with_and_without_a_slash_at_its_end() -> None:
    for inside in ("/root/.cache/huggingface", "/root/.cache/huggingface/", "/root/.cache/", "/"):
        line = f"docker run -v /data/hf/:{inside} {TRTLLM} trtllm-serve openai/gpt-oss-120b"
        found = {finding.rule.id for finding in run(read(line), FACTS).findings}
        assert not found & {"S015", "S027"}


def test_a_script_that_is_written_and_run_again_and_again_is_refused() -> None:
    text = "cat > x.sh <<EOF\n" + "trtllm-serve m --port 8000\n" * 150 + "EOF\n" + "sh x.sh\n" * 150
    with budget.run(), pytest.raises(InputError, match="more than 1,000 containers"):
        build_script([GivenScript(text, "s.sh")], FACTS)


def test_a_script_of_many_containers_is_refused() -> None:
    text = "".join(f"trtllm-serve openai/gpt-oss-120b --host h{n} &\n" for n in range(1001))
    with budget.run(), pytest.raises(InputError, match="more than 1,000 containers"):
        build_script([GivenScript(text, "s.sh")], FACTS)


def test_a_shell_is_found_behind_many_words() -> None:
    words = "nohup " * 3000 + "bash -c 'trtllm-serve openai/gpt-oss-120b'"
    script = build_script([GivenScript(words, "s.sh")], FACTS, gpu="h200")
    assert [worker.name for worker in script.workers] == ["server"]


def test_a_sweep_of_very_many_runs_is_refused() -> None:
    text = f"{SERVER}aiperf profile --concurrency {'1,' * 1000}1\n"
    with pytest.raises(InputError, match="benchmarks of more than 1,000 runs"):
        build_script([GivenScript(text, "s.sh")], FACTS)


def test_a_sweep_is_counted_before_it_is_made() -> None:
    for sweep, told in (("1," * 1000 + "1", "more than 1,000 runs"), ("1," * 990 + "1", "words")):
        wide = " --extra-inputs a:1" * 250
        text = f"{SERVER}benchmark.py --sweep {sweep} --rounds 9 aiperf profile --model m{wide}\n"
        with budget.run(), pytest.raises(InputError, match=told):
            build_script([GivenScript(text, "s.sh")], FACTS)


def test_a_server_of_a_script_is_one_container(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Kind.CONTAINERS, "limit", 2)
    text = "".join(
        f"CUDA_VISIBLE_DEVICES={n} python3 -m dynamo.trtllm --model-path openai/gpt-oss-120b "
        f"--served-model-name m{n} &\n"
        for n in range(2)
    )
    with budget.run():
        assert len(build_script([GivenScript(text, "s.sh")], FACTS).workers) == 2
