"""The fuzzer sees what no run may do: each kind of fault is planted once."""

from __future__ import annotations

import os
import signal
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fuzz.contents import CANARY, PLANTED, Link, Pipe, Source
from fuzz.fixes import bad_fixes
from fuzz.inputs import Input
from fuzz.judging import COLUMNS, not_well_formed
from fuzz.running import Limits
from fuzz.table import WIDTH, failures, table
from fuzz.trying import Outcome, Trial

if TYPE_CHECKING:
    from collections.abc import Callable

HIDDEN = "Hunter2Hunter2"
SOURCE = Source("manifests", {"a.yaml": b"a: 1\n", "link.yaml": Link("../outside")}, (), (HIDDEN,))
CHECK = Input(3, SOURCE, ("check", "a.yaml"), on_runner=True, anew=False, hash_seed=1)
FIX = replace(CHECK, argv=("check", "a.yaml", "--fix"))


def prints(text: str) -> Callable[[], object]:
    return lambda: sys.stdout.write(text)


def columns(
    folder: Path, work: Callable[[], object], tried: Input = CHECK, seconds: float = 20
) -> set[str]:
    """The columns in which a run counts that does some work in place of the command."""
    trial = Trial.of(tried, folder / "sandbox")
    runner = replace(trial.runner, work=work, limits=Limits(seconds=seconds))
    return {column for column, _ in replace(trial, runner=runner).outcome().faults}


def test_what_is_right_has_no_fault(tmp_path: Path) -> None:
    assert columns(tmp_path, prints("::error file=a.yaml,line=1::an error\n")) == set()


def raises() -> None:
    raise ZeroDivisionError


def waits() -> None:
    Path("pipe").read_bytes()


def works() -> None:
    while True:
        pass


def spends() -> None:
    bytearray(os.urandom(1)) * (600 * 2**20)


def dies() -> None:
    os.kill(os.getpid(), signal.SIGTERM)


def differs() -> None:
    sys.stdout.write(str(os.getpid()))


def escapes() -> None:
    Path("link.yaml/new").write_text("x")


def writes() -> None:
    Path("a.yaml").write_text("x")


@pytest.mark.parametrize(
    ("work", "column"),
    [
        (raises, "tracebacks"),
        (lambda: sys.exit("gptoss: this was not foreseen; please report it"), "tracebacks"),
        (dies, "exits"),
        (lambda: sys.exit(70), "exits"),
        (lambda: sys.exit(2), "exits"),
        (differs, "differing"),
        (spends, "memory"),
        (escapes, "escapes"),
        (writes, "escapes"),
        (prints(f"a {HIDDEN} b"), "leaks"),
        (prints(CANARY), "leaks"),
        (prints("\x1b[31mred"), "raw"),
        (prints(f"a\n  ::add-mask::{PLANTED}\n"), "raw"),
        (prints(f"a ##[add-matcher]{PLANTED}"), "raw"),
    ],
)
def test_a_fault_counts_in_its_column(
    tmp_path: Path, work: Callable[[], object], column: str
) -> None:
    assert column in COLUMNS
    assert columns(tmp_path, work) == {column}


@pytest.mark.parametrize("work", [waits, works])
def test_a_run_that_does_not_end_is_ended(tmp_path: Path, work: Callable[[], object]) -> None:
    tried = replace(CHECK, source=replace(SOURCE, files={"pipe": Pipe()}))
    assert columns(tmp_path, work, tried, seconds=0.1) == {"hangs"}


@pytest.mark.parametrize(
    ("form", "right", "wrong"),
    [
        ("json", b'{"a": 1}', b'{"a": NaN}'),
        ("sarif", b"{}", b"text\n{}"),
        ("gitlab", b"[]", b"["),
        ("junit", b"<a>&#x41;</a>", b"<a>\x1b</a>"),
    ],
)
def test_a_report_that_does_not_parse_is_found(form: str, right: bytes, wrong: bytes) -> None:
    argv = ("check", "a.yaml", "--format", form)
    assert not not_well_formed(argv, right)
    assert not_well_formed(argv, wrong)


def test_a_fix_that_no_rule_made_or_that_goes_on_is_bad(tmp_path: Path) -> None:
    def goes_on() -> None:
        with Path("a.yaml").open("a") as file:
            file.write("b: 2\n")

    trial = Trial.of(FIX, tmp_path / "sandbox")
    outcome = replace(trial, runner=replace(trial.runner, work=goes_on)).outcome()
    assert [said for _, said in outcome.faults] == [
        "a.yaml changed, which no fix names",
        "a second time changes more",
    ]


SHARED = b"graph: &a {size: 7}\nother: *a\n"


@pytest.mark.parametrize(
    ("name", "before", "after", "told"),
    [
        ("a.yaml", b"a: 1\nb: 2\n", b"a: 1\nb: 3\n", ""),
        ("a.yaml", b"a: 1\nb: 2\n", b"a: 1\nb: [\n", "does not parse any more"),
        ("a.yaml", b"a: 1\nb: 2\n", b"a: 9\nb: 2\n", "no fix names 'a: 9'"),
        ("a.yaml", SHARED, SHARED.replace(b"7", b"8"), "by way of an alias"),
        ("a.sh", b"echo b\n", b'echo "b\n', "no shell script any more"),
    ],
)
def test_a_bad_fix_is_told(name: str, before: bytes, after: bytes, told: str) -> None:
    words = ["b", "graph"]
    found = [said for _, said in bad_fixes(name, before, after, words)]
    assert [told in said for said in found] == [True] * bool(told)


def test_the_table_fits_and_a_failure_says_how_it_is_repeated() -> None:
    faults = tuple((column, "x" * 200) for column in COLUMNS)
    outcomes = [
        Outcome(0, "kustomization", ("check", "a"), ()),
        Outcome(12_345, "long lines", ("check", "a\nb" * 99), faults),
    ]
    lines = [*table(outcomes).splitlines(), *failures(outcomes, 7)]
    assert max(map(len, lines)) <= WIDTH
    assert table(outcomes).splitlines()[-1].split() == ["all", "2", *["1"] * len(COLUMNS)]
    assert lines[-1] == "    again: python -m fuzz --seed 7 --only 12345"
