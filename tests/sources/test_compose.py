"""A docker compose file, ours or anybody's, is read into the same deployment as manifests."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from gptoss.checking.checker import run
from gptoss.deployment.model import Platform, Role, Runtime
from gptoss.deployment.settings import Layer
from gptoss.facts.world import Facts
from gptoss.sources.containers.compose_text import interpolated, variables_of, words
from gptoss.sources.load import load
from gptoss.sources.request import Request
from gptoss.text import budget, plain_yaml
from gptoss.text.budget import Kind
from gptoss.text.errors import InputError
from gptoss.text.yaml_tree import Tree, parse_documents

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Deployment, Worker

FACTS = Facts()
IMAGE = "nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:1.2.1"
SERVE_IMAGE = "nvcr.io/nvidia/tensorrt-llm/release:1.3.0rc14"
ENGINE = "tensor_parallel_size: 2\nmax_batch_size: 64\n"


def read(folder: Path, text: str, **options: str) -> Deployment:
    (folder / "compose.yaml").write_text(textwrap.dedent(text))
    request = Request((str(folder / "compose.yaml"),), **options)  # type: ignore[arg-type]
    (deployment,) = load(request).deployments
    return deployment


def worker(folder: Path, fields: str, **options: str) -> Worker:
    """The worker of a service with these fields."""
    service = textwrap.indent(textwrap.dedent(fields), "    ")
    text = f"services:\n  decode:\n    image: {IMAGE}\n{service}"
    if "command" not in fields:
        text += "    command: [python3, -m, dynamo.trtllm, --model, openai/gpt-oss-120b]\n"
    (found,) = read(folder, text, **options).workers
    return found


def rules(deployment: Deployment) -> set[str]:
    return {finding.rule.id for finding in run(deployment, FACTS).findings}


def reserved(device: str) -> str:
    """A reservation of a device."""
    return f"deploy: {{resources: {{reservations: {{devices: [{{{device}}}]}}}}}}"


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ("gpus: [{device_ids: ['2', '3']}]", 2),
        ("gpus: [{driver: nvidia, count: 3}]", 3),
        ("gpus: all", 8),
        (reserved("driver: nvidia, count: 4, capabilities: [gpu]"), 4),
        (reserved("device_ids: ['0'], capabilities: [gpu]"), 1),
        (reserved("count: all, capabilities: [gpu]"), 8),
        (reserved("capabilities: [tpu]"), None),
        ("runtime: nvidia\nenvironment: {NVIDIA_VISIBLE_DEVICES: '4,5,6,7'}", 4),
        ("runtime: nvidia\nenvironment: [NVIDIA_VISIBLE_DEVICES=all]", 8),
        ("runtime: nvidia", 8),
        ("gpus: all\nenvironment: ['CUDA_VISIBLE_DEVICES=0,1']", 2),
        ("environment: {NCCL_DEBUG: INFO}", None),
    ],
)
def test_gpus_are_counted_however_a_service_asks_for_them(
    fields: str, expected: int | None, tmp_path: Path
) -> None:
    found = worker(tmp_path, fields + "\n", gpu="b200").gpus_per_pod
    assert (found.value if found else None) == expected


def test_all_gpus_of_an_unknown_machine_are_not_guessed(tmp_path: Path) -> None:
    assert worker(tmp_path, "gpus: all\n").gpus_per_pod is None


@pytest.mark.parametrize(
    "command",
    [
        "command: [python3, -m, dynamo.trtllm, --max-batch-size, '32']",
        "command: python3 -m dynamo.trtllm --max-batch-size 32",
        "command: >\n  python3 -m dynamo.trtllm\n  --max-batch-size 32",
        "entrypoint: [python3, -m, dynamo.trtllm]\ncommand: ['--max-batch-size', 32]",
        "entrypoint: python3 -m\ncommand: dynamo.trtllm --max-batch-size=32",
        "command: [bash, -c, 'exec python3 -m dynamo.trtllm --max-batch-size 32']",
        "command: sh -c 'exec python3 -m dynamo.trtllm --max-batch-size 32'",
    ],
)
def test_a_command_is_read_however_it_is_written(command: str, tmp_path: Path) -> None:
    found = worker(tmp_path, command + "\n")
    setting = found.engine["max_batch_size"]
    assert (setting.value, setting.winner and setting.winner.layer) == (32, Layer.FLAG)


def test_a_flag_stands_where_it_is_written_in_a_line_of_several(tmp_path: Path) -> None:
    command = """\
        command: >
          python3 -m dynamo.trtllm
          --model openai/gpt-oss-120b
          --max-batch-size 32
        """
    place = worker(tmp_path, command).engine["max_batch_size"].place
    assert (Path(place.file).name, place.line, place.column) == ("compose.yaml", 7, 7)


def test_variables_are_read_from_a_map_and_from_a_list(tmp_path: Path) -> None:
    for fields in (
        "environment: {HF_HUB_OFFLINE: 1, NOTE: 'a=b', SWITCH: true, FROM_SHELL: }\n",
        "environment: [HF_HUB_OFFLINE=1, NOTE=a=b, SWITCH=true, FROM_SHELL]\n",
    ):
        found = worker(tmp_path, fields).pod.environment
        assert {name: variable.value for name, variable in found.items()} == {
            "HF_HUB_OFFLINE": "1",
            "NOTE": "a=b",
            "SWITCH": "true",
            "FROM_SHELL": None,
        }


def test_kubernetes_references_mean_nothing_to_compose(tmp_path: Path) -> None:
    found = worker(tmp_path, "environment: [ONE=1, 'TWO=$$(ONE)']\n").pod
    assert found.variable("TWO") == "$(ONE)"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("${SET}", "value"),
        ("$SET-x", "value-x"),
        ("${UNSET:-default}", "default"),
        ("${EMPTY:-default}", "default"),
        ("${EMPTY-default}", ""),
        ("${UNSET-${SET}}", "value"),
        ("${SET:+other}", "other"),
        ("${UNSET:+other}", ""),
        ("${UNSET}", ""),
        ("${SET:?must be there}", "value"),
        ("$$SET $${SET}", "$SET ${SET}"),
    ],
)
def test_variables_are_filled_in_as_compose_does(text: str, expected: str) -> None:
    (tree,) = parse_documents(f"key: '{text}'", "compose.yaml")
    found = interpolated(tree, {"SET": "value", "EMPTY": ""})
    assert found.text("key") == expected
    assert found.at("key") is not None
    assert found.at("key").place == tree.at("key").place  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("${UNSET:?give a token}", "UNSET must be set: give a token"),
        ("${UNSET?}", "UNSET must be set"),
        ("costs 5$", r"write \$\$ for the sign"),
        ("$(date)", r"write \$\$ for the sign"),
    ],
)
def test_a_variable_that_compose_refuses_is_refused_at_its_place(text: str, message: str) -> None:
    (tree,) = parse_documents(f"a: 1\nkey: '{text}'", "compose.yaml")
    with pytest.raises(InputError, match=rf"compose.yaml:2:6: .*{message}"):
        interpolated(tree, {})


def test_the_file_env_beside_it_is_read_and_the_shell_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".env").write_text("# tags\nTAG=1.3.1\nexport NAME='a b' \nBATCH=16 # few\n")
    monkeypatch.setenv("TAG", "1.6.1")
    image = IMAGE.replace("1.2.1", "${TAG}")
    text = f"""\
        services:
          decode:
            image: {image}
            command: python3 -m dynamo.trtllm --max-batch-size $BATCH
        """
    found = read(tmp_path, text)
    assert found.release is not None
    assert found.release.version == "1.3.1"
    assert found.workers[0].engine.whole("max_batch_size") == 16
    assert variables_of((tmp_path / ".env").read_text())["NAME"] == "a b"


@pytest.mark.parametrize(
    "volumes",
    [
        "volumes: ['./engine:/etc/engine:ro']",
        "volumes: ['./engine/decode.yaml:/etc/engine/decode.yaml']",
        "volumes: [{type: bind, source: ./engine, target: /etc/engine, read_only: true}]",
    ],
)
def test_the_engine_yaml_is_read_beside_the_file_with_its_own_lines(
    volumes: str, tmp_path: Path
) -> None:
    (tmp_path / "engine").mkdir()
    (tmp_path / "engine" / "decode.yaml").write_text(ENGINE)
    command = "command: python3 -m dynamo.trtllm --extra-engine-args /etc/engine/decode.yaml\n"
    found = worker(tmp_path, f"{volumes}\n{command}")
    setting = found.engine["max_batch_size"]
    assert setting.value == 64
    assert (Path(setting.place.file).name, setting.place.line) == ("decode.yaml", 2)


def test_the_engine_yaml_is_read_from_configs(tmp_path: Path) -> None:
    (tmp_path / "decode.yaml").write_text(ENGINE)
    for config in ("content: |\n      tensor_parallel_size: 2", "file: ./decode.yaml"):
        text = f"""\
