"""What runtime.kind trtllm-serve makes of its options, and what it refuses."""

from typing import Any

import pytest

from gptoss.text import plain_yaml
from tests.chart.rendering import (
    HELMS,
    components,
    engine_of,
    environment,
    objects,
    one,
    pods,
    refusal,
    run,
)

SERVER = "serve-h100-2"
EVERYTHING = "everything-serve"
MONITOR = "monitoring.podMonitor.enabled=true"
# Loading takes up to 30 minutes.
LOADING_SECONDS = 30 * 60


def main(*settings: str, target: str = SERVER) -> dict[str, Any]:
    container: dict[str, Any] = components(objects(target, *settings))["worker"]["spec"][
        "containers"
    ][0]
    return container


def test_the_model_is_the_pinned_commit_and_is_listed_under_its_public_id() -> None:
    args = main()["args"]
    assert args[0] == "openai/gpt-oss-120b"
    assert args[args.index("--revision") + 1] == "b5c939de8f754692c1647ca79fbf85e8c1e70f8a"
    assert "--served_model_name" not in args
    assert environment(main())["HF_HUB_OFFLINE"] == "1"


def test_another_public_name_is_given_to_the_server() -> None:
    args = main("model.servedName=gpt")["args"]
    assert args[args.index("--served_model_name") + 1] == "gpt"


def test_probes_let_the_model_load_and_then_watch_health() -> None:
    container = main()
    startup = container["startupProbe"]
    assert startup["periodSeconds"] * startup["failureThreshold"] >= 2 * LOADING_SECONDS
    for kind in ("startupProbe", "readinessProbe", "livenessProbe"):
        assert container[kind]["httpGet"] == {"path": "/health", "port": "http"}
    silence = (
        container["livenessProbe"]["periodSeconds"] * container["livenessProbe"]["failureThreshold"]
    )
    assert silence >= 60


def test_a_rollout_waits_for_loading_and_asks_for_no_gpu_beyond_those_in_use() -> None:
    spec = one("Deployment", objects(SERVER, "workers.worker.replicas=2"))["spec"]
    assert spec["strategy"]["rollingUpdate"] == {"maxSurge": 0, "maxUnavailable": 1}
    startup = main()["startupProbe"]
    assert spec["progressDeadlineSeconds"] > startup["periodSeconds"] * startup["failureThreshold"]


def test_one_server_is_not_there_without_its_pod() -> None:
    """Of a rolling update of one pod with none to spare Kubernetes asks for no pod at all."""
    assert one("Deployment", objects(SERVER))["spec"]["strategy"] == {"type": "Recreate"}
    given = ("updateStrategy.rollingUpdate.maxSurge=1", "updateStrategy.type=RollingUpdate")
    strategy = one("Deployment", objects(SERVER, *given))["spec"]["strategy"]
    assert strategy == {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}}


def test_a_changed_engine_setting_rolls_the_server_and_nothing_else_does() -> None:
    def annotations(*settings: str) -> dict[str, str]:
        template = one("Deployment", objects(SERVER, *settings))["spec"]["template"]
        found: dict[str, str] = template["metadata"]["annotations"]
        return found

    assert annotations("workers.worker.engine.max_batch_size=32") != annotations()
    assert annotations("workers.worker.replicas=2") == annotations()


def test_shared_memory_is_a_volume_in_memory_of_the_size_that_is_set() -> None:
    for settings, size in (((), "40Gi"), (("workers.worker.sharedMemory=16Gi",), "16Gi")):
        spec = components(objects(SERVER, *settings))["worker"]["spec"]
        (volume,) = [v for v in spec["volumes"] if v["name"] == "shared-memory"]
        assert volume["emptyDir"] == {"medium": "Memory", "sizeLimit": size}
        mounts = {m["name"]: m["mountPath"] for m in spec["containers"][0]["volumeMounts"]}
        assert mounts["shared-memory"] == "/dev/shm"  # noqa: S108 (a path in the container)


def test_options_of_the_worker_reach_the_server() -> None:
    found = objects(EVERYTHING)
    server = components(found)["worker"]
    container = server["spec"]["containers"][0]
    assert one("HorizontalPodAutoscaler", found)["spec"]["minReplicas"] == 2
    assert container["image"] == "registry.example.com/nvidia/tensorrt-llm:1.3.0rc19"
    assert container["args"][-2:] == ["--log_level", "warning"]
    assert environment(container)["OVERRIDE_QUANT_ALGO"] == "W4A16_MXFP4"
    assert environment(container)["NCCL_DEBUG"] == "WARN"
    assert server["spec"]["priorityClassName"] == "high"
    assert server["spec"]["imagePullSecrets"] == [{"name": "registry"}]
    assert server["spec"]["terminationGracePeriodSeconds"] == 200
    assert server["metadata"]["labels"]["team"] == "serving"
    assert server["metadata"]["labels"]["gpt-oss.worker"] == "worker"
    assert server["metadata"]["annotations"]["example.com/owner"] == "serving"
    deployment = one("Deployment", found)
    assert deployment["metadata"]["annotations"] == {"example.com/owner": "serving"}


def test_the_benchmark_runs_where_aiperf_is() -> None:
    job = one("Job", objects(SERVER, "benchmark.enabled=true"), "benchmark")
    images = {c["image"] for c in job["spec"]["template"]["spec"]["containers"]}
    assert images == {"nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:1.3.1"}
    own = ("benchmark.enabled=true", "runtime.image=registry.example.com/serve:1.3.0rc14")
    job = one("Job", objects(SERVER, *own), "benchmark")
    assert {c["image"] for c in job["spec"]["template"]["spec"]["containers"]} == images


