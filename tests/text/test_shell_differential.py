"""Promise of gptoss.text.shell: what it says a script starts is what bash starts.

Scripts made at random run in bash, with a program in the place of the server that writes its words
down. What the reader leaves unknown is compared as far as it is known.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from gptoss.text.places import Place
from gptoss.text.shell.evaluation import read_script
from gptoss.text.shell.resolved import is_resolved
from gptoss.text.yaml_tree import Tree
from tests.text.shell_snippets import Snippets

if TYPE_CHECKING:
    from gptoss.text.shell.result import Script, Step

BASH = shutil.which("bash")
pytestmark = pytest.mark.skipif(BASH is None, reason="bash is not installed")

NAMES = ("A", "B", "C", "Q")
PROGRAMS = {
    # One write for all words, so that those of two servers are not mixed.
    "serve": 'printf "%s\\0" ' + " ".join(f'"{n}=${{{n}-unset}}"' for n in NAMES)
    + ' "$@" "$(printf \'\\1\')" >> "$LOG"; [ -p /dev/stdin ] && cat > /dev/null; true',
    "hidden": "echo 'two words'",
    "changes": "echo 'A=changed; B=; set -- z'",
    "present": "exit 0",
    "absent": "exit 1",
}  # fmt: skip
FILES = {"names": "n1\nn2\n", "names2": "A=sourced\nC=too\n"}
RUN_ALL = """
for folder in */; do
    cd "$folder"
    export LOG="$PWD/log"
    : > "$LOG"
    timeout -s KILL 20 "$BASH" --norc --noprofile script.sh < /dev/null > out 2> err
    [ $? -lt 128 ] || echo "Killed" >> err
    cd ..
