"""The parser of OpenAI's evaluations, as it decides about the accuracy Job."""

import pytest

from tests.oracles.client import Oracle

EVALS = ["--sampler", "chat_completions", "--eval", "gpqa,aime25", "--reasoning-effort", "low,high"]


def test_evaluation_command_line_is_accepted_and_read(evals_oracle: Oracle) -> None:
    verdict = evals_oracle.ask("evals", [*EVALS, "--n-threads", "64"])

    assert verdict.ok, verdict.error
    assert verdict.config["reasoning_effort"] == "low,high"
    assert verdict.config["n_threads"] == 64
    assert verdict.config["temperature"] == 1.0


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        (["--reasoning_effort", "low"], "--reasoning_effort"),
        (["--sampler", "completions"], "--sampler"),
        (["--n-threads", "many"], "--n-threads"),
        (["--max-tokens", "100"], "--max-tokens"),
    ],
)
def test_evaluation_command_line_is_refused_with_the_flag_named(
    evals_oracle: Oracle, wrong: list[str], error: str
) -> None:
    verdict = evals_oracle.ask("evals", [*EVALS, *wrong])

    assert not verdict.ok
    assert error in verdict.error
