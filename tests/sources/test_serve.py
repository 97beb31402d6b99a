"""Promises of the readers of trtllm-serve: the whole deployment, however the server is started."""

from __future__ import annotations

import textwrap

import pytest

from gptoss.deployment.model import Deployment, Role, Runtime
from gptoss.facts.world import Facts
from gptoss.sources.kubernetes.build import build
from gptoss.sources.kubernetes.split import split
from gptoss.text.errors import InputError
from gptoss.text.yaml_tree import Tree, parse_documents

FACTS = Facts()
FLAGS = "--tp_size 8 --config /etc/engine/server.yaml"
ENGINE = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: engine}
data:
  server.yaml: |
    max_batch_size: 720
    kv_cache_config:
      free_gpu_memory_fraction: 0.8
"""
SERVICE = """\
apiVersion: v1
kind: Service
metadata: {name: chat}
spec:
  selector: {app: oss}
  ports: [{port: 80, targetPort: http}]
"""
WORKLOAD = """\
apiVersion: apps/v1
kind: KIND
metadata: {name: oss, annotations: {team: serving}}
spec:
  replicas: 2
  template:
    metadata: {labels: {app: oss}}
    spec:
      nodeSelector: {nvidia.com/gpu.product: NVIDIA-B200}
      volumes:
        - {name: engine, configMap: {name: engine}}
        - {name: memory, emptyDir: {medium: Memory, sizeLimit: 16Gi}}
      containers:
        - name: sidecar
          image: registry/proxy:1
        - name: server
          image: IMAGE
          ports: [{name: http, containerPort: 8000}]
          env:
            - {name: MODEL, value: openai/gpt-oss-120b}
          volumeMounts:
            - {name: engine, mountPath: /etc/engine}
            - {name: memory, mountPath: /dev/shm}
          resources: {limits: {nvidia.com/gpu: "8"}}
