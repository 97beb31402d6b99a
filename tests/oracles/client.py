"""Ask the real parsers of Dynamo, aiperf and gpt_oss.evals whether they take a command line."""

import hashlib
import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

import pytest

from gptoss.facts.versions import version_number

ROOT = Path(__file__).resolve().parents[2]
LOCKED = ROOT / "requirements" / "oracles"


def locked(program: str) -> tuple[str, ...]:
    """The versions of a program that have an oracle, oldest first."""
    found = (file.stem.rpartition("-")[2] for file in LOCKED.glob(f"{program}-[0-9]*.txt"))
    return tuple(sorted(found, key=version_number))


DYNAMO_RELEASES = locked("dynamo")
(AIPERF_VERSION,) = locked("aiperf")
(EVALS_VERSION,) = locked("gpt-oss")
# Variables by which the caller's own environment would change the verdict.
SETTINGS = ("AIPERF_", "DYN_", "HF_", "TRANSFORMERS_")

Program = Literal["worker", "frontend", "aiperf", "evals"]


@dataclass(frozen=True)
class Verdict:
    """What a parser says to a command line: a configuration, or the error of a refusal."""

    ok: bool
    config: Mapping[str, Any] = field(default_factory=dict)
    warnings: Sequence[str] = ()
    error: str = ""


class Oracle:
    """A long-lived process of one oracle environment, started by the first question."""

    def __init__(self, python: Path) -> None:
        self._python = python
        self._process: subprocess.Popen[str] | None = None

    def ask(
        self,
        program: Program,
        argv: Sequence[str],
        env: Mapping[str, str] | None = None,
        *,
        abbreviations: bool = False,
    ) -> Verdict:
        """Return the verdict of the program's own parser.

        `argv` is what follows `python3 -m dynamo.trtllm` (worker), `python3 -m dynamo.frontend`,
        `aiperf profile` or `python3 -m gpt_oss.evals`; `env` is the container's environment.
        Dynamo's programs take abbreviations of flags; here they are refused unless `abbreviations`
        is set. aiperf reads its AIPERF_ variables when it is imported, so those have no effect
        here. Raises RuntimeError when the environment cannot import the program.
        """
        process = self._running()
        assert process.stdin is not None
        assert process.stdout is not None
        question = {
            "program": program,
            "argv": list(argv),
            "env": dict(env or {}),
            "abbreviations": abbreviations,
        }
        process.stdin.write(json.dumps(question) + "\n")
        process.stdin.flush()
        answer = process.stdout.readline()
        if not answer:
            self.close()
            raise RuntimeError(f"{self._python} cannot judge: see its standard error")
        return Verdict(**json.loads(answer))

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.communicate()
            self._process = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _running(self) -> subprocess.Popen[str]:
        if self._process is None:
            self._process = subprocess.Popen(
                [self._python, Path(__file__).with_name("parse_commands.py")],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env={k: v for k, v in os.environ.items() if not k.startswith(SETTINGS)},
            )
        return self._process


def oracle(name: str) -> Oracle:
    """Return the oracle of an environment, such as "dynamo-1.2.1"; without one the test fails."""
    requirements = (LOCKED / f"{name}.txt").read_bytes()
    environment = ROOT / ".tools" / "oracles" / name
    stamp = environment / ".stamp"
    made_from = stamp.read_text().strip() if stamp.is_file() else None
    if made_from != hashlib.sha256(requirements).hexdigest():
        state = "is missing" if made_from is None else "is older than its requirement file"
        pytest.fail(f"the oracle environment {name} {state}: run `make oracles`", pytrace=False)
    return Oracle(environment / "bin" / "python")
