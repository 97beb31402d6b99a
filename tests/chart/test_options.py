"""What the chart's options do."""

from itertools import pairwise
from typing import Any

import pytest

from gptoss.facts.world import Facts
from gptoss.text import plain_yaml
from tests.chart.rendering import (
    RELEASES,
    components,
    engine_of,
    environment,
    objects,
    one,
    pods,
    run,
    text,
)

DISAGG = "disagg-gb200"
BENCHMARK = "benchmark.enabled=true"


def main(component: dict[str, Any]) -> dict[str, Any]:
    container: dict[str, Any] = component["spec"]["containers"][0]
    return container


def flags(component: dict[str, Any]) -> dict[str, str]:
    args = [*main(component)["args"], ""]
    return {flag: value for flag, value in pairwise(args) if flag.startswith("--")}


def test_a_changed_engine_setting_rolls_its_workers_only_by_the_name_of_their_file() -> None:
    before = components(objects(DISAGG))
    after = components(objects(DISAGG, "workers.decode.engine.max_batch_size=1024"))
    assert before["prefill"] == after["prefill"]
    assert before["frontend"] == after["frontend"]
    changed = {"gpt-oss/rollout": "another"}
    for each in (before["decode"], after["decode"]):
        assert "checksum/engine" not in each["metadata"]["annotations"]
        each["metadata"]["annotations"] |= changed
        (engine,) = [v for v in each["spec"]["volumes"] if v["name"] == "engine"]
        each["spec"]["volumes"].remove(engine)
        each["file"] = engine["configMap"]["name"]
    assert before["decode"].pop("file") != after["decode"].pop("file")
    assert before["decode"] == after["decode"]


def test_engine_settings_keep_null_false_and_zero() -> None:
    found = objects(
        DISAGG,
        "workers.decode.engine.cuda_graph_config=null",
        "workers.decode.engine.print_iter_log=false",
        "workers.decode.engine.num_postprocess_workers=0",
    )
    engine = engine_of(found, "decode")
    assert engine["cuda_graph_config"] is None
    assert engine["print_iter_log"] is False
    assert engine["num_postprocess_workers"] == 0
    assert engine["max_batch_size"] == 1280


@pytest.mark.parametrize(
    ("release", "mode"), [("1.2.1", "prefill_and_decode"), ("1.3.1", "agg"), ("1.6.1", "agg")]
)
def test_the_aggregated_mode_is_spelt_as_the_release_does(release: str, mode: str) -> None:
    worker = components(objects("agg-gb200", f"runtime.release={release}"))["worker"]
    assert flags(worker)["--disaggregation-mode"] == mode


def test_sizes_are_repeated_only_where_the_release_does_not_read_them_back() -> None:
    sizes = {"--max-seq-len", "--max-num-tokens", "--max-batch-size"}
    repeated = {}
    for release in RELEASES:
        decode = components(objects(DISAGG, f"runtime.release={release}"))["decode"]
        repeated[release] = sizes & set(flags(decode))
    assert repeated.pop("1.0.2") == sizes
    assert repeated.pop("1.1.1") == {"--max-seq-len"}
    assert not any(repeated.values())


def test_repeated_sizes_come_from_the_merged_engine_settings() -> None:
    settings = ("runtime.release=1.0.2", "workers.decode.engine.max_seq_len=12000")
    assert flags(components(objects(DISAGG, *settings))["decode"])["--max-seq-len"] == "12000"


def test_strict_disaggregation_is_on_for_disaggregated_targets_where_it_is_a_flag() -> None:
    strict = {
        release: "--enforce-disagg"
        in main(components(objects(DISAGG, f"runtime.release={release}"))["frontend"])["args"]
        for release in RELEASES
    }
    assert {release for release, on in strict.items() if on} == {"1.1.1", "1.2.1"}
    aggregated = components(objects("agg-gb200"))["frontend"]
    assert "--enforce-disagg" not in main(aggregated)["args"]
    off = components(objects(DISAGG, "frontend.enforceDisagg=false"))["frontend"]
    assert "--enforce-disagg" not in main(off)["args"]


@pytest.mark.parametrize(
    ("release", "flag"),
    [("1.2.1", "--publish-events-and-metrics"), ("1.3.1", "--publish-kv-events")],
)
def test_kv_routing_turns_on_the_workers_kv_events(release: str, flag: str) -> None:
    settings = ("frontend.routerMode=kv", f"runtime.release={release}")
    worker = components(objects("agg-gb200", *settings))["worker"]
    assert flag in main(worker)["args"]
    assert flags(worker)["--kv-block-size"] == "32"


