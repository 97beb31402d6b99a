"""What every target renders to, on every release, with Helm 3 and 4."""

import json
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

from gptoss.facts.world import Facts
from gptoss.text import plain_yaml
from tests.chart.rendering import (
    DYNAMO,
    HELMS,
    RELEASES,
    ROOT,
    SERVE,
    SHIPPED,
    TARGETS,
    TUNED,
    components,
    dumped,
    engine_of,
    environment,
    objects,
    one,
    pods,
    text,
)
from tests.oracles.client import DYNAMO_RELEASES, Oracle

BENCHMARK = "benchmark.enabled=true"
# Another public name, which the everything values have, needs 1.2.1. A tuned sibling differs from
# its document's target in numbers: its own release says enough.
DEFAULT = Facts().default_release.version
CASES = [
    (target, name)
    for target in TARGETS
    for name, release in RELEASES.items()
    if (name == DEFAULT if target in TUNED else target in SHIPPED or release.number >= (1, 2))
]
EVERY = pytest.mark.parametrize(("target", "release"), CASES)
# First, default and newest release: for what takes long and hardly differs between releases.
FEW = {next(iter(RELEASES)), DEFAULT, next(reversed(RELEASES))}
SOME = pytest.mark.parametrize(("target", "release"), [c for c in CASES if c[1] in FEW])
EACH = pytest.mark.parametrize("target", TARGETS)
GRAPHS = pytest.mark.parametrize(("target", "release"), [c for c in CASES if c[0] in DYNAMO])
SERVERS = pytest.mark.parametrize(("target", "release"), [c for c in CASES if c[0] in SERVE])


def settings(release: str) -> tuple[str, str]:
    return BENCHMARK, f"runtime.release={release}"


@SOME
def test_helm_3_and_4_render_the_same(target: str, release: str) -> None:
    first, second = (text(target, *settings(release), helm=helm) for helm in HELMS)
    loaded = [list(plain_yaml.load_all(t)) for t in (first, second)]
    assert loaded[0] == loaded[1]


@GRAPHS
def test_api_version_follows_the_release(target: str, release: str) -> None:
    graph = one("DynamoGraphDeployment", objects(target, *settings(release)))
    assert graph["apiVersion"] == f"nvidia.com/{RELEASES[release].api_versions[-1]}"
    assert graph["spec"]["backendFramework"] == "trtllm"


@GRAPHS
def test_every_component_has_a_type_that_the_operator_knows(target: str, release: str) -> None:
    found = components(objects(target, *settings(release)))
    roles = {name: component["type"] for name, component in found.items()}
    known = {"frontend": "frontend", "worker": "worker", "prefill": "prefill", "decode": "decode"}
    assert roles == {name: known[name] for name in roles}
    assert all(component["component_type"] != "main" for component in found.values())
    scaled = {"frontend", "prefill"} if target == "everything" else set()
    assert {name for name, each in found.items() if each["replicas"] is None} == scaled


@EVERY
def test_gpu_limits_are_the_engine_s_parallel_sizes(target: str, release: str) -> None:
    found = objects(target, *settings(release))
    for name, component in components(found).items():
        resources = component["spec"]["containers"][0]["resources"]
        if name == "frontend":
            assert "nvidia.com/gpu" not in resources.get("limits", {})
            continue
        engine = engine_of(found, name)
        needed = str(engine["tensor_parallel_size"] * engine.get("pipeline_parallel_size", 1))
        assert resources["limits"]["nvidia.com/gpu"] == needed
        assert resources["requests"]["nvidia.com/gpu"] == needed


@GRAPHS
def test_workers_start_without_a_shell(target: str, release: str) -> None:
    for name, component in components(objects(target, *settings(release))).items():
        program = "dynamo.frontend" if name == "frontend" else "dynamo.trtllm"
        assert component["spec"]["containers"][0]["command"] == ["python3", "-m", program]


