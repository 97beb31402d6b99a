"""What every target renders to, on every release, with Helm 3 and 4."""

import subprocess

import pytest
import yaml

from tests.chart.rendering import (
    HELMS,
    RELEASES,
    ROOT,
    SHIPPED,
    TARGETS,
    components,
    environment,
    objects,
    one,
    pods,
    text,
)
from tests.oracles.client import Oracle

BENCHMARK = "benchmark.enabled=true"
# Another public name, which the everything values have, needs 1.2.1.
CASES = [(t, r) for t in TARGETS for r in RELEASES if t in SHIPPED or r >= "1.2"]
EVERY = pytest.mark.parametrize(("target", "release"), CASES)
EACH = pytest.mark.parametrize("target", TARGETS)


def settings(release: str) -> tuple[str, str]:
    return BENCHMARK, f"runtime.release={release}"


@EVERY
def test_helm_3_and_4_render_the_same(target: str, release: str) -> None:
    first, second = (text(target, *settings(release), helm=helm) for helm in HELMS)
    assert list(yaml.safe_load_all(first)) == list(yaml.safe_load_all(second))


@EVERY
def test_api_version_follows_the_release(target: str, release: str) -> None:
    graph = one("DynamoGraphDeployment", objects(target, *settings(release)))
    newer = release.startswith(("1.5", "1.6"))
    assert graph["apiVersion"] == f"nvidia.com/{'v1beta1' if newer else 'v1alpha1'}"
    assert graph["spec"]["backendFramework"] == "trtllm"


@EVERY
def test_every_component_has_a_type_that_the_operator_knows(target: str, release: str) -> None:
    found = components(objects(target, *settings(release)))
    roles = {name: component["type"] for name, component in found.items()}
    known = {"frontend": "frontend", "worker": "worker", "prefill": "prefill", "decode": "decode"}
    assert roles == {name: known[name] for name in roles}
    assert all(component["component_type"] != "main" for component in found.values())
    assert all(isinstance(component["replicas"], int) for component in found.values())


@EVERY
def test_gpu_limits_are_the_engine_s_parallel_sizes(target: str, release: str) -> None:
    found = objects(target, *settings(release))
    engines = one("ConfigMap", found, "engine")["data"]
    for name, component in components(found).items():
        resources = component["spec"]["containers"][0]["resources"]
        if name == "frontend":
            assert "nvidia.com/gpu" not in resources.get("limits", {})
            continue
        engine = yaml.safe_load(engines[f"{name}.yaml"])
        needed = str(engine["tensor_parallel_size"] * engine["pipeline_parallel_size"])
        assert resources["limits"]["nvidia.com/gpu"] == needed
        assert resources["requests"]["nvidia.com/gpu"] == needed


@EVERY
def test_workers_start_without_a_shell(target: str, release: str) -> None:
    for name, component in components(objects(target, *settings(release))).items():
        program = "dynamo.frontend" if name == "frontend" else "dynamo.trtllm"
        assert component["spec"]["containers"][0]["command"] == ["python3", "-m", program]


@pytest.mark.parametrize("release", ["1.2.1", "1.3.1", "1.4.2"])
@EACH
def test_dynamo_s_own_parsers_take_every_command(
    target: str, release: str, dynamo_oracles: dict[str, Oracle]
) -> None:
    for name, component in components(objects(target, *settings(release))).items():
        main = component["spec"]["containers"][0]
        program = "frontend" if name == "frontend" else "worker"
        verdict = dynamo_oracles[release].ask(program, main["args"], environment(main))  # type: ignore[arg-type]
        assert verdict.ok, verdict.error
        assert not verdict.warnings, verdict.warnings


@EVERY
def test_aiperf_s_own_parser_takes_the_benchmark(
    target: str, release: str, aiperf_oracle: Oracle
) -> None:
    job = one("Job", objects(target, *settings(release)), "benchmark")
    main = job["spec"]["template"]["spec"]["containers"][0]
    assert main["args"][:2] == ["aiperf", "profile"]
    verdict = aiperf_oracle.ask("aiperf", main["args"][2:], environment(main))
    assert verdict.ok, verdict.error