def test_image_tags_that_are_no_version_get_a_runtime_version_from_1_5_on() -> None:
    image = "runtime.image=registry.example.com/runtime:nightly"
    for release, expected in (("1.4.2", None), ("1.5.1", "1.5.1"), ("1.6.1", "1.6.1")):
        found = components(objects("agg-gb200", image, f"runtime.release={release}"))
        assert {c["runtime_version"] for c in found.values()} == {expected}
    plain = components(objects("agg-gb200", "runtime.release=1.6.1"))
    assert {c["runtime_version"] for c in plain.values()} == {None}


def test_a_digest_gets_a_runtime_version_from_1_5_on() -> None:
    image = f"runtime.image=registry.example.com:5000/runtime@sha256:{'0' * 64}"
    found = components(objects("agg-gb200", image, "runtime.release=1.6.1"))
    assert {c["runtime_version"] for c in found.values()} == {"1.6.1"}


def test_several_nodes_use_the_shell_form_that_the_operator_wraps() -> None:
    worker = components(
        objects(
            "agg-gb200",
            "workers.worker.engine.tensor_parallel_size=8",
            "workers.worker.engine.moe_expert_parallel_size=8",
        )
    )["worker"]
    assert worker["multinode"] == {"nodeCount": 2}
    assert main(worker)["command"] == ["/bin/sh", "-c"]
    (line,) = main(worker)["args"]
    assert line.startswith("python3 -m dynamo.trtllm --model /opt/models/hub/")
    assert "'" not in line
    assert main(worker)["resources"]["limits"]["nvidia.com/gpu"] == "4"


def test_another_public_name_is_served_by_the_workers_themselves() -> None:
    worker = components(objects("agg-gb200", "model.servedName=gpt"))["worker"]
    assert flags(worker)["--served-model-name"] == "gpt"
    assert environment(main(worker))["DYN_SELF_HOST_METADATA"] == "true"


def test_extra_environment_wins_and_null_removes() -> None:
    found = components(
        objects(
            "agg-gb200",
            "workers.worker.env.HF_HUB_OFFLINE=null",
            "workers.worker.env.NCCL_DEBUG=INFO",
            "workers.worker.env.SECRET.secretKeyRef.name=s",
            "workers.worker.env.SECRET.secretKeyRef.key=k",
        )
    )
    container = main(found["worker"])
    assert "HF_HUB_OFFLINE" not in environment(container)
    assert environment(container)["NCCL_DEBUG"] == "INFO"
    source = {"secretKeyRef": {"name": "s", "key": "k"}}
    assert {"name": "SECRET", "valueFrom": source} in container["env"]


def test_extra_pod_fields_reach_the_pod_and_sidecars_stand_beside_the_main_container() -> None:
    found = components(
        objects(
            "agg-gb200",
            "workers.worker.extraPodSpec.priorityClassName=high",
            "workers.worker.extraPodSpec.containers[0].name=sidecar",
            "workers.worker.extraPodSpec.containers[0].image=busybox:1.37.0",
        )
    )
    spec = found["worker"]["spec"]
    assert spec["priorityClassName"] == "high"
    assert [container["name"] for container in spec["containers"]] == ["main", "sidecar"]


def test_an_existing_claim_is_used_and_none_is_created() -> None:
    found = objects(DISAGG, "modelCache.existingClaim=weights", BENCHMARK)
    assert not [o for o in found if o["kind"] == "PersistentVolumeClaim"]
    for pod in pods(found).values():
        claims = [
            v["persistentVolumeClaim"]
            for v in pod["spec"]["volumes"]
            if "persistentVolumeClaim" in v
        ]
        assert all(claim == {"claimName": "weights"} for claim in claims)


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("download", "modelCache.download.vocabularyUrl=https://mirror.example.com/v"),
        ("benchmark", "workload.concurrencyPerGpu=128"),
    ],
)
def test_a_job_s_name_changes_with_its_content_and_only_then(kind: str, change: str) -> None:
    before = one("Job", objects(DISAGG, BENCHMARK), f"-{kind}-")["metadata"]["name"]
    after = one("Job", objects(DISAGG, BENCHMARK, change), f"-{kind}-")["metadata"]["name"]
    again = one("Job", objects(DISAGG, BENCHMARK, "frontend.podLabels.team=serving"), f"-{kind}-")
    assert before != after
    assert again["metadata"]["name"] == before


