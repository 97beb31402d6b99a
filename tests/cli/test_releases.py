"""A release means the same to every command."""

from __future__ import annotations

import pytest
from click.testing import CliRunner, Result

from gptoss.cli import main
from gptoss.facts import folders
from gptoss.facts.world import Facts

ROOT = folders.root()
FOUND = str(ROOT / "examples" / "as-found")
ENGINE = str(ROOT / "charts" / "gpt-oss" / "engine_configs" / "agg-gb200" / "worker.yaml")
COMMANDS = (
    ("check", "agg-gb200", "--release"),
    ("check", FOUND, "--release"),
    ("check", ENGINE, "--gpu", "gb200", "--release"),
    ("show", "agg-gb200", "--release"),
    ("show", FOUND, "--release"),
    ("bench", "agg-gb200", "--release"),
    ("render", "agg-gb200", "--as", "manifests", "--release"),
    ("import", FOUND, "--gpu", "gb200", "--release"),
    ("upgrade", "agg-gb200", "--to"),
    ("schema", "engine", "--release"),
)
each = pytest.mark.parametrize("command", COMMANDS, ids=lambda words: " ".join(words[:2]))


def run(*words: str) -> Result:
    return CliRunner().invoke(main, words, catch_exceptions=False)


@each
def test_a_patch_release_stands_for_the_known_one_of_its_minor_release(
    command: tuple[str, ...],
) -> None:
    known, asked = run(*command, "1.2.1"), run(*command, "1.2.5")
    assert known.exit_code in (0, 1), known.output
    assert (asked.exit_code, asked.stdout) == (known.exit_code, known.stdout)


def test_a_side_of_a_diff_takes_a_patch_release_too() -> None:
    assert run("diff", "agg-gb200@1.3.1", "agg-gb200@1.3.9").exit_code == 0


@each
def test_an_unknown_release_is_refused_in_the_same_words(command: tuple[str, ...]) -> None:
    refused = run(*command, "9.9")
    known = ", ".join(Facts().every_release)
    assert refused.exit_code == 2
    assert refused.stderr == f"gptoss: Dynamo release 9.9 is not known; it is one of {known}\n"