NUMBERS = {
    "agg-gb200": ("128", "1000", "3600", "36000"),
    "disagg-gb200": ("8192", "1024", "1280", "12800"),
    "disagg-b200": ("8192", "1024", "1280", "12800"),
}


@pytest.mark.parametrize("target", SHIPPED)
def test_the_benchmark_sends_the_target_s_traffic(target: str) -> None:
    job = one("Job", objects(target, BENCHMARK), "benchmark")
    args = job["spec"]["template"]["spec"]["containers"][0]["args"]
    flags = ("--synthetic-input-tokens-mean", "--output-tokens-mean", "--concurrency")
    sent = tuple(args[args.index(flag) + 1] for flag in (*flags, "--request-count"))
    assert sent == NUMBERS[target]


@EVERY
def test_kubeconform_takes_every_object_and_pod_and_skips_none(target: str, release: str) -> None:
    found = objects(target, *settings(release))
    everything = [*found, *pods(found).values()]
    done = subprocess.run(
        [ROOT / "tools" / "setup" / "kubeconform.sh"],
        input=yaml.safe_dump_all(everything),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"Valid: {len(everything)}" in done.stdout
    assert "Skipped: 0" in done.stdout


@EVERY
def test_every_pod_passes_the_restricted_pod_security_standard(target: str, release: str) -> None:
    volumes = {"configMap", "emptyDir", "persistentVolumeClaim", "name"}
    for pod in pods(objects(target, *settings(release))).values():
        spec = pod["spec"]
        assert spec["securityContext"]["runAsNonRoot"] is True
        assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert not {"hostNetwork", "hostPID", "hostIPC"} & set(spec)
        for volume in spec.get("volumes", []):
            assert set(volume) <= volumes
        for container in [*spec["containers"], *spec.get("initContainers", [])]:
            assert container["securityContext"]["allowPrivilegeEscalation"] is False
            assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}


@EACH
def test_everything_that_reads_the_cache_is_offline_and_has_the_harmony_vocabulary(
    target: str,
) -> None:
    for component in components(objects(target)).values():
        main = component["spec"]["containers"][0]
        variables = environment(main)
        assert variables["HF_HUB_OFFLINE"] == "1"
        assert variables["TIKTOKEN_ENCODINGS_BASE"] == "/opt/models/tiktoken"
        mounts = {mount["name"]: mount for mount in main["volumeMounts"]}
        assert mounts["model-cache"]["mountPath"] == "/opt/models"
        assert mounts["model-cache"]["readOnly"] is True


@EACH
def test_names_are_the_release_s_own_so_that_two_targets_live_in_one_namespace(target: str) -> None:
    for item in objects(target, BENCHMARK):
        assert item["metadata"]["name"].startswith("gpt-oss"), item["metadata"]["name"]
    other = list(yaml.safe_load_all(text(target, BENCHMARK, name="other")))
    mine = {(o["kind"], o["metadata"]["name"]) for o in objects(target, BENCHMARK)}
    theirs = {(o["kind"], o["metadata"]["name"]) for o in other if o}
    assert not mine & theirs


def test_the_overlay_sets_the_quantisation_of_every_worker() -> None:
    plain = components(objects("agg-gb200"))
    laid = components(objects("agg-gb200", "quantization.override=W4A8_MXFP4_MXFP8"))
    overlay = yaml.safe_load((ROOT / "values" / "quant-w4a8-mxfp4-mxfp8.yaml").read_text())
    assert overlay == {"quantization": {"override": "W4A8_MXFP4_MXFP8"}}
    for name in ("worker",):
        before = environment(plain[name]["spec"]["containers"][0])
        after = environment(laid[name]["spec"]["containers"][0])
        assert after == {**before, "OVERRIDE_QUANT_ALGO": "W4A8_MXFP4_MXFP8"}
