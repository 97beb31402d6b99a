"""The real shellcheck, asked about commands of pages."""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

SHELLCHECK = Path(sys.executable).with_name("shellcheck")


def passes_shellcheck(*blocks: str) -> None:
    """Fails where shellcheck has something to say of commands of bash; each block is a script."""
    with TemporaryDirectory() as folder:
        files = [Path(folder, f"{number}.sh") for number in range(len(blocks))]
        for file, commands in zip(files, blocks, strict=True):
            file.write_text(commands)
        words = [str(SHELLCHECK), "--shell=bash", *map(str, files)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
