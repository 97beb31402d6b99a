"""A step's time is kept under its question and the environment that answered; no error is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gptoss.planning.steps.library import SERVER, asked
from gptoss.text.errors import InputError
from tests import kept_times
from tests.planning.systems import layout

if TYPE_CHECKING:
    from pathlib import Path

ANSWERS = "#!/bin/sh\nwhile read -r line; do echo \"$line\" >> {log}; echo '{said}'; done\n"
STEP = [("prefill", 1, 1024)]


@pytest.fixture(autouse=True)
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_times, "HOME", tmp_path / "kept")


def program(folder: Path, name: str, said: str) -> tuple[list[str], Path]:
    """A command line that stands for the library's, and what it is asked."""
    python, log = folder / name, folder / f"{name}.log"
    python.write_text(ANSWERS.format(log=log, said=said))
    python.chmod(0o755)
    log.touch()
    return [str(python), "-I", str(SERVER)], log


def test_a_question_is_put_to_an_environment_once(tmp_path: Path) -> None:
    words, log = program(tmp_path, "one", '{"ms": [2.5]}')
    other, other_log = program(tmp_path, "two", '{"ms": [3.5]}')
    for argv, found in ((words, 2.5), (words, 2.5), (other, 3.5)):
        with asked(argv) as library:
            assert library.ask(layout("gb200", "TP1"), STEP) == [found]
    with asked(words) as library:
        library.ask(layout("gb200", "TP2"), STEP)
    assert len(log.read_text().splitlines()) == 2
    assert len(other_log.read_text().splitlines()) == 1


def test_an_error_is_not_kept(tmp_path: Path) -> None:
    words, log = program(tmp_path, "one", '{"error": "no memory"}')
    for _ in range(2):
        with asked(words) as library, pytest.raises(InputError, match="no memory"):
            library.ask(layout("gb200", "TP1"), STEP)
    assert len(log.read_text().splitlines()) == 2


def test_another_program_in_its_place_is_always_asked(tmp_path: Path) -> None:
    words, log = program(tmp_path, "one", '{"ms": [2.5]}')
    for _ in range(2):
        with asked([words[0]]) as library:
            library.ask(layout("gb200", "TP1"), STEP)
    assert len(log.read_text().splitlines()) == 2
