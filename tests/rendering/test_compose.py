"""What a rendered compose file promises."""

from __future__ import annotations

import json
import re
import subprocess
from itertools import chain
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
import yaml

from gptoss.rendering import render_as
from gptoss.rendering.target import read_target
from gptoss.text import plain_yaml
from gptoss.text.errors import InputError
from tests.chart import hostile
from tests.oracles.client import DYNAMO_RELEASES
from tests.rendering.forms import (
    DYNAMO,
    FACTS,
    ON_ONE_MACHINE,
    RELEASES,
    ROOT,
    SERVE,
    SPREAD,
    compose,
    read_back,
    rendered,
    request,
    target,
)

if TYPE_CHECKING:
    from pathlib import Path

    from tests.oracles.client import Oracle

TEXTS = [text for text in hostile.TEXTS if text != hostile.DOUBLED]
EVERY = pytest.mark.parametrize("name", ON_ONE_MACHINE)
GRAPHS = pytest.mark.parametrize("name", [name for name in DYNAMO if name not in SPREAD])
SERVERS = pytest.mark.parametrize("name", SERVE)
WORKER = "gpt-oss.worker"
PROGRAMS = {"dynamo.trtllm": "worker", "dynamo.frontend": "frontend"}


@pytest.fixture(scope="session")
def schema() -> dict[str, Any]:
    """The JSON Schema of the compose specification."""
    script = ROOT / "tools" / "setup" / "compose_schema.sh"
    path = subprocess.run([script], capture_output=True, text=True, check=True).stdout.strip()
    with open(path, encoding="utf-8") as file:  # noqa: PTH123 (the script gives a name)
        loaded: dict[str, Any] = json.load(file)
    return loaded


def services(name: str, *settings: str, release: str | None = None) -> dict[str, dict[str, Any]]:
    """All but those of the profile monitoring, which test_monitoring.py is about."""
    found: dict[str, dict[str, Any]] = compose(name, *settings, release=release)["services"]
    return {n: s for n, s in found.items() if s.get("profiles") != ["monitoring"]}