"""
IMAGE = "nvcr.io/nvidia/tensorrt-llm/release:1.3.0rc14"


def workload(start: str, image: str = IMAGE, kind: str = "Deployment") -> str:
    return WORKLOAD.replace("IMAGE", image).replace("KIND", kind) + textwrap.indent(start, " " * 10)


def argv(*words: str) -> str:
    return f"command: {list(words)!r}\n"


def script(text: str) -> str:
    return "command: [/bin/sh, -c]\nargs:\n  - |\n" + textwrap.indent(textwrap.dedent(text), "    ")


def documents(*texts: str) -> list[Tree]:
    return parse_documents("\n---\n".join(texts), "server.yaml")


def deployment(*texts: str, release: str | None = None) -> Deployment:
    return build(documents(*texts), "server.yaml", FACTS, release=release)


STARTS = {
    "bare": argv("trtllm-serve", "openai/gpt-oss-120b", *FLAGS.split()),
    "sub-command": argv("trtllm-serve", "serve", *FLAGS.split(), "openai/gpt-oss-120b"),
    "path": argv("/usr/local/bin/trtllm-serve", "openai/gpt-oss-120b", *FLAGS.split()),
    "module": argv(
        *["python3", "-m", "tensorrt_llm.commands.serve", "openai/gpt-oss-120b"], *FLAGS.split()
    ),
    "mpirun": argv(
        *["mpirun", "-n", "8", "--allow-run-as-root", "trtllm-llmapi-launch", "trtllm-serve"],
        "openai/gpt-oss-120b",
        *FLAGS.split(),
    ),
    "variables of the cluster": argv("trtllm-serve", "$(MODEL)", *FLAGS.split()),
    "script": script(
        """\
        # start
        ulimit -l unlimited
        exec trtllm-serve serve "$MODEL" \\
          --tp_size 8 \\
          --config /etc/engine/server.yaml
        """
    ),
    "script that mentions it first": script(
        """\
        which trtllm-serve
        echo trtllm-serve starts
        trtllm-serve ${MODEL} --tp_size=8 --config=/etc/engine/server.yaml
        """
    ),
    "entry point of the image": "args: [trtllm-serve, openai/gpt-oss-120b, --tp_size, '8', "
    "--config, /etc/engine/server.yaml]\n",
}


@pytest.mark.parametrize("start", STARTS.values(), ids=STARTS)
def test_the_server_is_found_however_it_is_started(start: str) -> None:
    found = deployment(ENGINE, workload(start))
    (worker,) = found.workers
    assert found.runtime is Runtime.SERVE
    assert found.frontend is None
    assert found.api_version.value == "apps/v1"
    assert found.model is FACTS.models["openai/gpt-oss-120b"]
    assert (worker.role, worker.replica_count, worker.gpus) == (Role.AGGREGATED, 2, 8)
    assert worker.model is not None
    assert worker.model.value == "openai/gpt-oss-120b"
    assert worker.engine_known
    assert worker.engine.whole("tensor_parallel_size") == 8
    assert worker.engine.whole("max_batch_size") == 720
    assert worker.engine.number("kv_cache_config.free_gpu_memory_fraction") == 0.8
    assert worker.gpu is FACTS.gpus["b200"]
    assert worker.pod.shared_memory is not None
    assert worker.pod.shared_memory.value == "16Gi"


@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet"])
def test_a_deployment_and_a_stateful_set_are_read_alike(kind: str) -> None:
    found = deployment(ENGINE, workload(STARTS["bare"], kind=kind))
    assert found.name == "oss"
    assert [worker.name for worker in found.workers] == ["oss"]
    assert (found.rollout is not None) is (kind == "Deployment")
    assert found.annotations["team"].value == "serving"


def test_an_engine_yaml_may_be_written_by_the_script() -> None:
    start = script(
        """\
        cat > /tmp/server.yaml <<EOF
        max_batch_size: 64
        EOF
        trtllm-serve $MODEL --extra_llm_api_options /tmp/server.yaml
        """
    )
    (worker,) = deployment(workload(start)).workers
    assert worker.engine.whole("max_batch_size") == 64


def test_an_engine_yaml_that_is_only_in_the_image_is_not_known() -> None:
    (worker,) = deployment(workload(argv("trtllm-serve", "m", "--config", "/opt/x.yaml"))).workers
    assert not worker.engine_known


@pytest.mark.parametrize(
    ("image", "release"),
    [
        ("nvcr.io/nvidia/tensorrt-llm/release:1.3.0rc14", "1.2.1"),
        ("nvcr.io/nvidia/tensorrt-llm/release:1.3.0rc14-arm64", "1.2.1"),
        ("registry:5000/tensorrt-llm:1.3.0rc22@sha256:" + "0" * 64, "1.4.2"),
        ("nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:1.3.1", "1.3.1"),
        ("nvcr.io/nvidia/tensorrt-llm/release:1.3.0rc20", "1.3.1"),
        ("nvcr.io/nvidia/tensorrt-llm/release:1.2.1", "0.8.1"),
        ("nvcr.io/nvidia/tensorrt-llm/release", None),
    ],
)
def test_the_release_is_the_last_that_ships_no_newer_tensorrt_llm_than_the_image(
    image: str, release: str | None
) -> None:
    found = deployment(workload(STARTS["bare"], image)).release
    assert (found.version if found else None) == release


def test_another_release_can_be_asked_for() -> None:
    found = deployment(workload(STARTS["bare"]), release="1.4.2")
    assert found.release is FACTS.releases["1.4.2"]
    with pytest.raises(InputError, match=r"release 9\.9\.9 is not known"):
        deployment(workload(STARTS["bare"]), release="9.9.9")


FORWARDED = {
    "with a value": (("mpirun", "-n", "1", "-x", "HF_HOME=/models"), "/models"),
    "by its name": (("mpirun", "-x", "HF_HOME", "-n", "1", "trtllm-llmapi-launch"), None),
    "by Slurm": (("srun", "--export=ALL,HF_HOME=/models", "-n", "1"), "/models"),
    "by env": (("env", "HF_HOME=/models"), "/models"),
}


@pytest.mark.parametrize("form", FORWARDED)
@pytest.mark.parametrize("in_script", [False, True])
def test_a_variable_that_a_launcher_hands_on_is_set(form: str, in_script: bool) -> None:
    words, value = FORWARDED[form]
    started = (*words, "trtllm-serve", "openai/gpt-oss-120b")
    text = script(" ".join(started)) if in_script else argv(*started)
    (worker,) = deployment(workload(text)).workers
    assert worker.pod.environment["HF_HOME"].value == value


def test_a_variable_forwarded_by_its_name_keeps_its_value() -> None:
    text = script("export HF_HOME=/models\nmpirun -x HF_HOME trtllm-serve openai/gpt-oss-120b")
    (worker,) = deployment(workload(text)).workers
    assert worker.pod.variable("HF_HOME") == "/models"


SNAPSHOT = f"/models/hub/models--openai--gpt-oss-120b/snapshots/{'a' * 40}"


@pytest.mark.parametrize(
    ("words", "served"),
    [
        (("openai/gpt-oss-120b",), None),
        (("/models/gpt-oss-120b/",), "gpt-oss-120b"),
        ((SNAPSHOT,), "a" * 40),
        ((SNAPSHOT, "--served_model_name", "chat"), "chat"),
    ],
)
def test_the_public_name_is_the_flags_or_the_folders(
    words: tuple[str, ...], served: str | None
) -> None:
    (worker,) = deployment(workload(argv("trtllm-serve", *words))).workers
    assert (worker.served_name.value if worker.served_name else None) == served


def test_a_label_gives_the_worker_its_name() -> None:
    text = workload(STARTS["bare"]).replace("{app: oss}", "{app: oss, gpt-oss.worker: worker}")
    (worker,) = deployment(text).workers
    assert worker.name == "worker"


def test_the_services_of_the_server_are_those_that_select_its_pods() -> None:
    other = SERVICE.replace("chat", "other").replace("oss", "other")
    found = deployment(workload(STARTS["bare"]), SERVICE, other)
    (service,) = found.services
    assert service.name == "chat"
    assert [(p.port.value, p.target) for p in service.ports] == [(80, 8000)]


def test_a_service_that_leads_to_a_sidecar_is_not_taken_for_the_servers() -> None:
    service = SERVICE.replace("targetPort: http", "targetPort: 9000")
    (found,) = deployment(workload(STARTS["bare"]), service).services
    assert found.ports[0].target is None


MONITOR = """\
apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata: {name: oss}
spec:
  selector: {matchLabels: {app: oss}}
  podMetricsEndpoints: [{port: http, path: /prometheus/metrics}, {port: http}]