services:
  decode:
    image: {IMAGE}
    command: python3 -m dynamo.trtllm --extra-engine-args /etc/engine/decode.yaml
    configs: [{{source: engine, target: /etc/engine/decode.yaml}}]
configs:
  engine:
    {config}
"""
        assert read(tmp_path, text).workers[0].engine.whole("tensor_parallel_size") == 2


def test_an_engine_yaml_that_is_in_the_image_is_not_known(tmp_path: Path) -> None:
    command = "command: python3 -m dynamo.trtllm --extra-engine-args /workspace/decode.yaml\n"
    assert not worker(tmp_path, command).engine_known


def test_an_engine_yaml_that_should_be_beside_the_file_and_is_not_is_an_error(
    tmp_path: Path,
) -> None:
    text = f"""\
        services:
          decode:
            image: {IMAGE}
            volumes: ["./engine:/etc/engine"]
            command: python3 -m dynamo.trtllm --extra-engine-args /etc/engine/decode.yaml
        """
    found = run(read(tmp_path, text), FACTS).findings
    (missing,) = [finding for finding in found if finding.rule.id == "G033"]
    assert "./engine/decode.yaml" in missing.message
    assert missing.place.line == 5


def test_anchors_and_merge_keys_are_resolved(tmp_path: Path) -> None:
    text = f"""\
        x-worker: &worker
          image: {IMAGE}
          environment: &shared {{HF_HUB_OFFLINE: "1"}}
        services:
          prefill:
            <<: *worker
            command: python3 -m dynamo.trtllm --disaggregation-mode prefill
          decode:
            <<: *worker
            environment: {{<<: *shared, NCCL_GRAPH_REGISTER: "0"}}
            command: python3 -m dynamo.trtllm --disaggregation-mode decode
        """
    found = {w.name: w for w in read(tmp_path, text).workers}
    assert {w.role for w in found.values()} == {Role.PREFILL, Role.DECODE}
    assert found["decode"].pod.variable("HF_HUB_OFFLINE") == "1"
    assert found["decode"].pod.variable("NCCL_GRAPH_REGISTER") == "0"


REPLICAS = f"""\
services:
  decode-0: &decode
    image: {IMAGE}
    labels: {{gpt-oss.worker: decode}}
    command: python3 -m dynamo.trtllm
    gpus: [{{device_ids: ["0"]}}]
  decode-1:
    <<: *decode
    gpus: [{{device_ids: ["1"]}}]