def test_the_benchmark_needs_no_gpu_node_of_its_own() -> None:
    job = one("Job", objects(DISAGG, BENCHMARK), "benchmark")
    spec = job["spec"]["template"]["spec"]
    assert "nodeSelector" not in spec
    assert "limits" not in spec["containers"][0]["resources"]
    keys = {toleration["key"] for toleration in spec["tolerations"]}
    assert "nvidia.com/gpu" in keys


AWAY = {"matchExpressions": [{"key": "nvidia.com/gpu.product", "operator": "DoesNotExist"}]}


def test_pods_without_gpus_leave_gpu_nodes_to_others_where_they_can() -> None:
    jobs = (BENCHMARK, "accuracy.enabled=true", "accuracy.image=r.example.com/evals:1")
    for target in (DISAGG, "serve-h100-2"):
        for name, pod in pods(objects(target, *jobs)).items():
            affinity = pod["spec"]["affinity"]["nodeAffinity"]
            has_gpus = name in ("worker", "prefill", "decode")
            assert ("requiredDuringSchedulingIgnoredDuringExecution" in affinity) == has_gpus, name
            preferred = [
                each["preference"]
                for each in affinity.get("preferredDuringSchedulingIgnoredDuringExecution", [])
            ]
            assert preferred == ([] if has_gpus else [AWAY]), name


def test_where_a_job_runs_is_what_its_values_say() -> None:
    given = "benchmark.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution"
    one_zone = f"{given}[0].preference.matchExpressions[0].key=zone"
    job = one("Job", objects(DISAGG, BENCHMARK, one_zone), "benchmark")
    assert "gpu.product" not in str(job["spec"]["template"]["spec"]["affinity"])
    job = one("Job", objects(DISAGG, BENCHMARK, "benchmark.nodeSelector.disk=fast"), "benchmark")
    spec = job["spec"]["template"]["spec"]
    assert spec["nodeSelector"] == {"disk": "fast"}
    assert "gpu.product" in str(spec["affinity"])


def test_containers_that_write_to_their_volumes_alone_have_a_root_that_is_read_only() -> None:
    sealed = {"wait-for-model-cache", "wait-for-rollout", "wait-for-model", "smoke", "download"}
    sealed |= {"aiperf", "main"}
    found = set()
    for pod in pods(objects(DISAGG, BENCHMARK)).values():
        for container in [*pod["spec"].get("initContainers", []), *pod["spec"]["containers"]]:
            if container["securityContext"].get("readOnlyRootFilesystem"):
                found.add(container["name"])
                assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert found == sealed
    for pod in pods(
        objects(DISAGG, "containerSecurityContext.readOnlyRootFilesystem=false")
    ).values():
        assert not pod["spec"]["containers"][0]["securityContext"]["readOnlyRootFilesystem"]


def test_the_benchmark_writes_to_a_claim_when_it_has_one() -> None:
    found = objects(DISAGG, BENCHMARK, "benchmark.artifacts.existingClaim=results")
    spec = one("Job", found, "benchmark")["spec"]["template"]["spec"]
    (mount,) = [m for m in spec["containers"][0]["volumeMounts"] if m["name"] == "artifacts"]
    (volume,) = [v for v in spec["volumes"] if v["name"] == "artifacts"]
    assert volume["persistentVolumeClaim"] == {"claimName": "results"}
    assert mount["subPath"].startswith("gpt-oss-benchmark-")


def test_the_download_needs_no_token_when_the_secret_is_missing() -> None:
    job = one("Job", objects(DISAGG), "download")
    variables = job["spec"]["template"]["spec"]["containers"][0]["env"]
    (token,) = [v for v in variables if v["name"] == "HF_TOKEN"]
    reference = {"name": "hf-token-secret", "key": "HF_TOKEN", "optional": True}
    assert token == {"name": "HF_TOKEN", "valueFrom": {"secretKeyRef": reference}}


@pytest.mark.parametrize(
    ("target", "architecture", "product"),
    [("disagg-gb200", "arm64", "NVIDIA-GB200"), ("disagg-b200", "amd64", "NVIDIA-B200")],
)
def test_workers_run_on_the_nodes_of_their_gpu(
    target: str, architecture: str, product: str
) -> None:
    spec = components(objects(target))["decode"]["spec"]
    assert spec["nodeSelector"] == {"kubernetes.io/arch": architecture}
    affinity = spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    expression = {"key": "nvidia.com/gpu.product", "operator": "In", "values": [product]}
    assert affinity == {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}


