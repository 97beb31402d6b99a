"""Helm's own --set-string, --set-json and --set-file stand beside --set, by Helm's own order."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from gptoss.cli import main
from gptoss.sources.chart.set_arguments import SetArgument

if TYPE_CHECKING:
    from pathlib import Path

BATCH = "workers.decode.engine.max_batch_size"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def in_force(*arguments: str) -> tuple[object, str]:
    """The decode worker's batch size, and where it is set."""
    report = json.loads(run("show", "disagg-gb200", *arguments, "--format", "json").stdout)
    (decode,) = [worker for worker in report["workers"] if worker["name"] == "decode"]
    (batch,) = [each for each in decode["settings"] if each["key"] == "max_batch_size"]
    return batch["value"], batch["set_by"]["file"]


@pytest.mark.parametrize(
    "argument",
    [
        SetArgument("--set-json", f"{BATCH}=7"),
        SetArgument("--set-json", '{"workers": {"decode": {"engine": {"max_batch_size": 7}}}}'),
        SetArgument(
            "--set-json", 'hardware.gpu="gb200",workers.decode.engine={"max_batch_size": 7}'
        ),
        SetArgument("--set", f"{BATCH}=7"),
    ],
)
def test_a_value_is_laid_over_and_is_the_place_that_sets_it(argument: SetArgument) -> None:
    assert in_force(argument.flag, argument.text) == (7, str(argument.place))


def test_the_stronger_flag_wins_in_any_order() -> None:
    weak, strong = ("--set-json", f"{BATCH}=7"), ("--set", f"{BATCH}=8")
    expected = (8, "--set " + strong[1])
    assert in_force(*weak, *strong) == in_force(*strong, *weak) == expected


def test_a_release_that_is_asked_for_wins_over_each() -> None:
    told = ("--set-string", "runtime.release=1.2.1")
    assert "Dynamo 1.2.1" in run("show", "disagg-gb200", *told).stdout
    assert "Dynamo 1.6.1" in run("show", "disagg-gb200", *told, "--release", "1.6.1").stdout


def test_text_stays_text_and_a_file_is_read(tmp_path: Path) -> None:
    note = tmp_path / "note.txt"
    note.write_text("from a file")
    rendered = run(
        *("render", "agg-gb200", "--as", "values"),
        *("--set-string", "annotations.number=1", "--set-file", f"annotations.note={note}"),
    ).stdout
    assert "note: from a file" in rendered
    assert "number: '1'" in rendered or 'number: "1"' in rendered


@pytest.mark.parametrize(
    ("argument", "said"),
    [
        (("--set-json", 'workers.decode.engine={"max_btch_size": 1}'), "did you mean max_batch"),
        (("--set-string", "hardware.gpu=b20"), "value must be one of"),
        (("--set-json", "workers.decode.gpus=3"), "needs 4 GPUs"),
    ],
)
def test_what_the_chart_refuses_is_said_at_it(argument: tuple[str, str], said: str) -> None:
    checked = run("check", "disagg-gb200", *argument)
    assert checked.exit_code == 1
    assert checked.stdout.startswith(" ".join(argument))
    assert said in checked.stdout


@pytest.mark.parametrize(
    ("argument", "said"),
    [
        (("--set-json", "x={"), "--set-json"),
        (("--set-file", "description=/no/such/file"), "no such file"),
        (("--set-file", "description=/dev/zero"), "no such file"),
        (("--set-file", "description=http://127.0.0.1:9/"), "no such file"),
    ],
)
def test_what_helm_cannot_read_is_one_message(argument: tuple[str, str], said: str) -> None:
    for command in (("check",), ("render", "--as", "manifests")):
        done = run(*command, "disagg-gb200", *argument)
        assert (done.exit_code, said in done.stderr) == (2, True)


def test_they_are_for_targets_only() -> None:
    done = run("check", "examples/as-found", "--set-string", "a=b")
    assert (done.exit_code, "are for targets" in done.stderr) == (2, True)