def workers(found: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Services that have GPUs."""
    return {name: service for name, service in found.items() if "deploy" in service}


def gpus(service: dict[str, Any]) -> list[str]:
    (device,) = service["deploy"]["resources"]["reservations"]["devices"]
    assert device["driver"] == "nvidia"
    assert device["capabilities"] == ["gpu"]
    ids: list[str] = device["device_ids"]
    return ids


def own(service: dict[str, Any]) -> list[str]:
    """The GPUs that a service computes on, of those that it is handed."""
    chosen: str | None = service["environment"].get("CUDA_VISIBLE_DEVICES")
    return chosen.split(",") if chosen else gpus(service)


def words(service: dict[str, Any]) -> list[str]:
    return [*service["entrypoint"], *service.get("command", [])]


@EVERY
def test_it_validates_against_the_compose_specification(name: str, schema: dict[str, Any]) -> None:
    jsonschema.validate(compose(name), schema)


def test_the_schema_refuses_what_compose_refuses(schema: dict[str, Any]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"services": {"decode": {"shared_memory": "80g"}}}, schema)


@EVERY
def test_every_worker_has_gpus_of_its_own_in_order(name: str) -> None:
    found = list(chain.from_iterable(own(s) for s in workers(services(name)).values()))
    assert found == [str(number) for number in range(target(name).gpus)]


def test_replicas_are_services_with_gpus_of_their_own() -> None:
    found = workers(services("disagg-b200", "workers.prefill.replicas=2"))
    assert {name: own(service) for name, service in found.items()} == {
        "prefill-0": ["0"],
        "prefill-1": ["1"],
        "decode": ["2", "3", "4", "5"],
    }
    labels = {name: service["labels"][WORKER] for name, service in found.items()}
    assert labels == {"prefill-0": "prefill", "prefill-1": "prefill", "decode": "decode"}


@pytest.mark.parametrize("release", RELEASES)
def test_etcd_is_there_and_nats_only_where_the_release_sends_events_over_it(release: str) -> None:
    found = services("disagg-b200-node", release=release)
    needs_nats = FACTS.releases[release].event_plane == "nats"
    assert ("nats" in found, "etcd" in found) == (needs_nats, True)
    for service in ("frontend", *workers(found)):
        environment = found[service]["environment"]
        assert environment["ETCD_ENDPOINTS"] == "http://etcd:2379"
        assert ("NATS_SERVER" in environment) == needs_nats


@SERVERS
def test_trtllm_serve_is_one_service_and_nothing_beside_it_serves(name: str) -> None:
    found = services(name)
    assert set(found) == {"server", "download", "smoke", "bench"}
    assert found["server"]["entrypoint"][0] == "trtllm-serve"
    assert found["smoke"]["command"] == ["--names", "no"]


@EVERY
def test_images_are_pinned(name: str) -> None:
    for service in services(name).values():
        tag = service["image"].rpartition(":")[2]
        assert tag[:1].isdigit() or tag.startswith("v3.")


@EVERY
def test_only_the_port_of_the_api_is_published_and_only_to_this_machine(name: str) -> None:
    published = [port for service in services(name).values() for port in service.get("ports", [])]
    assert published == ["127.0.0.1:8000:8000"]


@EVERY
def test_what_serves_waits_for_what_it_needs_and_says_when_it_is_ready(name: str) -> None:
    found = services(name)
    serving = [s for n, s in found.items() if n == "frontend" or n in workers(found)]
    for service in serving:
        assert service["healthcheck"]["start_period"] == "2h"
        assert service["depends_on"]["download"] == {
            "condition": "service_completed_successfully",
            "required": False,
        }
    for server in {"etcd", "nats"} & set(found):
        assert "healthcheck" in found[server]
        assert all(s["depends_on"][server] == {"condition": "service_healthy"} for s in serving)
    for job in ("smoke", "bench"):
        waits_for = {n for n in found if n == "frontend" or n in workers(found)}
        assert set(found[job]["depends_on"]) == waits_for


@EVERY
def test_workers_get_shared_memory_and_locked_memory(name: str) -> None:
    for service in workers(services(name)).values():
        worker = next(w for w in target(name).workers if w.name == service["labels"][WORKER])
        assert worker.pod.shared_memory
        if "ipc" not in service:
            assert service["shm_size"] == worker.pod.shared_memory.value.replace("Gi", "g")
        assert service["ulimits"] == {"memlock": -1, "stack": 67108864, "nofile": 65536}


@EVERY
def test_what_holds_a_connection_a_request_may_open_as_many_files(name: str) -> None:
    found = services(name)
    for service in {"frontend", "bench", *workers(found)} & set(found):
        assert found[service]["ulimits"]["nofile"] == 65536


@pytest.mark.parametrize("name", ["disagg-b200", "disagg-b200-node"])
def test_prefill_and_decode_can_open_the_gpu_memory_of_each_other(name: str) -> None:
    found = services(name)
    both = workers(found)
    assert set(both) == {"prefill", "decode"}
    for service in both.values():
        assert (service["ipc"], service["pid"]) == ("service:namespaces", "service:namespaces")
        assert gpus(service) == [str(number) for number in range(target(name).gpus)]
        assert service["depends_on"]["namespaces"] == {"condition": "service_started"}
        assert "shm_size" not in service
    holder = found["namespaces"]
    assert (holder["ipc"], holder["init"], holder["image"]) == (
        "shareable",
        True,
        both["prefill"]["image"],
    )
    sizes = [w.pod.shared_memory.value for w in target(name).workers if w.pod.shared_memory]
    assert holder["shm_size"] == f"{sum(int(size.removesuffix('Gi')) for size in sizes)}g"


@pytest.mark.parametrize("name", ["agg-gb200", "serve-latency-b200"])
def test_nothing_is_shared_where_no_cache_is_handed_over_on_one_machine(name: str) -> None:
    found = services(name)
    assert "namespaces" not in found
    assert not any({"ipc", "pid"} & set(service) for service in found.values())


@EVERY
def test_no_service_is_in_a_namespace_of_the_machine_or_has_a_capability(name: str) -> None:
    for service in services(name).values():
        assert "host" not in (service.get("ipc"), service.get("pid"), service.get("network_mode"))
        assert "cap_add" not in service


@EVERY
def test_the_token_reaches_the_download_alone_and_is_not_in_the_file(name: str) -> None:
    with_token = [n for n, s in services(name).items() if "HF_TOKEN" in s.get("environment", {})]
    assert with_token == ["download"]
    assert services(name)["download"]["environment"]["HF_TOKEN"] == "${HF_TOKEN:-}"  # noqa: S105


@EVERY
def test_what_does_not_serve_starts_only_when_it_is_asked_for(name: str) -> None:
    found = services(name)
    jobs = {"download", "smoke", "bench"}
    assert {n: s["profiles"] for n, s in found.items() if "profiles" in s} == {n: [n] for n in jobs}


@EVERY
def test_every_file_that_is_mounted_is_beside_it(name: str) -> None:
    files = rendered("compose", name).files
    for service in services(name).values():
        for volume in service.get("volumes", []):
            source = volume.partition(":")[0]
            if source.startswith("./") and source != "./results":
                assert any(file.startswith(f"{source[2:]}/") for file in files), source
        for word in words(service) if "entrypoint" in service else []:
            for folder in ("engine", "scripts"):
                prefix = f"/etc/gpt-oss/{folder}/"
                if word.startswith(prefix):
                    assert f"{folder}/{word.removeprefix(prefix)}" in files


@EVERY
def test_engine_files_say_what_the_chart_renders_with_its_comments(name: str) -> None:
    for file, text in rendered("compose", name).files.items():
        if file.startswith("engine/"):
            worker = next(w for w in target(name).workers if f"{w.name}.yaml" == file[7:])
            engine = plain_yaml.load(text)
            assert engine["max_batch_size"] == worker.engine.whole("max_batch_size")
            written = read_target(request(name)).values["workers"][worker.name]
            assert ("#" in text) == ("engine" not in written)
            assert "yaml-language-server" not in text


@GRAPHS
@pytest.mark.parametrize("release", DYNAMO_RELEASES)
def test_dynamos_own_parsers_take_every_command_line(
    name: str, release: str, dynamo_oracles: dict[str, Oracle]
) -> None:
    asked = 0
    for service in services(name, release=release).values():
        line = words(service) if "entrypoint" in service else []
        if len(line) > 2 and line[2] in PROGRAMS:
            asked += 1
            verdict = dynamo_oracles[
                release
            ].ask(
                PROGRAMS[line[2]],  # type: ignore[arg-type]
                line[3:],
                service["environment"],
            )
            assert verdict.ok, verdict.error
    assert asked == len(workers(services(name, release=release))) + 1


@EVERY
def test_aiperf_takes_the_benchmarks_command_line(
    name: str, aiperf_oracle: Oracle, tmp_path: Path
) -> None:
    benchmark = read_back(rendered("compose", name), tmp_path, "compose.yaml").benchmark
    assert benchmark
    assert benchmark.steps
    for step in benchmark.steps:
        line = [word.value for word in step.command.words]
        assert line[:2] == ["aiperf", "profile"]
        verdict = aiperf_oracle.ask("aiperf", line[2:])
        assert verdict.ok, verdict.error


@EVERY
def test_clients_ask_the_service_that_listens(name: str) -> None:
    found = services(name)
    listening = "frontend" if "frontend" in found else "server"
    for job in ("smoke", "bench"):
        assert f"http://{listening}:8000" in words(found[job])


def test_a_dollar_sign_in_a_value_is_no_variable() -> None:
    setting = "workers.decode.env.NOTE=costs $5 and $HOME"
    text = rendered("compose", "disagg-b200", setting).files["compose.yaml"]
    assert "costs $$5 and $$HOME" in text


def test_every_text_of_the_values_is_text_to_yaml_and_to_compose(tmp_path: Path) -> None:
    env = {f"NOTE_{n}": text for n, text in enumerate(TEXTS)}
    values = {
        "workers": {"worker": {"extraArgs": list(TEXTS), "env": env}},
        "benchmark": {"runId": "${HOME} $$", "extraArgs": list(TEXTS)},
    }
    laid = tmp_path / "laid.yaml"
    laid.write_text(json.dumps(values, ensure_ascii=False), encoding="utf-8")
    asked = request("serve-h100-2", "description=a\nb: c", files=(str(laid),))
    text = render_as("compose", asked).files["compose.yaml"]
    found = yaml.safe_load(text)
    assert "b" not in found
    # What compose makes of a value: two dollar signs are one, and there is no single one.
    assert "$" not in re.sub(r"\$\$|\$\{(MODEL|HF_)", "", json.dumps(found["services"]))
    server = found["services"]["server"]
    given = {n: v.replace("$$", "$") for n, v in server["environment"].items() if n in env}
    assert given == env
    for service in (server, found["services"]["bench"]):
        said = [word.replace("$$", "$") for word in words(service)]
        assert [word for word in said if word in TEXTS] == list(TEXTS)


def test_a_secret_is_not_written_but_passed_on() -> None:
    found = rendered("compose", "serve-h100-2", "workers.worker.env.DB_PASSWORD=hunter2")
    text = found.files["compose.yaml"]
    assert "hunter2" not in text
    assert plain_yaml.load(text)["services"]["server"]["environment"]["DB_PASSWORD"] is None
    assert "DB_PASSWORD" in found.notes[0]


def test_a_worker_on_several_nodes_is_refused_with_what_to_use_instead() -> None:
    settings = ("workers.worker.engine.tensor_parallel_size=8", "hardware.gpu=gb200")
    with pytest.raises(InputError, match=r"worker spans 2 nodes.*--as manifests"):
        render_as("compose", request("agg-gb200", *settings))


def test_a_target_that_no_machine_holds_is_refused_with_what_to_use_instead() -> None:
    with pytest.raises(InputError, match=r"takes 5 GPUs.* has 4; use --as shell.*kustomize"):
        render_as("compose", request("disagg-gb200"))


def test_the_head_says_how_it_was_written_and_how_to_start_it() -> None:
    overlay = str(ROOT / "values" / "quant-w4a8-mxfp4-mxfp8.yaml")
    asked = request("agg-gb200", "frontend.replicas=1", files=(overlay,))
    text = render_as("compose", asked).files["compose.yaml"]
    head = text.partition("\nname:")[0]
    assert "`gptoss render agg-gb200 -f " in head
    assert "--set frontend.replicas=1 --as compose`" in head
    for command in ("up -d --wait", "run --rm smoke", "run --rm bench", '--profile "*" down'):
        assert f"docker compose {command}" in head
    told = plain_yaml.load(text)["x-gpt-oss"]
    assert told == {
        "target": "agg-gb200 + quant-w4a8-mxfp4-mxfp8",
        "gpu": "gb200",
        "release": "1.3.1",
    }