def test_helm_test_runs_the_smoke_script_against_the_frontend() -> None:
    (found,) = [o for o in objects(DISAGG) if o["kind"] == "Pod"]
    assert found["metadata"]["annotations"]["helm.sh/hook"] == "test"
    assert found["spec"]["containers"][0]["command"] == [
        *("python3", "/etc/gpt-oss/scripts/smoke.py"),
        *("http://gpt-oss-frontend:8000", "openai/gpt-oss-120b"),
        *("--wait", "120", "--timeout", "120"),
        *("--release", Facts().default_release.version),
    ]


def test_helm_test_of_trtllm_serve_does_not_expect_an_unknown_model_to_be_refused() -> None:
    (found,) = [o for o in objects("serve-h100-2") if o["kind"] == "Pod"]
    assert found["spec"]["containers"][0]["command"][-2:] == ["--names", "no"]


def test_notes_print_three_commands_with_real_names() -> None:
    values = "charts/gpt-oss/ci/disagg-gb200-values.yaml"
    done = run(
        "helm4", "install", "web", "charts/gpt-oss", "--values", values, "--dry-run=client",
        "--namespace", "serving", "--set", BENCHMARK,
    )  # fmt: skip
    notes = done.stdout.partition("NOTES:")[2]
    job = one(
        "Job",
        [d for d in plain_yaml.load_all(text(DISAGG, BENCHMARK, name="web")) if d],
        "benchmark",
    )
    assert "kubectl get pods -n serving -l nvidia.com/dynamo-graph-deployment-name=web -w" in notes
    assert "helm test web -n serving" in notes
    assert f"kubectl logs -n serving -f job/{job['metadata']['name']}" in notes


def test_no_hook_but_helm_test_and_nothing_that_asks_the_cluster() -> None:
    for item in objects(DISAGG, BENCHMARK):
        hook = item["metadata"].get("annotations", {}).get("helm.sh/hook", "test")
        assert hook == "test"
    from tests.chart.rendering import CHART

    templates = "".join(path.read_text() for path in CHART.glob("templates/**/*") if path.is_file())
    for asking in ("lookup", ".Capabilities", "randAlpha", "genCA", "uuidv4", "now |"):
        assert asking not in templates


RDMA = "hardware.rdma.resource=rdma/ib"


def test_rdma_gives_prefill_and_decode_a_device_a_gpu_and_the_right_to_pin_memory() -> None:
    found = components(objects("disagg-b200-node", RDMA))
    for role in ("prefill", "decode"):
        container = main(found[role])
        for kind in ("requests", "limits"):
            assert container["resources"][kind]["rdma/ib"] == "4"
        security = container["securityContext"]
        assert security["capabilities"] == {"drop": ["ALL"], "add": ["IPC_LOCK"]}
        # A capability does nothing for a user who is not root.
        assert (security["runAsUser"], security["runAsNonRoot"]) == (0, False)
        assert environment(container)["OMPI_ALLOW_RUN_AS_ROOT"] == "1"
    assert "add" not in main(found["frontend"])["securityContext"]["capabilities"]


def test_rdma_without_locked_memory_leaves_every_pod_restricted() -> None:
    plain, rdma = (
        components(objects("disagg-b200-node", *settings))
        for settings in ((), (RDMA, "hardware.rdma.lockMemory=false"))
    )
    for role in ("prefill", "decode"):
        assert main(rdma[role])["resources"]["limits"]["rdma/ib"] == "4"
        assert main(rdma[role])["securityContext"] == main(plain[role])["securityContext"]


@pytest.mark.parametrize("target", ["agg-gb200", "serve-latency-b200"])
def test_rdma_is_for_workers_that_send_something_to_other_pods(target: str) -> None:
    assert text(target, RDMA) == text(target)
    wide = components(objects("agg-gb200", RDMA, "workers.worker.engine.tensor_parallel_size=8"))
    assert main(wide["worker"])["resources"]["limits"]["rdma/ib"] == "4"


def test_a_workers_own_number_of_rdma_devices_is_kept() -> None:
    own = "workers.decode.resources.limits.rdma/ib=1"
    found = components(objects("disagg-b200-node", RDMA, own))
    for kind in ("requests", "limits"):
        assert main(found["decode"])["resources"][kind]["rdma/ib"] == "1"