"""


def test_services_of_one_label_that_differ_in_gpus_alone_are_replicas(tmp_path: Path) -> None:
    (found,) = read(tmp_path, REPLICAS).workers
    assert (found.name, found.replica_count, found.gpus) == ("decode", 2, 1)


@pytest.mark.parametrize(
    "change",
    ["command: python3 -m dynamo.trtllm --max-batch-size 8", "environment: [OVERRIDE=1]"],
)
def test_services_of_one_label_that_differ_otherwise_are_workers_of_their_own(
    change: str, tmp_path: Path
) -> None:
    found = read(tmp_path, f"{REPLICAS}    {change}\n").workers
    assert [(w.name, w.replica_count) for w in found] == [("decode-0", 1), ("decode-1", 1)]


def test_replicas_are_read_from_deploy_and_scale(tmp_path: Path) -> None:
    assert worker(tmp_path, "deploy: {replicas: 3}\n").replica_count == 3
    assert worker(tmp_path, "scale: 2\n").replica_count == 2


def test_the_release_is_that_of_the_option_then_of_the_image_then_of_the_file(
    tmp_path: Path,
) -> None:
    image = "registry.example.com/runtime@sha256:0"
    text = "x-gpt-oss: {release: 1.3.1}\nservices: {d: {image: '%s', command: python3 -m %s}}\n"
    cases = [
        (image, {}, "1.3.1"),
        (IMAGE, {}, "1.2.1"),
        (IMAGE, {"release": "1.6.1"}, "1.6.1"),
    ]
    for named, options, expected in cases:
        found = read(tmp_path, text % (named, "dynamo.trtllm"), **options)
        assert found.release is not None
        assert found.release.version == expected


def test_the_gpu_is_that_of_the_option_then_of_the_file(tmp_path: Path) -> None:
    text = f"x-gpt-oss: {{gpu: h200}}\n{REPLICAS}"
    told = read(tmp_path, text).workers[0].gpu
    asked = read(tmp_path, text, gpu="b200").workers[0].gpu
    assert (told and told.key, asked and asked.key) == ("h200", "b200")


def test_trtllm_serve_is_read_with_its_engine_file(tmp_path: Path) -> None:
    (tmp_path / "config.yml").write_text(ENGINE)
    text = f"""\
        name: serving
        services:
          llm:
            image: {SERVE_IMAGE}
            command: trtllm-serve openai/gpt-oss-120b --config /config.yml --host 0.0.0.0
            volumes: ["./config.yml:/config.yml:ro"]
            gpus: [{{count: 2}}]
        """
    found = read(tmp_path, text)
    assert (found.name, found.runtime, found.platform) == (
        "serving",
        Runtime.SERVE,
        Platform.CONTAINERS,
    )
    assert found.release is not None
    assert found.release.version == "1.2.1"
    assert found.workers[0].engine.whole("max_batch_size") == 64
    assert found.workers[0].gpus == 2


def test_privilege_users_and_capabilities_are_read(tmp_path: Path) -> None:
    pod = worker(tmp_path, "privileged: true\nuser: root\ncap_add: [IPC_LOCK]\nipc: host\n").pod
    assert pod.privileged
    assert pod.root
    assert [capability.value for capability in pod.capabilities] == ["IPC_LOCK"]
    assert [namespace.value for namespace in pod.host_namespaces] == ["hostIPC"]
    assert worker(tmp_path, "user: '1000:1000'\n").pod.root is None


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ("", {"G108"}),
        ("shm_size: 80gb\n", set()),
        ("shm_size: 512m\n", {"G043"}),
        ("ipc: host\n", set()),
    ],
)
def test_too_little_shared_memory_is_found_and_docker_gives_64_mib(
    fields: str, found: set[str], tmp_path: Path
) -> None:
    text = f"""\
