"""Engine files with roles, and a configuration of disaggregated servers, are one deployment."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from gptoss.cli import main
from gptoss.deployment.model import Deployment, Role, Runtime
from gptoss.sources.load import load
from gptoss.sources.request import Request

if TYPE_CHECKING:
    from pathlib import Path

TOLD = ("--release", "1.3.1", "--gpu", "b200")
UCX = "tensor_parallel_size: 1\ncache_transceiver_config: {backend: UCX}\n"
NIXL = "tensor_parallel_size: 2\ncache_transceiver_config: {backend: NIXL}\n"
SERVERS = """\
hostname: localhost
port: 8000
model: openai/gpt-oss-120b
cuda_graph_config: null
free_gpu_memory_fraction: 0.7
context_servers:
  num_instances: 2
  tensor_parallel_size: 1
  kv_cache_config: {dtype: auto}
  cache_transceiver_config: {backend: UCX}
  router: {type: round_robin}
  urls: ["localhost:8001", "localhost:8003"]
generation_servers:
  num_instances: 1
  tensor_parallel_size: 4
  cache_transceiver_config: {backend: NIXL}
  urls: ["localhost:8002"]
"""
ADDRESSES = """\
backend: pytorch
context_servers: {num_instances: 2, urls: ["a:8001", "b:8001"]}
generation_servers: {num_instances: 1, urls: ["c:8001"]}
"""


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def written(folder: Path, **texts: str) -> list[str]:
    """The files with these texts; ``a__b`` is ``a/b.yaml``."""
    paths = [folder / f"{name.replace('__', '/')}.yaml" for name in texts]
    for path, text in zip(paths, texts.values(), strict=True):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return [str(path) for path in paths]


def loaded(*sources: str) -> list[Deployment]:
    return load(Request(sources)).deployments


def roles(deployment: Deployment) -> list[str]:
    return [worker.role.value for worker in deployment.workers]


@pytest.mark.parametrize(
    "names",
    [
        ("prefill", "decode"),
        ("ctx_config", "gen_config"),
        ("8k1k-context", "8k1k-generation"),
        ("ctx1", "gen0"),
        ("prefill__engine", "decode__engine"),
    ],
)
def test_files_with_roles_in_their_names_are_one_deployment(
    names: tuple[str, str], tmp_path: Path
) -> None:
    paths = written(tmp_path, **dict(zip(names, (UCX, NIXL), strict=True)))
    for given in (paths, paths[::-1]):
        (found,) = loaded(*given)
        assert set(roles(found)) == {"prefill", "decode"}
        assert found.source == " + ".join(given)
        assert len({worker.name for worker in found.workers}) == 2
        assert found.engine_only
    checked = run("check", *paths, *TOLD)
    assert "NIXL on" in checked.stdout
    assert "[D005]" in checked.stdout


def test_a_folder_of_engine_files_is_one_deployment_for_each_pair(tmp_path: Path) -> None:
    written(tmp_path, ctx_1k=UCX, gen_1k=UCX, ctx_8k=UCX, gen_8k=NIXL, agg=UCX)
    found = loaded(str(tmp_path))
    assert [roles(each) for each in found] == [["prefill", "decode"]] * 2 + [["aggregated"]]
    assert [each.source.count("8k") for each in found] == [0, 2, 0]


def test_pairs_that_nothing_tells_stay_apart(tmp_path: Path) -> None:
    written(tmp_path, ctx_a=UCX, ctx_b=UCX, gen_c=NIXL)
    assert [roles(each) for each in loaded(str(tmp_path))] == [["prefill"], ["prefill"], ["decode"]]


def test_roles_are_given_in_the_order_of_the_files(tmp_path: Path) -> None:
    paths = written(tmp_path, one=UCX, two=NIXL, three=NIXL)
    asked = [word for role in ("prefill", "decode", "decode") for word in ("--role", role)]
    shown = run("show", *paths, *asked).stdout
    assert "one (prefill)" in shown
    assert "two (decode)" in shown
    assert "three (decode)" in shown
    assert run("check", *paths, *asked, *TOLD).stdout.count("cannot be handed over") == 2
    refused = run("check", *paths, *asked[:4])
    assert (refused.exit_code, "--role is given 2 times" in refused.stderr) == (2, True)


def test_one_role_is_that_of_each_file(tmp_path: Path) -> None:
    paths = written(tmp_path, prefill=UCX, decode=UCX)
    found = load(Request(tuple(paths), roles=("decode",))).deployments
    assert [roles(each) for each in found] == [["decode"], ["decode"]]


@pytest.mark.parametrize("name", ["text-generation", "context"])
def test_a_word_with_other_meanings_is_a_role_only_where_a_cache_is_transferred(
    name: str, tmp_path: Path
) -> None:
    (plain,) = written(tmp_path / "a", **{name: "max_batch_size: 8\n"})
    (sent,) = written(tmp_path / "b", **{name: UCX})
    assert [roles(each) for each in loaded(plain)] == [["aggregated"]]
    assert [roles(each) for each in loaded(sent)] != [["aggregated"]]


def test_gpus_are_not_told_for_several_files(tmp_path: Path) -> None:
    refused = run("check", *written(tmp_path, prefill=UCX, decode=UCX), "--gpus", "4")
    assert (refused.exit_code, "--gpus is for one engine file" in refused.stderr) == (2, True)


def test_a_configuration_of_disaggregated_servers_is_read_with_what_both_share(
    tmp_path: Path,
) -> None:
    (found,) = loaded(*written(tmp_path, disagg_config=SERVERS))
    assert found.runtime is Runtime.SERVE
    prefill, decode = found.workers
    assert (prefill.name, decode.name) == ("context_servers", "generation_servers")
    assert (prefill.role, decode.role) == (Role.PREFILL, Role.DECODE)
    assert (prefill.replica_count, prefill.gpus, decode.gpus) == (2, 1, 4)
    assert found.gpus == 6
    assert found.model is not None
    for worker in found.workers:
        assert worker.engine["cuda_graph_config"].is_set
        assert worker.engine.number("kv_cache_config.free_gpu_memory_fraction") == 0.7
        own = {setting.key.partition(".")[0] for setting in worker.engine}
        assert not own & {"router", "urls", "num_instances", "port", "hostname", "backend"}


def test_its_pairs_are_judged_at_the_lines_to_edit(tmp_path: Path) -> None:
    (path,) = written(tmp_path, disagg_config=SERVERS)
    checked = run("check", path, *TOLD).stdout
    assert f"{path}:16:30: error: cache_transceiver_config.backend is NIXL" in checked
    assert f"{path}:10:30: the other side says UCX" in checked


@pytest.mark.parametrize("in_folder", [True, False])
def test_its_several_files_are_one_deployment(in_folder: bool, tmp_path: Path) -> None:
    paths = written(tmp_path, disagg_config=ADDRESSES, ctx_config=UCX, gen_config=NIXL)
    (found,) = loaded(*([str(tmp_path)] if in_folder else paths))
    assert roles(found) == ["prefill", "decode"]
    assert [worker.replica_count for worker in found.workers] == [2, 1]
    assert found.workers[1].engine.whole("tensor_parallel_size") == 2
    assert "[D005]" in run("check", *paths, *TOLD).stdout


def test_what_its_files_do_not_tell_is_unknown(tmp_path: Path) -> None:
    (found,) = loaded(*written(tmp_path, disagg_config=ADDRESSES))
    assert [worker.engine_known for worker in found.workers] == [False, False]
    assert found.capacity is None


@pytest.mark.parametrize(
    ("before", "after", "rule"),
    [
        ("  num_instances: 2\n", "", "D061"),
        ('"localhost:8002"', '"http://localhost:8002"', "D061"),
        ("  tensor_parallel_size: 4\n", "  free_gpu_memory_fraction: 0.8\n", "D060"),
    ],
)
def test_what_trtllm_serve_refuses_of_it_is_an_error(
    before: str, after: str, rule: str, tmp_path: Path
) -> None:
    assert before in SERVERS
    (path,) = written(tmp_path, disagg_config=SERVERS.replace(before, after))
    assert f"[{rule}]" in run("check", path, *TOLD).stdout


def test_with_service_discovery_it_needs_no_addresses(tmp_path: Path) -> None:
    found = "disagg_cluster: {cluster_uri: 'http://a:18000'}\n"
    text = SERVERS.replace('["localhost:8001", "localhost:8003"]', "[]") + found
    assert "[D061]" not in run("check", *written(tmp_path, disagg=text), *TOLD).stdout


@pytest.mark.parametrize("text", ["context_servers:\n", "context_servers: null\nport: 8000\n"])
def test_a_list_without_servers_is_refused_in_one_sentence(text: str, tmp_path: Path) -> None:
    refused = run("check", *written(tmp_path, disagg=text))
    assert (refused.exit_code, "no server is listed" in refused.stderr) == (2, True)


@pytest.mark.parametrize("size", ["0", "-1", "x", "[]", "{}", "null"])
def test_a_size_that_is_none_is_no_reason_to_stop(size: str, tmp_path: Path) -> None:
    text = SERVERS.replace("tensor_parallel_size: 4", f"tensor_parallel_size: {size}")
    assert run("check", *written(tmp_path, disagg=text), *TOLD).exit_code == 1
