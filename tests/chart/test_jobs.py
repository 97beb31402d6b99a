"""The Jobs that measure: traffic profiles of the benchmark, and the evaluation of answers."""

import runpy
from typing import Any

import pytest

from tests.chart.rendering import CHART, environment, objects, one, refusal
from tests.oracles.client import Oracle

TARGET, DISAGG = "agg-gb200", "disagg-gb200"
BENCHMARK = "benchmark.enabled=true"
ACCURACY = ("accuracy.enabled=true", "accuracy.image=registry.internal/evals:0.0.9")
STEPS = runpy.run_path(str(CHART / "files" / "benchmark.py"))["steps"]


def container(kind: str, target: str, *settings: str) -> dict[str, Any]:
    job = one("Job", objects(target, *settings), kind)
    main: dict[str, Any] = job["spec"]["template"]["spec"]["containers"][0]
    return main


def benchmark(target: str, *settings: str) -> list[list[str]]:
    """The aiperf command lines that the benchmark Job runs."""
    found: list[list[str]] = STEPS(container("benchmark", target, BENCHMARK, *settings)["args"])
    return found


def value(command: list[str], flag: str) -> str:
    return command[command.index(flag) + 1]


@pytest.mark.parametrize(
    ("settings", "steps"),
    [
        (["workload.sweep.from=32", "workload.sweep.to=128"], [32, 64, 128]),
        (["workload.sweep.from=100", "workload.sweep.to=500"], [100, 200, 400, 500]),
        (["workload.sweep.from=900"], [900, 1800, 3600]),
        (["workload.sweep.from=3600"], [3600]),
    ],
)
def test_a_sweep_doubles_and_ends_with_its_last_concurrency_or_with_the_capacity(
    settings: list[str], steps: list[int]
) -> None:
    commands = benchmark(TARGET, *settings)
    assert [int(value(command, "--concurrency")) for command in commands] == steps
    for command, concurrency in zip(commands, steps, strict=True):
        assert value(command, "--request-count") == str(5 * concurrency)
        assert value(command, "--warmup-request-count") == str(concurrency)
        assert value(command, "--num-dataset-entries") == str(6 * concurrency)
        assert value(command, "--artifact-dir") == f"/artifacts/concurrency-{concurrency}"


def test_the_capacity_counts_decode_workers_and_replicas_and_no_prefill() -> None:
    doubled = ("workload.sweep.from=2000", "workers.decode.replicas=2")
    commands = benchmark(DISAGG, *doubled)
    assert value(commands[-1], "--concurrency") == "2560"


def test_no_two_steps_of_a_sweep_send_the_same_prompts() -> None:
    commands = benchmark(TARGET, "workload.sweep.to=256", "benchmark.randomSeed=7")
    assert [value(command, "--random-seed") for command in commands] == ["7", "8", "9", "10"]


def test_what_the_values_say_holds_for_every_step() -> None:
    settings = (
        "workload.sweep.to=64",
        "workload.sweep.rounds=3",
        "benchmark.warmupRequests=10",
        "benchmark.datasetEntries=8000",
    )
    for command in benchmark(TARGET, *settings):
        assert value(command, "--warmup-request-count") == "10"
        assert value(command, "--num-dataset-entries") == "8000"
        assert int(value(command, "--request-count")) == 3 * int(value(command, "--concurrency"))


def test_no_prompt_of_a_fixed_profile_is_sent_twice() -> None:
    (command,) = benchmark(TARGET)
    counts = ("--request-count", "--warmup-request-count")
    assert int(value(command, "--num-dataset-entries")) == sum(
        int(value(command, count)) for count in counts
    )


def test_a_total_concurrency_stands_for_the_one_a_gpu() -> None:
    settings = ("workload.concurrencyPerGpu=null", "workload.concurrency=256")
    (command,) = benchmark(TARGET, *settings)
    assert value(command, "--concurrency") == "256"
    assert value(command, "--request-count") == "2560"


def test_the_load_generator_may_hold_the_connections_of_the_largest_step() -> None:
    main = container("benchmark", TARGET, BENCHMARK, "workload.sweep.to=4096")
    assert environment(main)["AIPERF_HTTP_CONNECTION_LIMIT"] == "4096"


def test_lengths_that_vary_are_not_pinned_by_every_request() -> None:
    (command,) = benchmark(TARGET, "workload.outputTokensStddev=50")
    assert value(command, "--output-tokens-stddev") == "50"
    assert [word for word in command if "max_tokens" in word or "min_tokens" in word] == []


@pytest.mark.parametrize(
    "settings",
    [
        ["workload.sweep.to=128"],
        ["workload.goodput.time_to_first_token=2000", "workload.goodput.inter_token_latency=50"],
        ["workload.inputTokensStddev=100", "workload.outputTokensStddev=50"],
        ["workload.concurrencyPerGpu=null", "workload.concurrency=64"],
    ],
)
def test_aiperf_s_own_configuration_takes_every_profile(
    settings: list[str], aiperf_oracle: Oracle
) -> None:
    for command in benchmark(TARGET, *settings):
        assert command[:2] == ["aiperf", "profile"]
        verdict = aiperf_oracle.ask("aiperf", command[2:])
        assert verdict.ok, verdict.error


