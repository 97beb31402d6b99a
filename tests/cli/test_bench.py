"""``gptoss bench``: one word for what is sent, and a group for what runs it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

from gptoss.cli import main

if TYPE_CHECKING:
    from click.testing import Result


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments), catch_exceptions=False)


def completed(*words: str) -> list[str]:
    *before, last = words
    completion = ShellComplete(main, {}, "gptoss", "_GPTOSS_COMPLETE")
    return [item.value for item in completion.get_completions(list(before), last)]


@pytest.mark.parametrize(
    "words",
    [["agg-gb200"], ["--format", "text", "agg-gb200"], ["agg-gb200", "--release", "1.3.1"]],
)
def test_words_that_name_no_command_are_those_of_show(words: list[str]) -> None:
    said = run("bench", *words)
    assert said.exit_code == 0
    assert said.output == run("bench", "show", *words).output


def test_a_name_that_is_nothing_is_said_to_be_no_target() -> None:
    said = run("bench", "agg-gb20")
    assert said.exit_code == 2
    assert "neither a target nor a file" in said.stderr


def test_help_shows_the_options_and_the_commands() -> None:
    said = run("bench", "--help").stdout
    assert "--explain" in said
    assert "Commands:" in said
    assert "--explain" in run("bench", "show", "-h").stdout


def test_a_shell_completes_commands_targets_and_options() -> None:
    assert {"show", "serve-h100-2"} <= set(completed("bench", "s"))
    assert "show" in completed("bench", "")
    assert "--explain" in completed("bench", "--")
    assert "--explain" in completed("bench", "agg-gb200", "--e")
    assert "agg-gb200" in completed("bench", "show", "agg")
