"""``check --fix`` and ``check --diff`` as people use them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gptoss.cli import main

AS_FOUND = Path("examples/as-found")
CLEAN = "values/agg-gb200.yaml"


@pytest.fixture
def found(tmp_path: Path) -> str:
    return str(shutil.copytree(AS_FOUND, tmp_path / "found"))


def check(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["check", *arguments], catch_exceptions=False)


def test_diff_says_what_it_would_fix_and_that_something_changes(found: str) -> None:
    result = check(found, "--diff")
    assert result.exit_code == 1
    assert result.stdout.startswith("--- a")
    first, second = result.stderr.splitlines()
    assert first.startswith("would fix ")
    assert first.endswith(" findings in 2 files")
    assert second.startswith("not fixed: ")
    assert second.endswith(" (no one right answer)")


def test_diff_and_fix_count_the_same_and_diff_is_empty_afterwards(found: str) -> None:
    shown = check(found, "--diff")
    fixed = check(found, "--fix")
    assert fixed.stderr == shown.stderr.replace("would fix", "fixed")
    again = check(found, "--diff")
    assert (again.exit_code, again.stdout) == (0, "")
    assert again.stderr.startswith("nothing to fix\n")


def test_fix_reports_and_exits_by_what_stays(found: str) -> None:
    assert check(found).exit_code == 1
    fixed = check(found, "--fix")
    assert fixed.exit_code == 0
    assert fixed.stdout == check(found).stdout
    assert check(found, "--fix", "--fail-on", "warning").exit_code == 1
    assert check(found, "--diff", "--fail-on", "warning").exit_code == 1


SHARED = """\
tensor_parallel_size: 4
max_batch_size: 64
shared: &graphs {enable_padding: true, max_batch_size: 32}
cuda_graph_config: USE
"""


@pytest.mark.parametrize(
    ("use", "is_fixed"),
    [
        ("*graphs", False),
        ("{<<: *graphs}", False),
        ("{<<: [*graphs]}", False),
        ("{<<: *graphs, max_batch_size: 32}", True),
        ("{enable_padding: true, max_batch_size: 32}", True),
        ("&own {enable_padding: true, max_batch_size: 32}", True),
    ],
)
def test_a_block_for_which_aliases_stand_is_not_fixed(
    use: str, is_fixed: bool, tmp_path: Path
) -> None:
    path = tmp_path / "engine.yaml"
    text = SHARED.replace("USE", use)
    path.write_text(text)
    arguments = (str(path), "--release", "1.2.1", "--gpu", "b200", "--fix")
    told = check(*arguments).stderr
    assert ("aliases elsewhere in the file share it" in told) == (not is_fixed)
    first, second = path.read_text().splitlines()[2:]
    assert first == SHARED.splitlines()[2]
    assert ("max_batch_size: 64" in second) == is_fixed


def test_nothing_to_fix_is_said_in_one_line() -> None:
    result = check(CLEAN, "--diff")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "nothing to fix\n")


@pytest.mark.parametrize("with_it", [["--format", "json"], ["--output", "x.json"], ["--summary"]])
def test_diff_goes_without_reports(with_it: list[str]) -> None:
    result = check(CLEAN, "--diff", *with_it)
    assert result.exit_code == 2
    assert "--diff prints only the changes" in result.stderr


def test_the_report_counts_no_fix_of_a_file_that_was_not_given(tmp_path: Path) -> None:
    script = tmp_path / "serve.sh"
    script.write_text("trtllm-serve openai/gpt-oss-120b --port 8000 --config engine.yaml\n")
    (tmp_path / "engine.yaml").write_text("max_batch_size: 900\n")
    offered = "with one right answer" in check(str(script)).stdout
    assert not offered
    assert "was not given" in check(str(script), "--diff").stderr
    assert "with one right answer" in check(str(tmp_path)).stdout


def test_the_report_says_how_many_findings_have_a_fix(found: str) -> None:
    last = check(found).stdout.splitlines()[-1]
    assert last.endswith(" with one right answer: --fix makes it, --diff shows it")
    assert int(last.split()[0]) == int(check(found, "--diff").stderr.split()[2])
    assert "--fix" not in check(found, "--fix").stdout.splitlines()[-1]
    assert "--fix" not in check(CLEAN).stdout
