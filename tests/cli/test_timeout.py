"""Promises of --timeout, and of the budget of a run, to those who type commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from gptoss.cli import main
from gptoss.text import deadline
from gptoss.text.budget import Kind

if TYPE_CHECKING:
    from pathlib import Path

READING = [
    "check",
    "show",
    "plan",
    "tune",
    "images",
    "diff",
    "upgrade",
    "preflight",
    "simulate",
    "rehearse",
    "render",
    "import",
    "status",
]


@pytest.mark.parametrize("words", [*([name] for name in READING), ["bench"], ["bench", "run"]])
def test_every_command_that_reads_sources_takes_a_timeout(words: list[str]) -> None:
    told = CliRunner().invoke(main, [*words, "--help"]).output
    assert "--timeout SECONDS" in told


def test_a_run_out_of_time_says_so_in_one_line_and_ends_with_2() -> None:
    done = CliRunner().invoke(main, ["check", "--timeout", "0.01"])
    assert done.exit_code == 2
    assert done.output.startswith("gptoss: not done in 0.01 s;")
    assert done.output.count("\n") == 1


def test_a_bell_that_rings_while_the_run_is_cleaned_up_is_one_line_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def ring(_: float) -> None:
        raise deadline.TimeIsUpError

    monkeypatch.setattr(deadline, "within", ring)
    done = CliRunner().invoke(main, ["check"])
    assert done.exit_code == 2
    assert done.output == "gptoss: not done in time; give more with --timeout\n"


def test_the_files_of_one_run_are_counted_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Kind.DOCUMENTS, "limit", 3)
    for name in "ab":
        text = f"kind: ConfigMap\napiVersion: v1\nmetadata: {{name: {name}}}\n---\n"
        (tmp_path / f"{name}.yaml").write_text(text * 2, encoding="utf-8")
    done = CliRunner().invoke(main, ["check", str(tmp_path)])
    assert done.exit_code == 2
    assert "more than 3 YAML documents" in done.output


SERVED = (
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: c{}}}\nspec: {{template: {{spec: {{\
containers: [{{name: a, image: b, command: [trtllm-serve, openai/gpt-oss-120b]}}]}}}}}}\n"
)
NAMED = "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c{}}}\n"


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        (Kind.CONTAINERS, "containers"),
        (Kind.PAIRS, "pairs of things"),
        (Kind.DOCUMENTS, "YAML documents"),
    ],
)
def test_deployments_beside_many_objects_are_counted(
    kind: Kind, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kind, "limit", 13 if kind is Kind.DOCUMENTS else 3)
    file = tmp_path / "all.yaml"
    texts = [text.format(n) for n in range(5) for text in (SERVED, NAMED)]
    file.write_text("---\n".join(texts), encoding="utf-8")
    done = CliRunner().invoke(main, ["check", str(file)])
    assert done.exit_code == 2
    assert f"more than {kind.limit} {told}" in done.output