"""


def test_it_is_known_where_metrics_are_read() -> None:
    noted = workload(STARTS["bare"]).replace(
        "metadata: {labels", 'metadata: {annotations: {prometheus.io/scrape: "true"}, labels'
    )
    paths = [path.value for path in deployment(noted, MONITOR).scraped]
    assert paths == ["/metrics", "/prometheus/metrics", "/metrics"]
    assert deployment(workload(STARTS["bare"])).scraped == ()


GRAPH = """\
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata: {name: graph}
spec:
  components:
    - name: worker
      type: worker
      podTemplate:
        spec:
          containers:
            - {name: main, image: x, command: [python3, -m, dynamo.trtllm, --model, m]}
"""
JOB = """\
apiVersion: batch/v1
kind: Job
metadata: {name: NAME}
spec:
  template:
    spec:
      containers:
        - {name: main, command: [aiperf, profile, --url, "http://HOST:80"]}
"""


def test_servers_and_graphs_are_deployments_of_their_own() -> None:
    second = workload(STARTS["bare"]).replace("oss", "tiny", 1).replace("app: oss", "app: tiny")
    jobs = [
        JOB.replace("NAME", "one").replace("HOST", "chat"),
        JOB.replace("NAME", "two").replace("HOST", "graph-frontend"),
    ]
    parts = split(documents(GRAPH, ENGINE, workload(STARTS["bare"]), SERVICE, second, *jobs))
    found = [build(part, "all.yaml", FACTS) for part in parts]
    names = {one.name: one.benchmark.name if one.benchmark else None for one in found}
    assert names == {"graph": "two", "oss": "one", "tiny": None}
    assert {one.name: [s.name for s in one.services] for one in found}["oss"] == ["chat"]
    assert [one.runtime for one in found] == [Runtime.DYNAMO, Runtime.SERVE, Runtime.SERVE]


def test_several_servers_at_once_are_refused_where_one_is_asked_for() -> None:
    second = workload(STARTS["bare"]).replace("oss", "tiny", 1)
    with pytest.raises(InputError, match="2 deployments: oss, tiny"):
        deployment(workload(STARTS["bare"]), second)


@pytest.mark.parametrize(
    "start",
    [
        argv("trtllm-serve", "disaggregated", "-c", "/etc/disagg.yaml"),
        script("pip show trtllm-serve\nsleep infinity\n"),
        argv("nginx"),
    ],
)
def test_what_serves_no_model_is_no_deployment(start: str) -> None:
    with pytest.raises(InputError, match="nothing that runs trtllm-serve"):
        deployment(workload(start))


def test_places_are_those_of_the_manifest() -> None:
    (worker,) = deployment(ENGINE, workload(STARTS["bare"])).workers
    assert worker.model is not None
    assert worker.model.place.file == "server.yaml"
    assert worker.engine["max_batch_size"].place.line == 6
    assert worker.engine["tensor_parallel_size"].place.line == worker.command.place.line