services:
  decode:
    image: {IMAGE}
    command: python3 -m dynamo.trtllm --tensor-parallel-size 2
    {fields}"""
    assert {"G043", "G108"} & set(rules(read(tmp_path, text))) == found


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ("stop_grace_period: 5m", {"G101"}),
        ("stop_grace_period: 10s", set()),
        ("stop_grace_period: 30s\n    environment: {%s: '60'}", {"G100"}),
        ("stop_grace_period: 2m\n    environment: {%s: '60'}", set()),
    ],
)
def test_the_time_that_compose_gives_a_worker_is_compared_with_dynamo_s(
    fields: str, found: set[str], tmp_path: Path
) -> None:
    text = f"""\
x-gpt-oss: {{release: 1.3.1}}
services:
  decode:
    image: {IMAGE}
    command: python3 -m dynamo.trtllm
    {fields.replace("%s", "DYN_GRACEFUL_SHUTDOWN_GRACE_PERIOD_SECS")}
"""
    assert {"G100", "G101"} & set(rules(read(tmp_path, text))) == found


def test_what_only_a_cluster_has_is_not_asked_of_a_compose_file(tmp_path: Path) -> None:
    text = f"""\
        services:
          frontend:
            image: {IMAGE}
            command: python3 -m dynamo.frontend
          worker:
            image: {IMAGE}
            user: root
            command: python3 -m dynamo.trtllm --model openai/gpt-oss-120b
            gpus: [{{device_ids: ["0"]}}]
        """
    found = rules(read(tmp_path, text))
    assert found
    about_files = {"G033", "G034", "G035", "G043"}
    assert not {rule for rule in found if rule.startswith("G")} - about_files
    assert not {rule for rule in found if rule in ("L001", "L004", "L005", "X002", "X008")}


def test_a_folder_with_a_compose_file_is_that_file(tmp_path: Path) -> None:
    found = read(tmp_path, REPLICAS)
    (again,) = load(Request((str(tmp_path),))).deployments
    assert [w.name for w in again.workers] == [w.name for w in found.workers]


def test_words_of_a_line_are_placed_one_after_the_other() -> None:
    source = "command: run --a  x --a y\n"
    (tree,) = parse_documents(source, "compose.yaml")
    found = words(tree.at("command"), "command", source)
    assert [(text, item.place.column) for text, item in found] == [
        ("run", 10),
        ("--a", 14),
        ("x", 19),
        ("--a", 21),
        ("y", 25),
    ]


BROKEN = {
    "services: [decode]": "services must be a map",
    "services: {decode: 5}": "service decode must be a map",
    "services: {db: {image: postgres}}": "nothing here runs",
    "services: {}": "nothing here runs",
    "services: {d: {command: {a: 1}}}": "command must be a line or a list of words",
    'services: {d: {command: "bash \'oops"}}': "the quotes of this command do not match",
    "services: {d: {environment: 5}}": "environment must be a list",
    "services: {d: {environment: {A: [1]}}}": "the value of A must be text",
    "services: {d: {volumes: [{source: a}]}}": "a volume needs a target",
    "services: {d: {volumes: models}}": "volumes must be a list",
    "services: {d: {gpus: [{count: some}]}}": "count must be a number or all",
    "services: {d: {gpus: none}}": "devices must be a list",
    "services: {d: {shm_size: big}}": "shm_size must be a size",
    "services: {d: {stop_grace_period: 5}}": "stop_grace_period must be a duration",
    "services: {d: {labels: [1]}}": "every element of labels must be a string",
    "services: {d: {deploy: {replicas: few}}}": "replicas must be a whole number",
    "x-gpt-oss: {gpu: b300x}\nservices: {d: {command: python3 -m dynamo.trtllm}}": "GPU b300x",
    "services: {d: {image: '${TAG:?choose}'}}": "TAG must be set: choose",
    "services: {d: &d {a: *d}}": "anchor",
    "services: {d: {command: [[1]]}}": "command must be a line or a list of words",
    "configs: 5\nservices: {d: {configs: [a], command: python3 -m dynamo.trtllm}}": "",
    "services:\n\td: 1": "not valid YAML",
}


@pytest.mark.parametrize("text", BROKEN, ids=BROKEN)
def test_a_broken_file_is_refused_with_its_place_and_without_a_traceback(
    text: str, tmp_path: Path
) -> None:
    message = BROKEN[text]
    if not message:
        assert read(tmp_path, text + "\n").workers
        return
    with pytest.raises(InputError) as caught:
        read(tmp_path, text + "\n")
    assert message in str(caught.value)
    if message != "GPU b300x":
        assert "compose.yaml:" in str(caught.value)


WHOLE = f"""\
name: gpt-oss
x-gpt-oss: {{target: mine, gpu: b200, release: 1.2.1}}
services:
  frontend:
    image: {IMAGE}
    entrypoint: [python3, -m, dynamo.frontend]
    command: [--router-mode, kv]
    environment: {{HF_HOME: /opt/models}}
    ports: ["127.0.0.1:8000:8000"]
  decode:
    image: {IMAGE}
    labels: {{gpt-oss.worker: decode}}
    command: python3 -m dynamo.trtllm --extra-engine-args /etc/engine/decode.yaml
    environment: [HF_HOME=/opt/models]
    volumes: ["models:/opt/models", {{type: bind, source: ./engine, target: /etc/engine}}]
    configs: [{{source: engine, target: /etc/engine/decode.yaml}}]
    deploy: {{replicas: 1, resources: {{reservations: {{devices: [{{device_ids: ["0"]}}]}}}}}}
    shm_size: 80g
    user: "1000"
    cap_add: [IPC_LOCK]
  bench:
    image: {IMAGE}
    command: [aiperf, profile, --model, openai/gpt-oss-120b, --concurrency, "8"]