@SERVERS
def test_a_server_is_one_deployment_with_its_service_and_no_graph(
    target: str, release: str
) -> None:
    found = objects(target, *settings(release))
    assert not [o for o in found if o["kind"] == "DynamoGraphDeployment"]
    server, service = one("Deployment", found), one("Service", found)
    assert server["metadata"]["name"] == service["metadata"]["name"] == "gpt-oss-server"
    (port,) = service["spec"]["ports"]
    (target_port,) = server["spec"]["template"]["spec"]["containers"][0]["ports"]
    assert port["port"] == target_port["containerPort"] == 8000
    assert port["targetPort"] == target_port["name"]
    labels = server["spec"]["template"]["metadata"]["labels"]
    assert service["spec"]["selector"].items() <= labels.items()
    assert server["spec"]["selector"]["matchLabels"].items() <= labels.items()


@SERVERS
def test_trtllm_serve_of_the_image_s_version_knows_every_flag_and_none_is_a_size(
    target: str, release: str
) -> None:
    main = components(objects(target, *settings(release)))["worker"]["spec"]["containers"][0]
    version = RELEASES[release].trtllm
    known = json.loads((ROOT / f"schema/cli/trtllm-serve-{version}.json").read_text())["flags"]
    assert main["command"] == ["trtllm-serve"]
    model, *rest = main["args"]
    assert model == "openai/gpt-oss-120b"
    flags = rest[::2]
    assert set(flags) <= set(known)
    assert {flag for flag in flags if "engine" in known[flag]} == {"--revision"}
    if target in SHIPPED:
        assert main["image"] == f"nvcr.io/nvidia/tensorrt-llm/release:{version}"


@pytest.mark.parametrize("release", DYNAMO_RELEASES)
@pytest.mark.parametrize("target", DYNAMO)
def test_dynamo_s_own_parsers_take_every_command(
    target: str, release: str, dynamo_oracles: dict[str, Oracle]
) -> None:
    for name, component in components(objects(target, *settings(release))).items():
        main = component["spec"]["containers"][0]
        program = "frontend" if name == "frontend" else "worker"
        verdict = dynamo_oracles[release].ask(program, main["args"], environment(main))  # type: ignore[arg-type]
        assert verdict.ok, verdict.error
        assert not verdict.warnings, verdict.warnings


@SOME
def test_aiperf_s_own_parser_takes_the_benchmark(
    target: str, release: str, aiperf_oracle: Oracle
) -> None:
    job = one("Job", objects(target, *settings(release)), "benchmark")
    main = job["spec"]["template"]["spec"]["containers"][0]
    start = main["args"].index("aiperf")
    assert main["args"][start + 1] == "profile"
    verdict = aiperf_oracle.ask("aiperf", main["args"][start + 2 :], environment(main))
    assert verdict.ok, verdict.error


NUMBERS = {
    "agg-gb200": ("128", "1000", "3600", "36000"),
    "disagg-gb200": ("8192", "1024", "1280", "12800"),
    "disagg-b200": ("8192", "1024", "1280", "12800"),
    "disagg-b200-node": ("32000", "256", "256", "6144"),
    "serve-h100-2": ("4000", "1000", "16", "150"),
    "eval-dep8-b200": ("1000", "8192", "1024", "10240"),
    "eval-dep4-b200": ("1000", "8192", "512", "5120"),
    "disagg-gb200-tuned": ("8192", "1024", "560", "5600"),
    "disagg-b200-tuned": ("8192", "1024", "520", "5200"),
    "disagg-b200-node-tuned": ("32000", "256", "40", "960"),
    "agg-b200-node-tuned": ("32000", "256", "256", "6144"),
    "eval-tp8-b200": ("1000", "8192", "1024", "10240"),
    "eval-tp4-b200": ("1000", "8192", "512", "5120"),
}
SWEEPS = {
    "serve-latency-b200": 720,
    "serve-latency-gb200": 720,
    "serve-throughput-b200": 8 * 720,
    "agg-b200-tuned": 4096,
    "serve-throughput-gb200": 4 * 720,
}