def test_goodput_limits_reach_aiperf(aiperf_oracle: Oracle) -> None:
    (command,) = benchmark(TARGET, "workload.goodput.time_to_first_token=2000")
    verdict = aiperf_oracle.ask("aiperf", command[2:])
    assert "time_to_first_token" in str(verdict.config), verdict.config


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (["workload.concurrency=9"], "workload.concurrency is 9 and workload.concurrencyPerGpu"),
        (["workload.concurrencyPerGpu=null"], "workload.concurrencyPerGpu is not set; set it,"),
        (["workload.sweep.to=8"], "it begins with 32, but ends with 8"),
        (
            ["workload.sweep.rounds=5", "workers.worker.engineConfig=null"],
            "workload.sweep.to is not set",
        ),
        (["workload.goodput.ttft=2000"], "'ttft' not allowed"),
        (["workload.goodput.request_latency=0"], "/workload/goodput/request_latency"),
        (["workload.sweep.round=5"], "'round' not allowed"),
        (["accuracy.enabled=true"], "accuracy.image is not set"),
        ([*ACCURACY, "accuracy.evals={healthbench}"], "/accuracy/evals/0"),
        ([*ACCURACY, "accuracy.reasoningEfforts={extreme}"], "/accuracy/reasoningEfforts/0"),
    ],
)
def test_traffic_and_evaluations_that_cannot_be_are_refused(settings: list[str], said: str) -> None:
    assert said in refusal(TARGET, BENCHMARK, *settings)


def test_nothing_evaluates_unless_it_is_asked_for() -> None:
    names = [o["metadata"]["name"] for o in objects(TARGET)]
    assert [name for name in names if "accuracy" in name] == []


def test_openai_s_own_parser_takes_the_evaluation(evals_oracle: Oracle) -> None:
    settings = (*ACCURACY, "accuracy.reasoningEfforts={low,high}", "accuracy.threads=64")
    main = container("accuracy", TARGET, *settings)
    assert main["args"][:3] == ["python3", "-m", "gpt_oss.evals"]
    verdict = evals_oracle.ask("evals", main["args"][3:])
    assert verdict.ok, verdict.error
    assert verdict.config["reasoning_effort"] == "low,high"
    assert verdict.config["eval"] == "gpqa,aime25"
    assert verdict.config["base_url"] == "http://gpt-oss-frontend:8000/v1"
    assert verdict.config["n_threads"] == 64


@pytest.mark.parametrize(("target", "threads"), [(TARGET, "1584"), (DISAGG, "1280")])
def test_no_more_questions_are_asked_at_once_than_the_workers_decode(
    target: str, threads: str
) -> None:
    assert value(container("accuracy", target, *ACCURACY)["args"], "--n-threads") == threads


def test_an_evaluation_of_something_else_is_another_job() -> None:
    names = {
        one("Job", objects(TARGET, *ACCURACY, *more), "accuracy")["metadata"]["name"]
        for more in ([], ["accuracy.reasoningEfforts={high}"], ["accuracy.evals={gpqa}"])
    }
    assert len(names) == 3


def test_scores_are_kept_in_a_claim_when_there_is_one() -> None:
    found = objects(TARGET, *ACCURACY, "accuracy.artifacts.existingClaim=results")
    spec = one("Job", found, "accuracy")["spec"]["template"]["spec"]
    (volume,) = [v for v in spec["volumes"] if v["name"] == "artifacts"]
    assert volume["persistentVolumeClaim"]["claimName"] == "results"
    (mount,) = [m for m in spec["containers"][0]["volumeMounts"] if m["name"] == "artifacts"]
    assert mount["subPath"].startswith("gpt-oss-accuracy-")
    assert spec["containers"][0]["command"][-1] == mount["mountPath"]


def test_a_job_and_its_pod_are_found_by_the_same_labels() -> None:
    found = objects("eval-tp4-b200", BENCHMARK, *ACCURACY)
    jobs = [item for item in found if item["kind"] == "Job"]
    labels = [
        {key: where["labels"][f"app.kubernetes.io/{key}"] for key in ("instance", "component")}
        for job in jobs
        for where in (job["metadata"], job["spec"]["template"]["metadata"])
    ]
    names = ("accuracy", "benchmark", "download")
    assert labels == [{"instance": "gpt-oss", "component": n} for n in names for _ in range(2)]


@pytest.mark.parametrize("target", ["eval-tp4-b200", "disagg-gb200"])
def test_a_benchmark_that_is_turned_on_leaves_alone_what_serves(target: str) -> None:
    def serving(*settings: str) -> list[Any]:
        kinds = ("Job", "ConfigMap", "ServiceAccount", "Role", "RoleBinding")
        return [item for item in objects(target, *settings) if item["kind"] not in kinds]

    assert serving(BENCHMARK) == serving()