configs: {{engine: {{content: "max_batch_size: 8"}}}}
volumes: {{models: }}
"""
ODD = [
    None,
    5,
    -1.5,
    True,
    "",
    "x",
    "$",
    "${A:-b}",
    [],
    [[1]],
    {},
    {"a": {"b": 1}},
    "\x00",
    "~no/a",
]


def paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        yield (*path, key)
        if isinstance(item, dict | list):
            yield from paths(item, (*path, key))


@pytest.mark.parametrize("odd", ODD, ids=repr)
def test_an_odd_value_anywhere_is_read_or_refused_and_never_crashes(
    odd: Any, tmp_path: Path
) -> None:
    for path in paths(plain_yaml.load(WHOLE)):
        content = plain_yaml.load(WHOLE)
        at = content
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] = odd
        try:
            deployment = read(tmp_path, yaml.safe_dump(content, allow_unicode=False))
        except InputError:
            continue
        run(deployment, FACTS)


def test_a_tree_without_variables_stays_as_it_is() -> None:
    tree = Tree("plain", parse_documents("a: 1", "compose.yaml")[0].place)
    assert interpolated(tree, {}) is tree


@pytest.mark.parametrize(
    ("given", "visible", "count"),
    [
        ("['0', '1', '2', '3']", "2,3", 2),
        ("['4', '5', '6', '7']", "0,1", 2),
        ("['4', '5', '6', '7']", "4,5", 4),
        ("[GPU-a, GPU-b]", "GPU-b", 1),
    ],
)
def test_cuda_chooses_of_the_gpus_that_a_container_is_handed(
    given: str, visible: str, count: int, tmp_path: Path
) -> None:
    fields = f"gpus: [{{device_ids: {given}}}]\nenvironment: ['CUDA_VISIBLE_DEVICES={visible}']\n"
    assert worker(tmp_path, fields).gpus == count


def test_services_that_are_handed_the_same_gpus_and_choose_others_share_none(
    tmp_path: Path,
) -> None:
    text = "services:\n"
    for role, chosen in (("prefill", "0,1"), ("decode", "2,3")):
        text += (
            f"  {role}:\n    image: {IMAGE}\n    gpus: [{{device_ids: ['4', '5', '6', '7']}}]\n"
            f"    environment: ['CUDA_VISIBLE_DEVICES={chosen}']\n"
            "    command: [python3, -m, dynamo.trtllm, --model, openai/gpt-oss-120b, "
            f"--disaggregation-mode, {role}]\n"
        )
    found = read(tmp_path, text)
    assert "L020" not in rules(found)
    isolations = [worker.pod.isolation for worker in found.workers]
    used = [isolation.used for isolation in isolations if isolation]
    assert used == [frozenset({"4", "5"}), frozenset({"6", "7"})]


def test_the_shared_memory_of_a_service_is_that_of_its_ipc_namespace(tmp_path: Path) -> None:
    command = "command: [python3, -m, dynamo.trtllm, --model, openai/gpt-oss-120b]"
    text = (
        f"services:\n  owner: {{image: a, ipc: shareable, shm_size: 20g}}\n"
        f"  decode:\n    image: {IMAGE}\n    ipc: service:owner\n    {command}\n"
    )
    (found,) = read(tmp_path, text).workers
    assert found.pod.shared_memory
    assert found.pod.shared_memory.value == "20Gi"


def test_a_file_of_very_many_services_is_refused_before_they_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Kind.CONTAINERS, "limit", 2)
    text = "services:\n" + "".join(f"  s{n}: {{image: x, volumes: 1}}\n" for n in range(3))
    with pytest.raises(InputError, match="more than 2 containers"):
        read(tmp_path, text)


def test_many_words_beside_many_volumes_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Kind.PAIRS, "limit", 20)
    named = " ".join(f"/m{n}/a.yaml" for n in range(5))
    volumes = "".join(f"      - ./e{n}:/n{n}\n" for n in range(5))
    text = f"services:\n  s:\n    command: trtllm-serve m {named}\n    volumes:\n{volumes}"
    with budget.run(), pytest.raises(InputError, match="more than 20 pairs"):
        read(tmp_path, text)
