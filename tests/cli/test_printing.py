"""Nothing of an input is obeyed by a terminal or a runner, and nothing ends with a trace."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner, Result

from gptoss import rules  # noqa: F401 (declares the rules)
from gptoss.cli import main
from gptoss.cli.ending import TRACE
from gptoss.sources import load
from gptoss.text.as_json import json_text

ROOT = Path(__file__).parents[2]
FORGED = (
    "a\n::error file=x,line=1::forged\n##[add-matcher]m.json\x1b]0;t\x07\x1b[2K\u202e\u2028b\x9b"
)
COMMAND = re.compile(r"^\s*::[a-z]|##\[", re.MULTILINE)
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e\u2028]")
SERVE = "trtllm-serve openai/gpt-oss-120b --port 8000"
WORDS = ["-m", "dynamo.trtllm", "--model-path", "openai/gpt-oss-120b", FORGED, f"--x={FORGED}"]
MANIFEST = {
    "apiVersion": "nvidia.com/v1alpha1",
    "kind": "DynamoGraphDeployment",
    "metadata": {"name": FORGED},
    "spec": {
        "services": {
            "Frontend": {"componentType": "frontend", "replicas": 1},
            FORGED: {
                "componentType": "worker",
                "replicas": 1,
                "envs": [{"name": FORGED, "value": FORGED}, {"name": "A", "value": FORGED}],
                "resources": {"limits": {"gpu": "4"}},
                "extraPodSpec": {
                    "mainContainer": {
                        "image": "nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:1.2.1",
                        "command": ["python3"],
                        "args": WORDS,
                    }
                },
            },
        }
    },
}
SOURCES = {
    "manifest.yaml": json.dumps(MANIFEST),
    "serve.sh": f"::error file=app.py,line=1::x \x1b[2K || {SERVE}\n##[x] ::stop-commands::t\n",
    "compose.yaml": json.dumps({"services": {FORGED: 5}}),
    "engine.yaml": json.dumps({"max_batch_size": 8, FORGED: 1, "max_num_tokens": FORGED}),
    f"{FORGED.replace('/', '')}.yaml": json.dumps(MANIFEST),
}
TEXTS = [
    "check {}",
    "check {} --format table",
    "check {} --explain --verbose --release 1.6.1",
    "check {} --release 1.6.1 --fix --diff",
    "show {}",
    "bench {}",
    "diff {} agg-gb200 --places",
    "upgrade {} --to 1.6.1 --diff",
    "import {} --gpu gb200",
    "images {}",
    "render {} --as values",
    "check {} --nonsense={}",
]


def invoke(command: str, source: str) -> Result:
    return CliRunner().invoke(main, [word.replace("{}", source) for word in command.split()])


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in SOURCES.items():
        Path(name).write_text(text)
    return tmp_path


@pytest.mark.parametrize("source", SOURCES, ids=range(len(SOURCES)))
@pytest.mark.parametrize("command", TEXTS)
def test_no_text_is_obeyed(command: str, source: str) -> None:
    result = invoke(command, source)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert COMMAND.findall(result.output) == []
    assert CONTROL.findall(result.output) == []


@pytest.mark.parametrize("source", SOURCES, ids=range(len(SOURCES)))
@pytest.mark.parametrize("form", ["json", "sarif", "gitlab", "junit", "github"])
def test_forms_for_programs_are_well_formed_and_not_obeyed(form: str, source: str) -> None:
    result = invoke(f"check {{}} --format {form}", source)
    assert CONTROL.findall(result.output) == []
    own = re.compile(r"^::(?:error|warning|notice) (?:file|title)=", re.MULTILINE)
    others = own.sub("", result.output) if form == "github" else result.output
    assert re.search(r"^\s*::[a-z]", others, re.MULTILINE) is None
    if form != "github":
        assert "##[" not in others
    if result.exit_code < 2:
        if form == "junit":
            ET.fromstring(result.stdout)  # noqa: S314 (its own)
        elif form != "github":
            json.loads(result.stdout)


def test_a_text_with_what_is_obeyed_reads_as_the_same() -> None:
    data = {"a": FORGED, "##[x]": ["\x85", "\udcff"]}
    written = json_text(data)
    assert json.loads(written) == data
    assert CONTROL.findall(written) == COMMAND.findall(written) == []


def test_what_json_does_not_have_is_a_text() -> None:
    Path("engine.yaml").write_text(
        "max_batch_size: 2020-01-01\nmax_num_tokens: !!binary aGk=\n"
        "max_seq_len: 2001-12-14t21:59:43Z\n"
        "kv_cache_config: {free_gpu_memory_fraction: .nan, dtype: .inf}\n"
    )

    def refuse(word: str) -> None:
        raise AssertionError(word)

    for command in ("show", "check", "diff agg-gb200"):
        words = [*command.split(), "engine.yaml", "--format", "json"]
        result = CliRunner().invoke(main, words)
        assert result.exception is None or isinstance(result.exception, SystemExit)
        if result.exit_code < 2:
            json.loads(result.stdout, parse_constant=refuse)
    assert invoke("show {}", "engine.yaml").exit_code == 0


@pytest.mark.parametrize(
    "error", [ZeroDivisionError("by\n::error::x"), RecursionError(), MemoryError()]
)
def test_what_was_not_foreseen_is_one_line(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.delenv(TRACE, raising=False)
    monkeypatch.setattr(load, "load", fail)
    monkeypatch.setattr(sys, "argv", ["gptoss", "show", "a", "--api-key", "hunter2"])
    result = CliRunner().invoke(main, ["show", "serve.sh"])
    assert result.exit_code == 2
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert f"defect of gptoss 0.1.0: {type(error).__name__} at cli/inspect.py:" in line
    assert "hunter2" not in line


def test_those_who_mend_it_see_the_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setenv(TRACE, "1")
    monkeypatch.setattr(load, "load", fail)
    assert isinstance(CliRunner().invoke(main, ["show", "serve.sh"]).exception, ZeroDivisionError)


def process(*words: str | bytes, **variables: str) -> subprocess.CompletedProcess[bytes]:
    given = {**os.environ, "PYTHONPATH": str(ROOT / "tools"), **variables}
    given.pop(TRACE, None)
    command = [sys.executable, "-m", "gptoss", *words]
    return subprocess.run(command, env=given, capture_output=True, check=False)


def test_nobody_reads_on() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    given = {**os.environ, "PYTHONPATH": str(ROOT / "tools")}
    words = [sys.executable, "-m", "gptoss", "targets"]
    done = subprocess.run(words, env=given, stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (2, b"")


def test_a_full_disk_is_one_line() -> None:
    with Path("/dev/full").open("w") as full:
        given = {k: v for k, v in os.environ.items() if k != TRACE}
        given["PYTHONPATH"] = str(ROOT / "tools")
        words = [sys.executable, "-m", "gptoss", "targets"]
        done = subprocess.run(words, env=given, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2
    assert b"No space left" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def shell(line: str) -> subprocess.CompletedProcess[str]:
    given = {**os.environ, "PYTHONPATH": str(ROOT / "tools")}
    given.pop(TRACE, None)
    words = ["sh", "-c", line.replace("gptoss", f"{sys.executable} -m gptoss")]
    return subprocess.run(words, env=given, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("gptoss check - <&-", 2, "standard input is closed"),
        ("gptoss targets >&-", 0, ""),
        ("gptoss check nosuch 2>/dev/full", 2, ""),
        ("gptoss targets >/dev/full", 2, "gptoss: cannot write the output: No space left"),
        ("gptoss targets >/dev/full 2>/dev/full", 2, ""),
        ("mkdir gone; cd gone; rmdir ../gone; gptoss check agg-gb200", 2, "folder is gone"),
        *((f"gptoss check serve.sh --timeout {n}", 2, "at most") for n in ("nan", "inf", "1e300")),
    ],
)
def test_what_is_wrong_around_it_is_no_defect_and_no_finding(
    line: str, code: int, said: str
) -> None:
    done = shell(line)
    assert done.returncode == code
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == bool(said)
    assert "defect" not in done.stderr


def test_what_is_interrupted_has_found_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(load, "load", interrupted)
    result = CliRunner().invoke(main, ["show", "serve.sh"])
    assert (result.exit_code, result.output.strip()) == (2, "gptoss: interrupted")


@pytest.mark.parametrize("coding", ["ascii", "latin-1:strict"])
def test_a_terminal_that_lacks_characters_gets_others(coding: str) -> None:
    done = process("check", "serve.sh", PYTHONIOENCODING=coding, LC_ALL="C")
    assert done.returncode in (0, 1)
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("form", ["text", "json", "sarif", "junit", "github", "gitlab", "table"])
def test_a_file_name_that_is_no_text_is_told(form: str) -> None:
    name = os.fsdecode(b"caf\xe9.sh")
    try:
        Path(name).write_text(SOURCES["serve.sh"])
    except OSError:
        pytest.skip("this file system takes text alone")
    result = CliRunner().invoke(main, ["check", name, "--format", form])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert "caf" in result.output
    written = CliRunner().invoke(main, ["check", name, "--format", form, "--output", "out.x"])
    assert written.exit_code < 2
    assert Path("out.x").read_bytes().decode()
