import re
from pathlib import Path

import pytest

from tests.oracles import client
from tests.oracles.client import AIPERF_VERSION, DYNAMO_RELEASES, Oracle, oracle

releases = pytest.mark.parametrize("release", DYNAMO_RELEASES)

WORKER = [
    *["--model", "/models/snapshot", "--served-model-name", "openai/gpt-oss-120b"],
    *["--dyn-reasoning-parser", "gpt_oss", "--dyn-tool-call-parser", "harmony"],
    *["--extra-engine-args", "/engine/decode.yaml"],
]
FRONTEND = ["--router-mode", "kv", "--http-port", "8000"]
BENCHMARK = [
    *["--model", "openai/gpt-oss-120b", "--url", "http://frontend:8000", "--streaming"],
    *["--endpoint-type", "chat", "--isl", "8192", "--osl", "1024", "--request-count", "160"],
]


@releases
def test_worker_command_line_is_accepted_and_read(
    dynamo_oracles: dict[str, Oracle], release: str
) -> None:
    verdict = dynamo_oracles[release].ask("worker", [*WORKER, "--disaggregation-mode", "decode"])

    assert verdict.ok, verdict.error
    assert verdict.config["served_model_name"] == "openai/gpt-oss-120b"
    assert verdict.config["disaggregation_mode"] == "decode"
    assert verdict.config["dyn_tool_call_parser"] == "harmony"
    assert not verdict.warnings


@releases
@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        (["--max-batch-sise", "64"], "--max-batch-sise"),
        (["--max-batch", "64"], "--max-batch"),
        (["--max-batch-size", "many"], "--max-batch-size"),
        (["--dyn-reasoning-parser", "harmony"], "--dyn-reasoning-parser"),
        (["--dyn-tool-call-parser", "gpt_oss"], "--dyn-tool-call-parser"),
        (["--disaggregation-mode", "aggregated"], "--disaggregation-mode"),
        (["--help"], "exit code 0"),
    ],
)
def test_worker_command_line_is_refused_with_the_flag_named(
    dynamo_oracles: dict[str, Oracle], release: str, wrong: list[str], error: str
) -> None:
    verdict = dynamo_oracles[release].ask("worker", [*WORKER, *wrong])

    assert not verdict.ok
    assert error in verdict.error


@pytest.mark.parametrize(
    ("release", "mode", "accepted"),
    [
        ("1.2.1", "prefill_and_decode", True),
        ("1.2.1", "agg", False),
        ("1.3.1", "prefill_and_decode", True),
        ("1.3.1", "agg", True),
        ("1.4.2", "prefill_and_decode", False),
        ("1.4.2", "agg", True),
    ],
)
def test_disaggregation_mode_is_judged_by_the_release(
    dynamo_oracles: dict[str, Oracle], release: str, mode: str, accepted: bool
) -> None:
    verdict = dynamo_oracles[release].ask("worker", [*WORKER, "--disaggregation-mode", mode])

    assert verdict.ok is accepted, verdict.error


@releases
def test_worker_reads_the_environment_of_its_container_only(
    dynamo_oracles: dict[str, Oracle], release: str
) -> None:
    judge = dynamo_oracles[release]

    configured = judge.ask("worker", WORKER, {"DYN_TRTLLM_MAX_BATCH_SIZE": "64"})
    plain = judge.ask("worker", WORKER)

    assert configured.config["max_batch_size"] == 64
    assert plain.config["max_batch_size"] == 2048


@releases
def test_frontend_command_line_is_accepted_and_read(
    dynamo_oracles: dict[str, Oracle], release: str
) -> None:
    verdict = dynamo_oracles[release].ask("frontend", FRONTEND, {"DYN_HTTP_PORT": "9000"})

    assert verdict.ok, verdict.error
    assert verdict.config["router_mode"] == "kv"
    assert verdict.config["http_port"] == 8000


@releases
@pytest.mark.parametrize(
    "wrong",
    [
        ["--router-mod", "kv"],
        ["--no-such-flag"],
        ["--router-mode", "rr"],
        ["--tls-cert-path", "/c"],
    ],
)
def test_frontend_command_line_is_refused_with_the_flag_named(
    dynamo_oracles: dict[str, Oracle], release: str, wrong: list[str]
) -> None:
    verdict = dynamo_oracles[release].ask("frontend", [*FRONTEND, *wrong])

    assert not verdict.ok
    assert wrong[0] in verdict.error


@pytest.mark.parametrize(("release", "ignored"), [("1.2.1", False), ("1.4.2", True)])
def test_a_flag_that_the_release_ignores_is_told_as_a_warning(
    dynamo_oracles: dict[str, Oracle], release: str, ignored: bool
) -> None:
    verdict = dynamo_oracles[release].ask("frontend", [*FRONTEND, "--enforce-disagg"])

    assert verdict.ok, verdict.error
    assert any("ignored" in warning for warning in verdict.warnings) is ignored


def test_benchmark_command_line_is_accepted_and_read(aiperf_oracle: Oracle) -> None:
    verdict = aiperf_oracle.ask("aiperf", [*BENCHMARK, "--concurrency", "1,4,16"])

    assert verdict.ok, verdict.error
    assert verdict.config["runs"] == 3
    assert verdict.config["benchmark"]["endpoint"]["urls"] == ["http://frontend:8000"]


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        (["--concurency", "4"], "--concurency"),
        (["--concurr", "4"], "--concurr"),
        (["--concurrency", "0"], "concurrency"),
        (["--ui", "fancy"], "fancy"),
        (["--isl", "128"], "--isl"),
    ],
)
def test_benchmark_command_line_is_refused_with_the_flag_named(
    aiperf_oracle: Oracle, wrong: list[str], error: str
) -> None:
    verdict = aiperf_oracle.ask("aiperf", [*BENCHMARK, *wrong])

    assert not verdict.ok
    assert error in verdict.error


def test_program_that_the_environment_lacks_is_no_verdict(
    capfd: pytest.CaptureFixture[str],
) -> None:
    with (
        oracle(f"aiperf-{AIPERF_VERSION}") as aiperf,
        pytest.raises(RuntimeError, match="standard error"),
    ):
        aiperf.ask("frontend", [])

    assert "No module named 'dynamo'" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("stamp", "state"), [(None, "is missing"), ("0" * 64, "is older than its requirement file")]
)
def test_environment_that_is_not_made_fails_the_test_and_names_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stamp: str | None, state: str
) -> None:
    locked = tmp_path / "requirements/oracles/dynamo-1.2.1.txt"
    locked.parent.mkdir(parents=True)
    locked.touch()
    environment = tmp_path / ".tools/oracles/dynamo-1.2.1"
    environment.mkdir(parents=True)
    if stamp:
        (environment / ".stamp").write_text(stamp)
    monkeypatch.setattr(client, "ROOT", tmp_path)

    with pytest.raises(pytest.fail.Exception, match=re.escape(f"{state}: run `make oracles`")):
        oracle("dynamo-1.2.1")
