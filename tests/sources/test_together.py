"""A server's script and a benchmark's are one deployment when they are given together."""

from __future__ import annotations

import json
from itertools import permutations
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from gptoss.cli import main
from gptoss.sources.load import load
from gptoss.sources.request import Request
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from gptoss.deployment.model import Deployment

OPTIONS = """\
enable_attention_dp: true
moe_config:
  backend: CUTLASS
cuda_graph_config: {max_batch_size: 720, enable_padding: true}
stream_interval: 20
"""
CONTAINER = """\
docker run -it --rm --gpus all --ipc=host -p 8000:8000 --name quick \\
  nvcr.io/nvidia/tensorrt-llm/release:1.3.0rc14 bash
"""
WRITES = f"OPTIONS_FILE=/tmp/options.yaml\ncat > $OPTIONS_FILE <<END\n{OPTIONS}END\n"
SERVE = """\
trtllm-serve openai/gpt-oss-120b --port 8000 --tp_size 8 --ep_size 8 \\
  --max_batch_size 720 --max_num_tokens 16384 --extra_llm_api_options ${OPTIONS_FILE}
"""
SERVING = """\
#!/bin/bash
tokens=1024
for users in 32 64 128 256 512 1024 2048 4096; do
  python3 -m tensorrt_llm.serve.scripts.benchmark_serving --model openai/gpt-oss-120b \\
    --dataset-name random --random-input-len $tokens --random-output-len $tokens \\
    --num-prompts $((users * 5)) --max-concurrency $users --random-ids --tokenize-on-client \\
    --ignore-eos
done
"""
WRITES_SERVING = f"cat > bench.sh <<'END'\n{SERVING}END\nchmod +x bench.sh\n"

FRONTEND = "python3 -m dynamo.frontend --router-mode round-robin --http-port 8000 &\n"
WORKER = """\
export CUDA_VISIBLE_DEVICES={gpus}
exec python3 -m dynamo.trtllm --model-path /weights --served-model-name openai/gpt-oss-120b \\
  --disaggregation-mode {role} --tensor-parallel-size 4 --expert-parallel-size 4 \\
  --max-batch-size {batch} --extra-engine-args {role}.yaml
"""
PREFILL = WORKER.format(gpus="0,1,2,3", role="prefill", batch=32)
DECODE = WORKER.format(gpus="4,5,6,7", role="decode", batch=128)
NODE = f"{FRONTEND}({PREFILL}) &\n({DECODE})\n"
WORDS = """profile --model openai/gpt-oss-120b --tokenizer /weights \\
  --url localhost:8000 --endpoint-type chat --streaming --isl 32000 --isl-stddev 0 --osl 256 \\
  --osl-stddev 0 --concurrency 256 --request-count 6144 --warmup-request-count 1000"""
AIPERF = f"mkdir -p results\naiperf {WORDS}\n"
GENAI_PERF = f"genai-perf {WORDS} -- --max-threads 500\n"

COMPOSE = """\
services:
  llm:
    image: nvcr.io/nvidia/tensorrt-llm/release:1.3.0rc14
    command: [trtllm-serve, openai/gpt-oss-120b, --tp_size, "4", --max_batch_size, "64"]
    deploy: {resources: {reservations: {devices: [{driver: nvidia, count: 4}]}}}
"""
QUICK_START = {"container.sh": CONTAINER, "options.sh": WRITES, "serve.sh": SERVE}


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def written(folder: Path, **texts: str) -> list[str]:
    """The files with these texts; ``a_sh`` is called ``a.sh``."""
    folder.mkdir(exist_ok=True)
    paths = [folder / name.replace("_", ".") for name in texts]
    for path, text in zip(paths, texts.values(), strict=True):
        path.write_text(text)
    return [str(path) for path in paths]


def one(*sources: str) -> Deployment:
    (found,) = load(Request(sources)).deployments
    return found


def concurrencies(found: Deployment) -> list[int]:
    assert found.benchmark is not None
    return [step.concurrency.value for step in found.benchmark.steps if step.concurrency]


