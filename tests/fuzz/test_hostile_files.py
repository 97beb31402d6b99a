"""Whatever is in a file, a command answers: findings, or one sentence with the place."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from gptoss.cli import main
from tests.sources.manifest_examples import ALPHA

if TYPE_CHECKING:
    from pathlib import Path

COMMANDS = ("check", "show", "bench")
PLACE = re.compile(r"gptoss: .*file\.yaml((:\d+){0,2}:)? \S", re.DOTALL)


def answer(folder: Path, content: bytes, command: str) -> None:
    """Runs a command over a file and holds it to what every command promises."""
    file = folder / "file.yaml"
    file.write_bytes(content)
    result = CliRunner().invoke(main, [command, str(file)])
    clean_exit = result.exception is None or isinstance(result.exception, SystemExit)
    assert clean_exit, repr(result.exception)
    assert result.exit_code in (0, 1, 2)
    assert "Traceback" not in result.output
    if result.exit_code == 2:
        assert PLACE.match(result.output), result.output


MULTIPLIED = "a0: &a0 [x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12)
)
HOSTILE: dict[str, Any] = {
    "nothing": b"",
    "empty documents": b"---\n---\n...\n---\n",
    "deep lists": b"kind: " + b"[" * 5000,
    "deep maps": b"kind: " + b"{a: " * 2000,
    "deep blocks": "".join(" " * n + "a:\n" for n in range(300)).encode(),
    "aliases that multiply": MULTIPLIED.encode(),
    "an anchor that contains itself": b"kind: &a [*a]\n",
    "a merge that contains itself": b"kind: x\nspec: &a {<<: *a}\n",
    "a huge number": b"kind: " + b"9" * 10_000 + b"\n",
    "a huge exponent": b"kind: x\nmetadata: 1e999999\n",
    "not UTF-8": b"kind: \xff\xfe\xfa\n",
    "UTF-16": ALPHA.encode("utf-16"),
    "a byte order mark": b"\xef\xbb\xbf" + ALPHA.encode(),
    "control characters": b"kind: \x00\x01\n",
    "a tag": b"kind: !!python/object/apply:os.system [ls]\n",
    "a list for a map": b"- kind: DynamoGraphDeployment\n",
    "lists for every map": ALPHA.replace("spec:\n", "spec: []\n", 1).encode(),
    "a map as a key": b"kind: x\n? {a: b}\n: c\n",
    "CRLF": ALPHA.replace("\n", "\r\n").encode(),
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_file_is_judged_or_refused(tmp_path: Path, command: str, content: bytes) -> None:
    answer(tmp_path, content, command)


TOO_LONG = "9" * 300


@pytest.mark.parametrize(
    "argv",
    [
        ("check", TOO_LONG),
        ("check", "agg-gb200", "-f", TOO_LONG),
        ("diff", TOO_LONG, "agg-gb200"),
        ("bench", "report", TOO_LONG),
        ("import", "examples/as-found", "--gpu", "gb200", "--output", TOO_LONG),
    ],
)
def test_a_name_that_no_file_can_have_is_refused(argv: tuple[str, ...]) -> None:
    result = CliRunner().invoke(main, argv)
    assert result.exit_code == 2
    assert TOO_LONG in result.output
