"""The real shellcheck, asked about commands of pages."""

import subprocess
import sys
from pathlib import Path

SHELLCHECK = Path(sys.executable).with_name("shellcheck")


def passes_shellcheck(commands: str) -> None:
    """Fails where shellcheck has something to say of commands of bash."""
    words = [str(SHELLCHECK), "--shell=bash", "-"]
    done = subprocess.run(words, input=commands, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