@pytest.mark.parametrize("benchmark", [SERVING, WRITES_SERVING], ids=["run", "written"])
def test_the_quick_start_s_server_and_its_sweep_are_one_in_any_order(
    benchmark: str, tmp_path: Path
) -> None:
    paths = written(tmp_path, serve_sh=WRITES + SERVE, bench_sh=benchmark)
    for given in permutations(paths):
        found = one(*given)
        assert found.source == " + ".join(paths)
        assert found.workers[0].engine["moe_config.backend"].value == "CUTLASS"
        assert found.workers[0].capacity == 720 * 8
        assert concurrencies(found) == [32, 64, 128, 256, 512, 1024, 2048, 4096]
        assert "[B024]" in run("check", *given).stdout


def test_the_engine_file_may_be_given_beside_the_two(tmp_path: Path) -> None:
    paths = written(tmp_path, bench_sh=SERVING, options_yaml=OPTIONS, serve_sh=SERVE)
    for given in permutations(paths):
        found = one(*given)
        assert found.workers[0].engine["stream_interval"].value == 20
        assert len(concurrencies(found)) == 8


def test_each_step_of_a_document_may_be_a_script_of_its_own(tmp_path: Path) -> None:
    paths = written(
        tmp_path, a_sh=WRITES_SERVING, b_sh=SERVE, c_sh=WRITES, d_sh=CONTAINER, e_sh="hf download m"
    )
    found = one(*paths)
    worker = found.workers[0]
    assert worker.pod.image is not None
    assert worker.pod.image.value.endswith("release:1.3.0rc14")
    assert found.release is not None
    assert worker.engine["moe_config.backend"].value == "CUTLASS"
    assert worker.engine["moe_config.backend"].place.file == paths[2]
    assert len(concurrencies(found)) == 8


@pytest.mark.parametrize(("tool", "text"), [("aiperf", AIPERF), ("genai-perf", GENAI_PERF)])
def test_the_node_s_launch_script_and_its_load_generator_are_one(
    tool: str, text: str, tmp_path: Path
) -> None:
    launch, bench = written(tmp_path, launch_sh=NODE, bench_sh=text)
    for given in ((launch, bench), (bench, launch)):
        found = one(*given)
        assert [worker.role.value for worker in found.workers] == ["prefill", "decode"]
        assert found.benchmark is not None
        assert found.benchmark.tool is not None
        assert found.benchmark.tool.value == tool
        assert concurrencies(found) == [256]
        assert "256 = as" in run("bench", *given).stdout


def test_parts_that_are_started_by_hand_may_be_a_script_each(tmp_path: Path) -> None:
    paths = written(
        tmp_path, decode_sh=DECODE, front_sh=FRONTEND, prefill_sh=PREFILL, bench_sh=AIPERF
    )
    found = one(*paths)
    gpus = {worker.name: worker.gpus for worker in found.workers}
    assert gpus == {"prefill": 4, "decode": 4}
    assert found.frontend is not None
    assert concurrencies(found) == [256]


def test_every_command_takes_the_two(tmp_path: Path) -> None:
    serve, bench = written(tmp_path, serve_sh=CONTAINER + WRITES + SERVE, bench_sh=SERVING)
    shown = json.loads(run("show", bench, serve, "--format", "json").stdout)
    assert f"{serve} + {bench}" in json.dumps(shown)
    planned = run("bench", bench, serve).stdout
    assert "sweep        8 steps" in planned
    assert "--tokenize-on-client: prompts are sent as token ids there" in planned
    same = run("diff", f"{serve},{bench}", f"{bench},{serve}")
    assert same.exit_code == 0, same.output
    without = run("diff", serve, f"{serve},{bench}")
    assert without.exit_code == 1
    imported = run("import", bench, serve, "--gpu", "b200")
    assert imported.exit_code == 0, imported.output
    assert f"from: 32  # {bench}:" in imported.stdout
    assert "to: 4096" in imported.stdout
    told = " ".join(imported.stderr.split())
    assert "replaced by aiperf, which sends the same load with other prompts" in told
    assert "--random-ids has no equal in aiperf: prompts are runs of token ids there" in told


@pytest.mark.parametrize("command", ["check", "show", "bench", "import"])
@pytest.mark.parametrize("text", [SERVING, WRITES_SERVING, AIPERF], ids=["run", "written", "line"])
def test_a_benchmark_alone_says_what_it_asks_and_what_is_missing(
    command: str, text: str, tmp_path: Path
) -> None:
    (bench,) = written(tmp_path, bench_sh=text)
    result = run(command, bench)
    assert result.exit_code == 2
    assert "this measures openai/gpt-oss-120b at " in result.stderr
    assert "give what starts it along: its script, manifests, compose" in result.stderr
    assert f"as in gptoss check serve.sh {bench}" in result.stderr


