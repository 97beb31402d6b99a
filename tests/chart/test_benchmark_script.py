"""What benchmark.py makes of what aiperf leaves, with a small program that stands for aiperf."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.chart.rendering import CHART

if TYPE_CHECKING:
    from collections.abc import Callable

SCRIPT = CHART / "files" / "benchmark.py"
WORDS = ["--output-tokens-mean", "50", "--random-seed", "1"]
ONE = ["--concurrency", "16", "--request-count", "160", "--warmup-request-count", "16"]


class Ran:
    """A run that has ended."""

    def __init__(self, code: int, said: str, results: Path) -> None:
        self.code, self.said, self.results = code, said, results

    @property
    def folder(self) -> Path:
        (folder,) = self.results.iterdir()
        return folder

    def written(self, name: str) -> Any:
        return json.loads((self.folder / f"{name}.json").read_text())

    @property
    def problems(self) -> list[str]:
        return [
            problem for step in self.written("outcome")["steps"] for problem in step["problems"]
        ]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    folder = tmp_path / "bin"
    folder.mkdir()
    shutil.copy(Path(__file__).with_name("aiperf.py"), folder / "aiperf")
    (folder / "aiperf").chmod(0o755)
    (folder / "python3").symlink_to(sys.executable)
    return {"PATH": f"{folder}:{os.environ['PATH']}"}


@pytest.fixture
def run(environment: dict[str, str], tmp_path: Path) -> Callable[..., Ran]:
    def started(does: str = "", *own: str, words: list[str] = ONE) -> Ran:
        results = tmp_path / "results"
        command = ["aiperf", "profile", *WORDS, *words, "--artifact-dir", str(results)]
        done = subprocess.run(
            [sys.executable, SCRIPT, *own, *command],
            env=environment | {"AIPERF_DOES": does},
            capture_output=True,
            text=True,
            check=False,
        )
        assert "Traceback" not in done.stderr, done.stderr
        return Ran(done.returncode, done.stdout, results)

    return started


def cells(said: str, steps: int) -> dict[str, list[str]]:
    """The columns of the last tables, by what stands above them."""
    lines = said.splitlines()
    heads = [
        number for number, line in enumerate(lines) if line.lstrip().startswith("concurrency ")
    ]
    columns: dict[str, list[str]] = {}
    for head in heads[-4:]:
        names = re.split(r"\s{2,}", lines[head].strip())
        rows = [line.split() for line in lines[head + 1 : head + 1 + steps]]
        columns |= {name: [row[at] for row in rows] for at, name in enumerate(names)}
    return columns


def test_a_run_has_a_folder_with_its_plan_and_its_outcome(run: Callable[..., Ran]) -> None:
    done = run()
    assert done.code == 0, done.said
    plan, outcome = done.written("plan"), done.written("outcome")
    assert plan["steps"] == [{"concurrency": 16, "requests": 160, "warmup": 16, "folder": "."}]
    assert plan["argv"][0][-1] == str(done.folder)
    assert plan["versions"]["aiperf"] == "0.13.0"
    assert plan["started"] <= outcome["finished"]
    assert outcome["code"] == 0
    assert outcome["steps"] == [
        {
            "concurrency": 16,
            "requests": 160,
            "errors": 0,
            "lengthMismatches": 0,
            "effectiveConcurrency": 16.0,
            "complete": True,
            "problems": [],
            "notes": [],
            "causes": [],
        }
    ]
    assert (done.folder / "profile_export_aiperf.json").exists()


def test_a_run_beside_an_earlier_sweep_tells_and_keeps_its_own_summary_alone(
    run: Callable[..., Ran],
) -> None:
    sweep = run("", "--sweep", "32,64", words=[])
    (swept,) = sweep.results.iterdir()
    before = sorted(path.relative_to(swept) for path in swept.rglob("*"))
    single = run()
    assert cells(single.said, 1)["concurrency"] == ["16"]
    assert str(swept) not in single.said
    assert sorted(path.relative_to(swept) for path in swept.rglob("*")) == before
    (own,) = [path for path in single.results.iterdir() if path != swept]
    assert (own / "profile_export_aiperf.json").exists()
    assert not list(own.glob("concurrency-*"))


def test_only_the_run_s_own_summary_is_told_and_in_a_table(run: Callable[..., Ran]) -> None:
    said = run().said
    assert "999" not in said, "a phase's summary is shown"
    assert "{" not in said
    rows = cells(said, 1)
    assert len(said) < 1000
    assert rows["answered"] == ["160"]
    assert rows["failed"] == ["0"]
    assert rows["requests/s"] == ["1.60"]


def test_the_table_has_rates_and_every_latency_in_a_hundred_columns(
    run: Callable[..., Ran],
) -> None:
    said = run().said
    rows = cells(said, 1)
    assert rows["TTFT mean ms"] == rows["TTFT p99 ms"] == ["97.50"]
    assert rows["E2EL mean ms"] == rows["E2EL p50 ms"] == ["2000"]
    statistics = ("mean", "p50", "p99")
    assert {f"{name} {each} ms" for name in ("ITL", "ICL") for each in statistics} < set(rows)
    rates = ("tokens/s", "total tokens/s", "tokens/s/user", "tokens/s/request", "good/s")
    assert set(rates) < set(rows)
    assert max(len(line) for line in said.splitlines() if line.startswith((" ", "conc"))) <= 100


def test_a_run_with_failed_requests_fails_and_says_why(run: Callable[..., Ran]) -> None:
    done = run("fail=120")
    assert done.code == 1
    assert done.problems == ["120 of 160 requests failed"]
    cause = "500 Internal Server Error: Prefill execution failed: no instances found"
    assert f"120 x {cause}" in done.said
    (step,) = done.written("outcome")["steps"]
    assert (step["requests"], step["errors"]) == (40, 120)


def test_causes_are_told_when_every_request_failed(run: Callable[..., Ran]) -> None:
    done = run("fail=160")
    assert done.code == 1
    assert "160 of 160 requests failed" in done.problems
    assert "160 x 500 Internal Server Error: Prefill execution failed" in done.said


def test_a_run_is_never_written_over_an_older_one(run: Callable[..., Ran]) -> None:
    first = run()
    before = first.folder
    kept = (before / "outcome.json").read_text()
    failed = run("exit=1 nothing")
    assert failed.code == 1
    assert "there is no" in failed.said
    assert " 1.60" not in failed.said, "an older run's numbers are shown"
    other = next(folder for folder in first.results.iterdir() if folder != before)
    assert (before / "outcome.json").read_text() == kept
    assert before.name.rpartition("-")[2] == other.name.rpartition("-")[2], "equal plans"


@pytest.mark.parametrize(
    ("does", "problem"),
    [
        ("mismatch=2", "2 of 160 answers are not as long as asked"),
        ("tokens=53", "answers have 53.0 tokens on average, 50 were asked"),
        ("effective=12", "12.0 requests were in flight on average, 16 were asked: the client"),
        ("exit=3", "aiperf ended with exit code 3"),
        ("cut", "is cut off or no JSON"),
    ],
)
def test_what_was_not_as_asked_fails_the_run(
    does: str, problem: str, run: Callable[..., Ran]
) -> None:
    done = run(does)
    assert done.code == 1
    (said,) = done.problems
    assert problem in said
    assert done.said.count(problem) == 1


def test_one_answer_in_a_hundred_may_have_another_length(run: Callable[..., Ran]) -> None:
    assert run("mismatch=1").code == 0


def test_lengths_that_vary_by_plan_have_no_average_to_keep(run: Callable[..., Ran]) -> None:
    assert run("tokens=53", words=["--output-tokens-stddev", "10", *ONE]).code == 0


@pytest.mark.parametrize(
    ("does", "rounds", "note"),
    [
        ("effective=12 seconds=4", 10, "4.0 s are too short to judge by that"),
        ("effective=13.9 seconds=40", 2, "2 rounds are few"),
    ],
)
def test_a_run_too_short_to_keep_its_concurrency_is_told_and_not_failed(
    does: str, rounds: int, note: str, run: Callable[..., Ran]
) -> None:
    done = run(does, "--sweep", "16", "--rounds", str(rounds), words=[])
    assert done.code == 0
    (step,) = done.written("outcome")["steps"]
    assert note in step["notes"][0]
    assert note in done.said


def test_runs_of_one_step_are_judged_each(run: Callable[..., Ran]) -> None:
    assert run("runs").code == 0
    assert run("runs fail=1").code == 1


def test_a_sweep_has_a_folder_a_step_and_one_table(run: Callable[..., Ran]) -> None:
    done = run("", "--sweep", "8,16", "--rounds", "5", words=[])
    assert done.code == 0
    assert "step 2 of 2: concurrency 16, 80 requests" in done.said
    assert "2 of 2 steps" in done.said
    rows = cells(done.said, 2)
    assert rows["concurrency"] == ["8", "16"]
    assert rows["answered"] == ["40", "80"]
    assert rows["requests/s"] == ["0.80", "1.60"]
    folders = [step["folder"] for step in done.written("plan")["steps"]]
    assert folders == ["concurrency-8", "concurrency-16"]
    assert all((done.folder / each / "profile_export_aiperf.json").exists() for each in folders)


def test_a_step_that_measures_nothing_ends_a_sweep(run: Callable[..., Ran]) -> None:
    done = run("exit=9", "--sweep", "8,64,128", "--rounds", "5", words=[])
    assert done.code == 1
    assert "1 of 3 steps" in done.said
    assert len(done.written("outcome")["steps"]) == 1


def test_a_step_with_failed_requests_does_not_end_a_sweep(run: Callable[..., Ran]) -> None:
    done = run("fail=1", "--sweep", "8,16", "--rounds", "5", words=[])
    assert done.code == 1
    assert done.problems == ["1 of 40 requests failed", "1 of 80 requests failed"]


def test_what_is_known_of_the_target_stands_in_the_plan(
    run: Callable[..., Ran], tmp_path: Path
) -> None:
    known = {"target": "mine", "gpus": {"decode": 4}, "versions": {"gptoss": "1.0"}}
    (tmp_path / "known.json").write_text(json.dumps(known))
    plan = run("", "--target", str(tmp_path / "known.json")).written("plan")
    assert (plan["target"], plan["gpus"]) == ("mine", {"decode": 4})
    assert plan["versions"]["gptoss"] == "1.0"
    assert plan["versions"]["aiperf"] == "0.13.0"


def test_a_key_of_the_server_is_not_written_down(run: Callable[..., Ran]) -> None:
    secret = ["-H", "Authorization: Bearer hunter2", "--api-key", "hunter2"]
    done = run("", words=[*ONE, *secret])
    assert "hunter2" not in (done.folder / "plan.json").read_text()
    assert "Authorization: ***" in done.written("plan")["argv"][0]


def test_without_aiperf_the_run_says_so(
    run: Callable[..., Ran], environment: dict[str, str]
) -> None:
    Path(environment["PATH"].split(":")[0], "aiperf").unlink()
    done = run()
    assert done.code == 1
    assert "aiperf ended with exit code 127" in done.problems


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_run_that_is_stopped_leaves_what_was_done_and_nothing_running(
    number: signal.Signals, environment: dict[str, str], tmp_path: Path
) -> None:
    results = tmp_path / "results"
    command = ["aiperf", "profile", *WORDS, *ONE, "--artifact-dir", str(results)]
    with subprocess.Popen(
        [sys.executable, SCRIPT, *command],
        env=environment | {"AIPERF_DOES": "wait"},
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout
        while "waiting" not in process.stdout.readline():
            assert process.poll() is None
        process.send_signal(number)
        # It ends when nobody who writes to it is left.
        said, _ = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    (folder,) = results.iterdir()
    outcome = json.loads((folder / "outcome.json").read_text())
    assert outcome["code"] == 128 + number
    (step,) = outcome["steps"]
    assert step["problems"] == [f"it was stopped by {number.name}"]
    assert step["requests"] == 160
    assert not step["complete"]
    assert f"it was stopped by {number.name}" in said
