"""What a given file is, is found at one door, by the same table for files and folders."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from gptoss.cli import main
from gptoss.comparing.compare import compare
from gptoss.deployment.model import Platform
from gptoss.facts import folders
from gptoss.facts.world import Facts
from gptoss.sources.chart.values_files import is_values
from gptoss.sources.given import GivenFile
from gptoss.sources.kinds import KINDS, kind_of
from gptoss.sources.load import load
from gptoss.sources.request import Request
from gptoss.text import files
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

FACTS = Facts()
BOM = "\ufeff"
AIPERF = """\
aiperf profile --model openai/gpt-oss-120b --url http://localhost:8000 --endpoint-type chat \\
  --concurrency 4096 --request-count 8192 --isl 1000 --osl 500 --streaming
"""
TEXTS = {
    "a values file of the chart": "workers: {}\n",
    "a load generator's command line": AIPERF,
    "a shell script or command line": "trtllm-serve openai/gpt-oss-120b --tp_size 8\n",
    "a docker compose file": "services: {server: {image: a}}\n",
    "a Truss config.yaml": "trt_llm: {}\n",
    "a configuration of trtllm-serve disaggregated": "context_servers: {num_instances: 1}\n",
    "an engine file of TensorRT-LLM": "max_batch_size: 64\n",
    "Kubernetes manifests": "apiVersion: v1\nkind: ConfigMap\n---\na: 1\n",
}


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def test_every_kind_has_an_example_here() -> None:
    assert [kind.name for kind in KINDS] == list(TEXTS)


@pytest.mark.parametrize("mark", ["", BOM], ids=["plain", "with a byte order mark"])
@pytest.mark.parametrize("name", TEXTS)
def test_a_file_is_known_by_what_stands_in_it(name: str, mark: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text(mark + TEXTS[name], encoding="utf-8")
    kind = kind_of(GivenFile(path), FACTS)
    assert kind is not None
    assert kind.name == name


def test_a_values_file_with_a_byte_order_mark_is_the_target_that_it_is_without(
    tmp_path: Path,
) -> None:
    values = tmp_path / "bom.yaml"
    text = folders.values_files()["agg-gb200"].read_text(encoding="utf-8")
    only_workers = "workers:\n" + text.partition("\nworkers:\n")[2]
    values.write_text(BOM + only_workers, encoding="utf-8")
    workload = ("inputTokens=128", "outputTokens=100", "concurrencyPerGpu=8")
    settings = ("hardware.gpu=gb200", *(f"workload.{each}" for each in workload))
    (found,) = load(Request((str(values),), settings=settings)).deployments
    (overlay,) = load(Request(files=(str(values),), settings=settings)).deployments
    values.write_text(only_workers, encoding="utf-8")
    (plain,) = load(Request((str(values),), settings=settings)).deployments
    assert found.problems == ()
    assert compare(found, plain) == compare(found, overlay) == []


@pytest.mark.parametrize(
    ("name", "text"),
    [("a.yaml", "colour: red\n"), ("a.yaml", "- 1\n"), ("notes.txt", "a: [1\n"), ("a.yaml", "")],
)
def test_what_is_nothing_of_that_gets_a_list_of_what_is_understood(
    name: str, text: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text)
    result = run("check", str(tmp_path / name))
    assert result.exit_code == 2
    assert all(kind.name in result.stderr for kind in KINDS)


@pytest.mark.parametrize(
    "text",
    [
        "hardware: {gpus_per_node: 4}\nworker_config: {}\n",
        "benchmark: {name: throughput, backend: trtllm}\n",
        "frontend: {port: 8000}\nimage: {}\ningress: {}\nreplicaCount: 2\n",
        "runtime: nvidia\n",
    ],
)
def test_a_file_of_somebody_else_s_is_no_values_file(text: str, tmp_path: Path) -> None:
    path = tmp_path / "values.yaml"
    path.write_text(text)
    assert not is_values(GivenFile(path))


@pytest.mark.parametrize(
    "text",
    [
        "hardware: {gpu: b200}\nwrokers: {}\n",
        "benchmark: {enabled: true}\n",
        "modelCache: {sizze: 1Gi, existingClaim: a}\n",
        "workers: {worker: {role: aggregated}\n",
    ],
)
def test_a_values_file_stays_one_with_a_mistake_in_it(text: str, tmp_path: Path) -> None:
    path = tmp_path / "values.yaml"
    path.write_text(text)
    assert is_values(GivenFile(path))


def test_every_shipped_values_file_is_one() -> None:
    assert all(is_values(GivenFile(path)) for path in folders.values_files().values())


def test_a_given_file_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    content_of = files.content_of

    def noted(path: Path) -> bytes:
        read.append(str(path))
        return content_of(path)

    monkeypatch.setattr(files, "content_of", noted)
    script, engine = tmp_path / "serve.sh", tmp_path / "engine.yaml"
    script.write_text(TEXTS["a shell script or command line"].strip() + " --config /x/engine.yaml")
    engine.write_text(TEXTS["an engine file of TensorRT-LLM"])
    (found,) = load(Request((str(script), str(engine)))).deployments
    assert found.workers[0].engine["max_batch_size"].value == 64
    assert sorted(read) == sorted([str(script), str(engine)])


@pytest.fixture
def workload(tmp_path: Path) -> str:
    path = tmp_path / "prodbench.sh"
    path.write_text("#!/bin/sh\n" + AIPERF)
    return str(path)


def sources(tmp_path: Path) -> list[str]:
    """A target, its manifests and a script."""
    manifests = tmp_path / "manifests.yaml"
    manifests.write_text(run("render", "agg-gb200", "--as", "manifests").stdout)
    script = tmp_path / "launch.sh"
    script.write_text("# gptoss: gpu=gb200 release=1.2.1\n" + TEXTS[KINDS[2].name])
    return ["agg-gb200", str(manifests), str(script)]


def test_a_load_generator_s_script_is_the_benchmark_of_what_is_given_along(
    workload: str, tmp_path: Path
) -> None:
    for source in sources(tmp_path):
        (found,) = load(Request((source, workload))).deployments
        assert found.benchmark is not None
        assert found.benchmark.concurrency is not None
        assert found.benchmark.concurrency.value == 4096
        assert found.benchmark.concurrency.place.file == workload
        checked = run("check", source, workload).stdout
        assert "prodbench.sh:3:3: warning: 4096 requests are in flight, but" in checked
        assert "Job benchmark" not in checked
        shown = run("bench", source, workload).stdout
        assert f"concurrency  4,096 = as {found.benchmark.concurrency.place} says" in shown


def test_a_load_generator_s_script_goes_with_values_laid_over_and_with_diff(
    workload: str, tmp_path: Path
) -> None:
    (found,) = load(
        Request(("agg-gb200", workload), settings=("workers.worker.replicas=2",))
    ).deployments
    assert found.workers[0].replica_count == 2
    assert found.platform is Platform.KUBERNETES
    compared = run("diff", "agg-gb200", f"agg-gb200,{workload}").stdout
    assert "4096" in compared
    with pytest.raises(InputError, match="-f and --set are for targets"):
        load(Request((sources(tmp_path)[1], workload), settings=("a=b",)))


@pytest.mark.parametrize("command", ["check", "show", "bench"])
def test_a_load_generator_s_script_alone_is_told_what_is_missing(
    command: str, workload: str
) -> None:
    result = run(command, workload)
    assert result.exit_code == 2
    assert "this measures openai/gpt-oss-120b at http://localhost:8000" in result.stderr
    assert "and starts no server; give what starts it along" in result.stderr
    assert "one benchmark at a time" in run(command, "agg-gb200", workload, workload).stderr