def test_of_two_servers_the_one_at_the_benchmark_s_port_is_measured(tmp_path: Path) -> None:
    first, second, bench = written(
        tmp_path,
        first_sh=SERVE,
        second_sh=SERVE.replace("8000", "9000"),
        bench_sh=SERVING.replace("--ignore-eos", "--ignore-eos --port 9000"),
    )
    one_, two = load(Request((first, bench, second))).deployments
    assert (one_.source, one_.benchmark) == (first, None)
    assert two.source == f"{second} + {bench}"
    assert len(concurrencies(two)) == 8


def test_of_two_servers_the_one_with_the_benchmark_s_model_is_measured(tmp_path: Path) -> None:
    first, second, bench = written(
        tmp_path,
        first_sh=SERVE.replace("gpt-oss-120b", "gpt-oss-20b"),
        second_sh=SERVE,
        bench_sh=SERVING,
    )
    other, mine = load(Request((first, second, bench))).deployments
    assert other.benchmark is None
    assert mine.source == f"{second} + {bench}"


def test_each_of_two_servers_may_have_a_benchmark(tmp_path: Path) -> None:
    paths = written(
        tmp_path,
        first_sh=SERVE,
        second_sh=SERVE.replace("8000", "9000"),
        a_sh=AIPERF.replace("8000", "9000"),
        b_sh=SERVING,
    )
    one_, two = load(Request(tuple(paths))).deployments
    assert concurrencies(one_)[-1] == 4096
    assert concurrencies(two) == [256]


def test_where_two_servers_may_answer_the_reader_is_asked_in_one_message(tmp_path: Path) -> None:
    first, second, bench = written(tmp_path, first_sh=SERVE, second_sh=NODE, bench_sh=SERVING)
    result = run("check", first, second, bench)
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert f"each of {first} and {second} may answer there" in result.stderr
    assert "give it with the one that it measures" in result.stderr
    lost = SERVING.replace("--ignore-eos", "--ignore-eos --port 9999")
    (bench,) = written(tmp_path, bench_sh=lost)
    assert (
        f"none of {first} and {second} answers there" in run("check", first, second, bench).stderr
    )


def test_a_part_that_may_belong_to_two_servers_is_asked_about(tmp_path: Path) -> None:
    paths = written(tmp_path, first_sh=SERVE, second_sh=NODE, options_sh=WRITES)
    with pytest.raises(InputError, match="it is not clear whether it belongs to"):
        load(Request(tuple(paths)))


def test_two_whole_servers_stay_two_deployments(tmp_path: Path) -> None:
    assert len(load(Request(tuple(written(tmp_path, a_sh=SERVE, b_sh=NODE)))).deployments) == 2


def test_a_benchmark_beside_a_compose_file_or_manifests_is_theirs(tmp_path: Path) -> None:
    folders = {
        "compose": written(tmp_path / "compose", compose_yaml=COMPOSE, bench_sh=SERVING),
        "manifests": written(
            tmp_path / "manifests",
            deploy_yaml=run(
                "render", "serve-latency-b200", "--as", "manifests"
            ).stdout,
            bench_sh=SERVING,
        ),
    }  # fmt: skip
    for name, (document, bench) in folders.items():
        assert len(concurrencies(one(bench, document))) == 8
        found = one(str(tmp_path / name))
        assert found.benchmark is not None
        assert found.benchmark.tool is not None
        assert found.benchmark.tool.value == "benchmark_serving"


def test_what_documents_of_a_folder_measure_goes_before_a_script_there(tmp_path: Path) -> None:
    run("render", "serve-latency-b200", "--as", "compose", "--output", str(tmp_path))
    written(tmp_path, bench_sh=SERVING)
    found = one(str(tmp_path))
    assert found.benchmark is not None
    assert found.benchmark.tool is not None
    assert found.benchmark.tool.value == "aiperf"


def test_of_several_benchmarks_in_a_folder_none_is_taken_and_all_are_named(tmp_path: Path) -> None:
    written(tmp_path, compose_yaml=COMPOSE, a_sh=SERVING, b_sh=AIPERF)
    found = one(str(tmp_path))
    assert found.benchmark is None
    assert any("a.sh and " in problem.message for problem in found.problems)