done
"""


# What bash itself gave up on: words that grow with each turn of a loop, text for an integer.
GIVEN_UP = re.compile(r"^Killed$|Argument list too long|error token is", re.MULTILINE)


class Ran(NamedTuple):
    """What bash did: words and environment of each server in order, and the files it left."""

    started: list[tuple[tuple[str, ...], tuple[str, ...]]]
    files: dict[str, str]
    errors: str


def in_bash(scripts: list[str]) -> list[Ran]:
    assert BASH is not None
    with TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "bin").mkdir()
        for name, text in PROGRAMS.items():
            program = root / "bin" / name
            program.write_text(f"#!/bin/sh\n{text}\n")
            program.chmod(0o755)
        work = root / "work"
        for number, script in enumerate(scripts):
            (work / f"{number:04d}").mkdir(parents=True)
            for name, text in {**FILES, "script.sh": script}.items():
                (work / f"{number:04d}" / name).write_text(text)
        path = f"{root / 'bin'}:/usr/bin:/bin"
        command = [BASH, "--norc", "--noprofile", "-c", f"ulimit -t 20\n{RUN_ALL}"]
        subprocess.run(command, cwd=work, env={"PATH": path}, timeout=60, check=False)
        return [ran(work / f"{number:04d}") for number in range(len(scripts))]


def ran(folder: Path) -> Ran:
    started = []
    for record in (folder / "log").read_text().split("\1\0")[:-1]:
        words = record.split("\0")[:-1]
        started.append((tuple(words[len(NAMES) :]), tuple(words[: len(NAMES)])))
    files = {f.name: f.read_text() for f in folder.glob("*.yaml")}
    return Ran(started, files, (folder / "err").read_text())


def read(text: str) -> Script:
    return read_script(Tree(text, Place("script.sh", 0), None, 0), {}, ("script.sh",))


def servers(script: Script) -> list[Step]:
    return [step for step in script.steps if step.command.words[0].value == "serve"]


def words(step: Step) -> tuple[str, ...]:
    return tuple(word.value for word in step.command.words[1:])


def is_sure(step: Step) -> bool:
    return not step.choices and step.counted and all(map(is_resolved, words(step)))


def may_be(step: Step, started: tuple[str, ...]) -> bool:
    """Whether words are those of a step, where anything may stand for what is not known."""
    pieces = re.split(r"\$\{[^}]*\}|\$\([^()]*\)|`[^`]*`", "\0".join(words(step)))
    if len(pieces) == 1:
        return words(step) == started
    pattern = "(?s:.*)".join(map(re.escape, pieces))
    # A word that is not known may be none at all.
    return re.fullmatch(pattern, "\0".join(started)) is not None or any(
        word.startswith(("$", "`")) for word in words(step)
    )


def difference(text: str, ran: Ran) -> str:
    """What is wrong about what is read, '' when nothing is."""
    script = read(text)
    steps, started = servers(script), [words for words, _ in ran.started]
    sure = [step for step in steps if is_sure(step)]
    too_many = Counter(map(words, sure)) - Counter(started)
    if too_many:
        return f"not started by bash: {dict(too_many)}"
    in_order = not re.search(r"&$|& *\n|[^|]\|[^|]", text, re.MULTILINE)
    rest = iter(started)
    if in_order and not all(words(step) in rest for step in sure):
        return f"another order: {[words(step) for step in sure]}"
    if len(sure) == len(steps) and Counter(map(words, sure)) != Counter(started):
        return f"not read: {dict(Counter(started) - Counter(map(words, sure)))}"
    for one in started:
        if not any(may_be(step, one) for step in steps):
            return f"not read: {one}"
    return different_environment(sure, ran) or different_file(script, ran)


def different_environment(sure: list[Step], ran: Ran) -> str:
    for step in sure:
        values = {}
        for name in NAMES:
            located = step.environment.get(name)
            values[name] = located.value if located else "unset"
        known = {f"{name}={value}" for name, value in values.items() if value is not None}
        if not any(w == words(step) and known <= set(given) for w, given in ran.started):
            return f"{words(step)} has {sorted(known)}"
    return ""


def different_file(script: Script, ran: Ran) -> str:
    targets = {document.target.value for document in script.documents if document.target}
    if missed := ran.files.keys() & set(FILES_SEEN) - targets:
        return f"not read: {missed}"
    for document in script.documents:
        path = document.target.value if document.target else ""
        text = str(document.content.value)
        if not (document.known and is_resolved(path) and is_resolved(text) and path in FILES_SEEN):
            continue
        lines = [line for line in text.split("\n") if line]
        left = [line for line in ran.files.get(path, "").split("\n") if line]
        if lines != left:
            return f"{path} is {left}, read as {lines}"
    return ""


FILES_SEEN = ("f.yaml", "g.yaml")


def check(scripts: list[str]) -> None:
    for text, done in zip(scripts, in_bash(scripts), strict=True):
        told = "" if GIVEN_UP.search(done.errors) else difference(text, done)
        assert not told, f"{told}\n--- bash: {done.started}\n{done.errors}\n--- script\n{text}"


# The same scripts each time; SNIPPETS=100 looks for new differences.
@settings(
    max_examples=int(os.environ.get("SNIPPETS", "6")),
    derandomize="SNIPPETS" not in os.environ,
    phases=[Phase.generate],
)
@given(st.integers(0, 2**32), st.booleans())
def test_what_a_script_starts_is_what_bash_starts(seed: int, unknown: bool) -> None:
    random = Random(seed)  # noqa: S311
    check([Snippets(random, unknown=unknown).script() for _ in range(25)])


def test_what_can_be_known_without_running_a_script_is_known() -> None:
    random = Random(5)  # noqa: S311
    texts = [Snippets(random, unknown=False).script() for _ in range(60)]
    scripts = [f"A=x B=4\nL=(1)\n{text}" for text in texts]
    started = sure = 0
    for text, done in zip(scripts, in_bash(scripts), strict=True):
        started += len(done.started)
        sure += sum(map(is_sure, servers(read(text))))
    assert sure / started > 0.9
