"""A rendering is kept under everything that it comes of, and nothing else is kept."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests import kept_renderings

SAYS = "#!/bin/sh\necho started >> {log}\n{more}\n"


class Bench:
    """A Helm that counts its starts, with a chart and a values file."""

    def __init__(self, folder: Path) -> None:
        self.log = folder / "log"
        self.helm = folder / "bin" / "helm4"
        self.chart = folder / "chart"
        self.values = folder / "values.yaml"
        for file in (self.helm, self.chart / "templates" / "a.yaml", self.values):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("a")
        self.does("echo rendered")

    def does(self, more: str) -> None:
        self.helm.write_text(SAYS.format(log=self.log, more=more))
        self.helm.chmod(0o755)

    def asked(self, *more: str, stdin: bytes = b"", **env: str) -> tuple[int, str]:
        words = [str(self.helm), "template", "n", str(self.chart)]
        words += ["--values", str(self.values), *more]
        variables = {**os.environ, **env}

        def start() -> kept_renderings.Answer:
            done = subprocess.run(words, env=variables, input=stdin, capture_output=True)
            return done.returncode, done.stdout.decode(), done.stderr.decode()

        code, out, err = kept_renderings.answer(start, words, Path.cwd(), stdin, variables)
        return code, out + err

    @property
    def starts(self) -> int:
        return len(self.log.read_text().splitlines())


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    made = Bench(tmp_path)
    monkeypatch.setattr(kept_renderings, "TOOLS", made.helm.parent)
    monkeypatch.setattr(kept_renderings, "_folder", lambda: tmp_path / "kept")
    return made


def test_the_same_question_is_put_to_helm_once(bench: Bench) -> None:
    assert bench.asked() == bench.asked() == (0, "rendered\n")
    assert bench.starts == 1


def test_a_copy_with_the_same_contents_is_the_same_question(bench: Bench) -> None:
    bench.asked()
    bench.values = bench.values.rename(bench.values.with_name("other.yaml"))
    bench.asked()
    assert bench.starts == 1


@pytest.mark.parametrize("changed", ["chart", "name", "values", "helm"])
def test_other_contents_are_another_question(bench: Bench, changed: str) -> None:
    bench.asked()
    if changed == "chart":
        (bench.chart / "templates" / "a.yaml").write_text("b")
    elif changed == "name":
        (bench.chart / "templates" / "a.yaml").rename(bench.chart / "templates" / "b.yaml")
    elif changed == "values":
        bench.values.write_text("b")
    else:
        bench.does("echo otherwise")
    bench.asked()
    assert bench.starts == 2


def test_other_flags_input_and_variables_of_helm_are_other_questions(bench: Bench) -> None:
    file = bench.values.with_name("one.txt")
    bench.asked()
    bench.asked("--set", "a=b")
    bench.asked("--set", "a=c")
    bench.asked(stdin=b"a: b")
    bench.asked(HELM_NAMESPACE="team")
    for content in ("one", "two"):
        file.write_text(content)
        bench.asked("--set-file", f"a={file}")
    assert bench.starts == 7


def test_a_file_of_the_current_folder_is_told_by_its_contents(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(bench.values.parent)
    for content in ("one", "two", "one"):
        Path("mine.yaml").write_text(content)
        bench.asked("--values", "mine.yaml")
    assert bench.starts == 2


@pytest.mark.parametrize(
    "more",
    ["kill -9 $$", "echo 'write: no space left' >&2; exit 1", 'echo "$3: odd"'],
    ids=["killed", "a fault of the machine", "an answer that names a path"],
)
def test_what_does_not_come_of_contents_is_not_kept(bench: Bench, more: str) -> None:
    bench.does(more)
    assert bench.asked() == bench.asked()
    assert bench.starts == 2


def test_what_the_chart_refuses_is_kept(bench: Bench) -> None:
    bench.does("echo 'Error: execution error at (a.yaml:1:2): no' >&2; exit 1")
    assert bench.asked() == bench.asked()
    assert bench.starts == 1


@pytest.mark.parametrize(
    ("words", "starts"),
    [("install", 2), ("lint", 2), ("install --dry-run=server", 2), ("install --dry-run=client", 1)],
)
def test_only_what_asks_no_cluster_is_kept(bench: Bench, words: str, starts: int) -> None:
    verb, *more = words.split()
    for _ in range(2):
        argv = [str(bench.helm), verb, "n", str(bench.chart), *more]
        kept_renderings.run(argv, env=os.environ, cwd=Path.cwd())
    assert bench.starts == starts


def test_a_rendering_of_nothing_is_left_to_helm(bench: Bench) -> None:
    argv = [str(bench.helm), "template"]
    assert kept_renderings.run(argv, env=os.environ, cwd=Path.cwd()).returncode == 0
