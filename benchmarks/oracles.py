"""Why real programs refuse a mutant."""

from __future__ import annotations

import json
import subprocess
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Self

import yaml
from jsonschema import Draft202012Validator

from benchmarks.rendering import ROOT
from gptoss.text import plain_yaml
from tests.oracles.client import AIPERF_VERSION, Program, oracle

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from benchmarks.mutations import Mutant

RELEASE = "1.2.1"
ENGINE_SCHEMA = ROOT / "schema" / "engine" / "trtllm-1.3.0rc14.schema.json"
KUBECONFORM = ROOT / "tools" / "setup" / "kubeconform.sh"
PROGRAMS: dict[str, Program] = {
    "python3 -m dynamo.trtllm": "worker",
    "python3 -m dynamo.frontend": "frontend",
    "aiperf profile": "aiperf",
}

Line = tuple[Program, tuple[str, ...], tuple[tuple[str, str], ...]]


class Oracles:
    """The real programs, started once."""

    def __init__(self) -> None:
        self._open = ExitStack()
        self._answers: dict[Line, str | None] = {}
        schema = json.loads(ENGINE_SCHEMA.read_text(encoding="utf-8"))
        self._engine = Draft202012Validator(schema)

    def __enter__(self) -> Self:
        dynamo = self._open.enter_context(oracle(f"dynamo-{RELEASE}"))
        aiperf = self._open.enter_context(oracle(f"aiperf-{AIPERF_VERSION}"))
        self._parsers = {"worker": dynamo, "frontend": dynamo, "aiperf": aiperf}
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._open.close()

    def refusals(self, text: str, mutants: Sequence[Mutant]) -> list[dict[str, str]]:
        """What each oracle that refuses a mutant says, by oracle."""
        changed = [_document(text, mutant) for mutant in mutants]
        objects = _kubeconform(changed)
        found = []
        for number, document in enumerate(changed):
            refused = {}
            if number in objects:
                refused["kubeconform"] = objects[number]
            refused |= self._parsed(document)
            found.append(refused)
        return found

    def _parsed(self, text: str) -> dict[str, str]:
        try:
            document = plain_yaml.load(text)
        except yaml.YAMLError as refusal:
            return {"YAML": str(refusal)}
        refused: dict[str, str] = {}
        for line in _command_lines(document):
            if line not in self._answers:
                program, argv, environment = line
                verdict = self._parsers[program].ask(program, argv, dict(environment))
                self._answers[line] = None if verdict.ok else verdict.error
            if (answer := self._answers[line]) is not None:
                refused[line[0]] = answer
        for engine in _engines(document):
            for error in self._engine.iter_errors(engine):
                refused["engine schema"] = f"{'.'.join(map(str, error.path))}: {error.message}"
        return refused


def _document(text: str, mutant: Mutant) -> str:
    """The document that a mutant changes, changed."""
    lines = text.split("\n")
    start = max(n for n, line in enumerate(lines[: mutant.line]) if line == "---")
    rest = range(mutant.line, len(lines))
    end = next((n for n in rest if lines[n] == "---"), len(lines))
    return "\n".join([*lines[start : mutant.line - 1], *mutant.new, *lines[mutant.line : end]])


def _kubeconform(documents: Sequence[str]) -> dict[int, str]:
    """What kubeconform says against each document that it refuses, in one run."""
    with TemporaryDirectory() as folder:
        for number, document in enumerate(documents):
            (Path(folder) / f"{number}.yaml").write_text(document, encoding="utf-8")
        done = subprocess.run(
            [KUBECONFORM, "-output", "json", folder], capture_output=True, text=True, check=False
        )
    refused = [r for r in json.loads(done.stdout)["resources"] if r["status"] != "statusValid"]
    return {
        int(Path(resource["filename"]).stem): resource["msg"].rpartition("#' - ")[2]
        for resource in refused
    }


def _command_lines(document: Any) -> list[Line]:
    """Command lines of the programs that have a parser here."""
    found: list[Line] = []
    for container in _containers(document):
        words = [*(container.get("command") or []), *(container.get("args") or [])]
        entries = container.get("env") or []
        if not all(isinstance(word, str) for word in words) or not isinstance(entries, list):
            continue
        environment = tuple(
            (str(entry.get("name")), entry["value"])
            for entry in entries
            if isinstance(entry.get("value"), str)
        )
        line = " ".join(words)
        for start, program in PROGRAMS.items():
            _, found_start, rest = line.partition(f"{start} ")
            if found_start:
                argv = words[len(words) - len(rest.split(" ")) :]
                found.append((program, tuple(argv), environment))
    return found


def _containers(value: Any) -> list[dict[str, Any]]:
    """Every map with a command or arguments."""
    if isinstance(value, list):
        return [found for item in value for found in _containers(item)]
    if not isinstance(value, dict):
        return []
    own = [value] if {"command", "args"} & value.keys() else []
    lists = all(isinstance(value.get(name) or [], list) for name in ("command", "args"))
    return own * lists + [found for item in value.values() for found in _containers(item)]


def _engines(document: Any) -> list[Any]:
    data = document.get("data") if isinstance(document, dict) else None
    if not isinstance(data, dict):
        return []
    texts = [text for name, text in data.items() if name.endswith(".yaml")]
    return [plain_yaml.load(text) for text in texts if isinstance(text, str)]
