"""What a started program writes is told line by line, and never longer than it runs."""

from __future__ import annotations

import subprocess
import sys

from gptoss.text.overheard import LINE, overheard

SCRIPT = """
import sys
print("one"); print("two", file=sys.stderr)
sys.stdout.buffer.write(b"\\xff\\r\\n" + b"x" * 20000)
"""


def test_every_line_of_both_streams_is_told() -> None:
    out: list[str] = []
    err: list[str] = []
    pipe = subprocess.PIPE
    with (
        subprocess.Popen([sys.executable, "-c", SCRIPT], stdout=pipe, stderr=pipe) as process,
        overheard(process, out.append, err.append),
    ):
        assert process.wait() == 0
    assert out == ["one", r"\xff", "x" * LINE, "x" * (20000 - LINE)]
    assert err == ["two"]