def test_the_traffic_of_every_target_is_known_here() -> None:
    assert {*NUMBERS, *SWEEPS} == set(SHIPPED)


@pytest.mark.parametrize("target", NUMBERS)
def test_the_benchmark_sends_the_target_s_traffic(target: str) -> None:
    job = one("Job", objects(target, BENCHMARK), "benchmark")
    args = job["spec"]["template"]["spec"]["containers"][0]["args"]
    flags = ("--synthetic-input-tokens-mean", "--output-tokens-mean", "--concurrency")
    sent = tuple(args[args.index(flag) + 1] for flag in (*flags, "--request-count"))
    assert sent == NUMBERS[target]


@pytest.mark.parametrize("target", SWEEPS)
def test_a_target_with_a_sweep_goes_from_32_to_all_that_its_server_holds(target: str) -> None:
    job = one("Job", objects(target, BENCHMARK), "benchmark")
    args = job["spec"]["template"]["spec"]["containers"][0]["args"]
    steps = [int(step) for step in args[args.index("--sweep") + 1].split(",")]
    assert steps[0] == 32
    assert steps[-1] == SWEEPS[target]
    assert all(after == 2 * before for before, after in pairwise(steps[:-1]))
    assert args[args.index("--rounds") + 1] == "5"


def test_kubeconform_takes_every_object_and_pod_of_every_release_and_skips_none(
    tmp_path: Path,
) -> None:
    # In one run: most of its time goes into reading the schemas.
    count = 0
    for target, release in CASES:
        found = objects(target, *settings(release))
        everything = [*found, *pods(found).values()]
        (tmp_path / f"{target}-{release}.yaml").write_text(dumped(everything))
        count += len(everything)
    done = subprocess.run(
        [ROOT / "tools" / "setup" / "kubeconform.sh", tmp_path],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"Valid: {count}" in done.stdout
    assert "Skipped: 0" in done.stdout


@EVERY
def test_every_pod_passes_the_restricted_pod_security_standard(target: str, release: str) -> None:
    volumes = {"configMap", "emptyDir", "persistentVolumeClaim", "projected", "name"}
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
        # What the release's own volume is not stands elsewhere, with links from here.
        assert mounts["model-cache"]["mountPath"] in ("/opt/models", "/opt/model-volume")
        assert mounts["model-cache"]["readOnly"] is True
        assert "/opt/models" in [mount["mountPath"] for mount in main["volumeMounts"]]


@EACH
def test_names_are_the_release_s_own_so_that_two_targets_live_in_one_namespace(target: str) -> None:
    own, other = (
        # The service account's name is the user's.
        [
            item
            for item in plain_yaml.load_all(text(target, BENCHMARK, name=name))
            if item["kind"] != "ServiceAccount"
        ]
        for name in ("gpt-oss", "other")
    )
    for item in own:
        assert item["metadata"]["name"].startswith("gpt-oss"), item["metadata"]["name"]
    mine, theirs = ({(o["kind"], o["metadata"]["name"]) for o in each} for each in (own, other))
    assert not mine & theirs


def test_the_overlay_sets_the_quantisation_of_every_worker() -> None:
    plain = components(objects("agg-gb200"))
    laid = components(objects("agg-gb200", "quantization.override=W4A8_MXFP4_MXFP8"))
    overlay = plain_yaml.load((ROOT / "values" / "quant-w4a8-mxfp4-mxfp8.yaml").read_text())
    assert overlay == {"quantization": {"override": "W4A8_MXFP4_MXFP8"}}
    for name in ("worker",):
        before = environment(plain[name]["spec"]["containers"][0])
        after = environment(laid[name]["spec"]["containers"][0])
        assert after == {**before, "OVERRIDE_QUANT_ALGO": "W4A8_MXFP4_MXFP8"}
