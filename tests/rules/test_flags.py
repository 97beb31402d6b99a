"""What the rules about flags say, and what is known about flags."""

import pytest

from gptoss.command_lines.arguments import Kind
from gptoss.facts import programs
from gptoss.facts.world import Facts
from tests.command_lines.words import arguments_of, known
from tests.oracles.judging import bench_findings, errors, findings

RELEASES = tuple(Facts().releases)


def kinds(*words: str) -> list[Kind]:
    return [fault.kind for fault in arguments_of(known("dynamo.trtllm", "1.2.1"), *words).faults]


@pytest.mark.parametrize("program", ["dynamo.trtllm", "dynamo.frontend"])
@pytest.mark.parametrize("release", RELEASES)
def test_the_flags_of_every_supported_release_are_known(program: str, release: str) -> None:
    found = programs.program(program, release)
    assert found
    assert found.release == release
    assert release in found.source


def test_the_flags_of_trtllm_serve_are_known_for_every_release() -> None:
    for release in Facts().releases.values():
        assert programs.program("trtllm-serve", release.trtllm)


def test_what_was_inferred_says_so() -> None:
    exact, inferred = (programs.program("trtllm-serve", f"1.3.0rc{n}") for n in (14, 22))
    assert exact
    assert inferred
    assert exact.exact
    assert not inferred.exact
    assert not any(flag.inferred for flag in exact.flags.values())
    assert "inferred" in inferred.source


def test_the_facts_about_releases_agree_with_the_parsers() -> None:
    for release in Facts().releases.values():
        worker = programs.program("dynamo.trtllm", release.version)
        frontend = programs.program("dynamo.frontend", release.version)
        assert worker
        assert frontend
        assert release.kv_events_flag in worker.spellings
        assert release.aggregated_mode in worker.flags["--disaggregation-mode"].choices
        assert set(release.router_modes) == set(frontend.flags["--router-mode"].choices)
        flag = frontend.flags.get("--enforce-disagg")
        state = "refused" if flag is None else "automatic" if flag.ignored else "effective"
        assert release.enforce_disagg == state


def test_all_faults_of_a_command_line_are_told_at_once() -> None:
    words = ("--no-such-flag", "value", "--revision", "--enable-attention-dp", "true")
    assert set(kinds(*words)) == {Kind.UNKNOWN, Kind.NO_VALUE, Kind.STRAY}


def test_words_that_only_the_shell_knows_are_not_judged() -> None:
    assert kinds("$EXTRA_FLAGS", "--max-batch-size", "$BATCH", "${MORE}") == []
    assert errors(findings("1.2.1", "worker", ["--max-batch-size", "$BATCH"])) == []


def test_an_ambiguous_beginning_is_refused() -> None:
    assert kinds("--max", "5") == [Kind.AMBIGUOUS, Kind.STRAY]


@pytest.mark.parametrize(
    ("release", "program", "argv", "told"),
    [
        ("1.2.1", "worker", ["--publish-kv-events"], "came with release 1.3"),
        ("1.4.2", "worker", ["--durable-kv-events"], "is gone since release 1.4"),
        ("1.2.1", "worker", ["--disaggregation-strategy", "x"], "is gone since release 0.7"),
        ("1.0.2", "frontend", ["--enforce-disagg"], "came with release 1.1"),
        ("1.3.1", "worker", ["--request-plane", "http"], "is gone since release 1.3"),
        ("1.2.1", "worker", ["--disaggregation-mode", "agg"], "does not know"),
        ("1.2.1", "worker", ["--disaggregation-mode", "aggregated"], "does not take"),
        ("1.2.1", "worker", ["--router-mode", "kv"], "is no flag of dynamo.trtllm"),
    ],
)
def test_a_mistake_names_the_release_that_decides(
    release: str, program: str, argv: list[str], told: str
) -> None:
    (error,) = errors(findings(release, program, argv))
    assert told in error


@pytest.mark.parametrize(
    ("release", "program", "argv", "hint"),
    [
        ("1.2.1", "worker", ["--publish-kv-events"], "write --publish-events-and-metrics"),
        ("1.2.1", "worker", ["--publish-metrics"], "write --publish-events-and-metrics"),
        ("1.2.1", "worker", ["--router-mode", "kv"], "flag of dynamo.frontend: move it there"),
        ("1.2.1", "worker", ["--max-batch-sise", "9"], "did you mean --max-batch-size?"),
        ("1.2.1", "worker", ["--dyn-tool-call-parser", "gpt_oss"], "harmony"),
    ],
)
def test_a_mistake_names_what_to_write(
    release: str, program: str, argv: list[str], hint: str
) -> None:
    (finding,) = findings(release, program, argv)
    assert hint in finding.hint


def test_the_value_of_a_variable_that_a_flag_overrules_is_not_held_against_it() -> None:
    environment = {"DYN_ROUTER_MODE": "bogus"}
    assert findings("1.2.1", "frontend", ["--router-mode", "kv"], environment) == ()
    (finding,) = findings("1.2.1", "frontend", [], environment)
    assert "round-robin" in finding.message


def test_a_chat_processor_of_another_engine_takes_flags_that_are_not_known_here() -> None:
    argv = ["--dyn-chat-processor", "vllm", "--tool-call-parser", "harmony"]
    assert errors(findings("1.2.1", "frontend", argv)) == []


def test_a_benchmark_flag_that_is_misspelt_names_the_right_one() -> None:
    (finding,) = bench_findings(["--concurency", "4"])
    assert finding.hint == "did you mean --concurrency?"


def test_flags_after_a_double_hyphen_are_words_that_belong_to_no_flag() -> None:
    argv = ("--revision", "main", "--", "--max-batch-size", "8")
    found = findings("1.6.1", "worker", argv)
    assert [finding.rule.id for finding in found if "'--max-batch-size'" in finding.message] == [
        "R008"
    ]