def test_everything_that_asks_the_model_asks_the_server_s_service() -> None:
    found = objects(SERVER, "benchmark.enabled=true")
    words = [
        word
        for pod in pods(found).values()
        for container in [*pod["spec"]["containers"], *pod["spec"].get("initContainers", [])]
        for word in [*container.get("command", []), *container.get("args", [])]
        if word.startswith("http://")
    ]
    # The helm test, the benchmark, and its wait.
    assert len(words) == 3
    assert set(words) == {"http://gpt-oss-server:8000"}


def test_the_pod_monitor_scrapes_the_server_s_pods_and_no_others() -> None:
    found = objects(EVERYTHING)
    monitor = one("PodMonitor", found)
    assert monitor["metadata"]["labels"]["release"] == "kube-prometheus-stack"
    (endpoint,) = monitor["spec"]["podMetricsEndpoints"]
    assert endpoint == {"port": "http", "path": "/prometheus/metrics", "interval": "15s"}
    wanted = monitor["spec"]["selector"]["matchLabels"].items()
    labels = {name: pod["metadata"]["labels"].items() for name, pod in pods(found).items()}
    assert [name for name, own in labels.items() if wanted <= own] == ["worker"]
    assert not [o for o in objects(SERVER) if o["kind"] == "PodMonitor"]


def test_shipped_servers_open_the_metrics_that_the_pod_monitor_scrapes() -> None:
    for target in ("serve-latency-b200", "serve-throughput-gb200", "eval-tp4-b200", SERVER):
        assert one("PodMonitor", objects(target, MONITOR))


def test_an_accuracy_target_takes_sizes_from_the_table_and_the_rest_from_its_server() -> None:
    def engine(target: str, *settings: str) -> dict[str, Any]:
        text = one("ConfigMap", objects(target, *settings), "-engine-")["data"]["worker.yaml"]
        found: dict[str, Any] = plain_yaml.load(text)
        return found

    names = ("tensor_parallel_size", "enable_attention_dp", "max_batch_size", "max_num_tokens")
    table = {
        "eval-dep8-b200": (8, True, 128, 32768),
        "eval-dep4-b200": (4, True, 128, 32768),
        "eval-tp8-b200": (8, False, 1024, 32768),
        "eval-tp4-b200": (4, False, 1024, 32768),
    }
    for target, row in table.items():
        assert tuple(engine(target)[name] for name in names) == row
        base = "serve-throughput-b200" if row[1] else "serve-latency-b200"
        assert engine(target)["moe_config"] == engine(base)["moe_config"]


@pytest.mark.parametrize(
    ("target", "overlay", "batch"),
    [("eval-dep8-b200", "eval-high-effort-dep", 2), ("eval-tp4-b200", "eval-high-effort-tp", 720)],
)
def test_high_effort_is_an_overlay_with_the_table_s_other_rows(
    target: str, overlay: str, batch: int
) -> None:
    done = run(
        "helm4", "template", "gpt-oss", "charts/gpt-oss",
        "--values", f"values/{target}.yaml", "--values", f"values/{overlay}.yaml",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = [o for o in plain_yaml.load_all(done.stdout) if o]
    engine = engine_of(found, "worker")
    assert (engine["max_batch_size"], engine["max_num_tokens"]) == (batch, 133120)
    assert engine["cuda_graph_config"]["max_batch_size"] == batch


def test_notes_name_the_server_s_pods_and_service() -> None:
    done = run(
        "helm4", "install", "web", "charts/gpt-oss", "--dry-run=client",
        "--values", f"values/{SERVER}.yaml", "--namespace", "serving",
    )  # fmt: skip
    notes = done.stdout.partition("NOTES:")[2]
    assert "trtllm-serve 1.3.0rc19" in notes
    selector = "app.kubernetes.io/component=server,app.kubernetes.io/instance=web"
    assert f"kubectl get pods -n serving -l {selector} -w" in notes
    assert "svc/web-server 8000:8000" in notes


@pytest.mark.parametrize("helm", HELMS)
@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (
            ("workers.worker.role=prefill",),
            "workers.worker.role: runtime.kind trtllm-serve has one worker, of role aggregated",
        ),
        (
            ("workers.other.role=aggregated",),
            "runtime.kind trtllm-serve has one worker, but there are 2 (other, worker)",
        ),
        (
            ("workers.worker=null",),
            "no target is chosen",
        ),
        (
            ("workers.worker.engine.tensor_parallel_size=16",),
            "workers.worker.nodes: trtllm-serve runs on one node here, but tensor_parallel_size 16",
        ),
        (
            ("frontend.routerMode=kv",),
            "frontend.routerMode: runtime.kind trtllm-serve has no frontend; leave it out",
        ),
        (
            ("frontend.env.RUST_LOG=info",),
            "frontend.env: runtime.kind trtllm-serve has no frontend; leave it out",
        ),
        (
            ("runtime.apiVersion=v1beta1",),
            "runtime.apiVersion: runtime.kind trtllm-serve makes no DynamoGraphDeployment",
        ),
        (
            ("runtime.release=1.0.2", "model.servedName=gpt"),
            "set it to openai/gpt-oss-120b or set runtime.release to 1.1.1 or newer",
        ),
        (
            (MONITOR, "workers.worker.engine.return_perf_metrics=false"),
            "set workers.worker.engine.return_perf_metrics to true",
        ),
    ],
)
def test_what_a_server_cannot_do_is_refused_with_the_value_to_set(
    settings: tuple[str, ...], said: str, helm: str
) -> None:
    assert said in refusal(SERVER, *settings, helm=helm)
