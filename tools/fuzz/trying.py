"""Runs an input, judges what it did, and runs it once more."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from fuzz import judging
from fuzz.fixes import bad_fixes, record
from fuzz.running import Runner, command
from fuzz.sandbox import Sandbox

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fuzz.inputs import Input
    from fuzz.judging import Fault
    from fuzz.running import Ran

FIXES = ("--fix", "--write")
AGAIN = 3
"""Of so many inputs one is run a second time; those with fixes always are."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of an input.

    Attributes:
        number: Its number.
        kind: The kind of its source, or the class of attack.
        argv: The words after ``gptoss``.
        faults: What was wrong.
    """

    number: int
    kind: str
    argv: tuple[str, ...]
    faults: tuple[Fault, ...]


@dataclass(frozen=True, slots=True)
class Trial:
    """An input in a sandbox.

    Attributes:
        tried: The input.
        sandbox: Where it is run.
        runner: What runs it.
    """

    tried: Input
    sandbox: Sandbox
    runner: Runner

    @classmethod
    def of(cls, tried: Input, root: Path) -> Trial:
        """An input in a folder."""
        variables = {"GITHUB_ACTIONS": "true"} if tried.on_runner else {}
        return cls(
            tried, Sandbox(root), Runner(root, partial(_recorded, root), variables=variables)
        )

    def outcome(self) -> Outcome:
        """Runs the input and judges it."""
        faults = tuple(dict.fromkeys(self._faults()))
        return Outcome(self.tried.number, self.tried.source.kind, self.tried.argv, faults)

    def _faults(self) -> Iterator[Fault]:
        tried, sandbox = self.tried, self.sandbox
        sandbox.lay(tried.source.files)
        before, around = sandbox.inside(), sandbox.outside()
        texts = {name: sandbox.content(name) for name in before}
        ran = self.runner.forked(tried.argv)
        yield from judging.faults_of_run(tried, ran)
        yield from judging.changes_around(around, sandbox.outside())
        after = sandbox.inside()
        outputs = {"standard output": ran.out, "standard error": ran.err}
        if any(word in FIXES for word in tried.argv):
            yield from judging.leaks(tried, outputs)
            yield from self._fix_faults(texts)
            if not ran.hung:
                self.runner.forked(tried.argv)
                if sandbox.inside() != after:
                    yield "bad fixes", "a second time changes more"
            return
        yield from judging.changes_unasked(tried, before, after)
        yield from judging.leaks(tried, outputs | judging.written(sandbox, before, after))
        if not ran.hung and (tried.anew or tried.number % AGAIN == 0):
            sandbox.lay(tried.source.files)
            yield from self._differences(ran, after)

    def _fix_faults(self, texts: dict[str, bytes]) -> Iterator[Fault]:
        edits = _edits(self.sandbox.root)
        for name in sorted({*texts, *self.sandbox.inside()}):
            now = self.sandbox.content(name)
            if now == texts.get(name, b""):
                continue
            words = [word for file, named in edits if _same(file, name) for word in named]
            if not words:
                yield "bad fixes", f"{name} changed, which no fix names"
            else:
                yield from bad_fixes(name, texts.get(name, b""), now, words)

    def _differences(self, ran: Ran, after: dict[str, str]) -> Iterator[Fault]:
        tried = self.tried
        if tried.anew:
            again = self.runner.started(tried.argv, tried.hash_seed)
            if again.hung:
                return
        else:
            again = self.runner.forked(tried.argv)
        for name, one, other in (
            ("exit code", ran.code, again.code),
            ("standard output", ran.out, again.out),
            ("standard error", ran.err, again.err),
            ("what is written", after, self.sandbox.inside()),
        ):
            if one != other:
                yield "differing", f"{name} the second time"


def _recorded(root: Path) -> None:
    """What a run does, with a record of what its fixes edit."""
    record(_record(root))
    command()


def _record(root: Path) -> Path:
    return root.with_name(f"{root.name}.edits")


def _edits(root: Path) -> list[tuple[str, list[str]]]:
    """What fixes edited: files, each with the words that the fix names."""
    path = _record(root)
    found = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    path.unlink(missing_ok=True)
    return [(file, words) for file, words in found]


def _same(file: str, name: str) -> bool:
    return file.removeprefix("./") == name
