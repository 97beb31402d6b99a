"""A checkout in a folder of its own, with files outside that nothing may read or change."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fuzz.contents import CANARY, Folder, Link, Pipe

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fuzz.contents import Files

State = dict[str, str]
"""By path, what lies there: a digest of content and mode, or where a link leads."""

# Each has something that a fix would change or that a command would print.
OUTSIDE = {
    "outside/engine.yaml": f"max_batch_size: 32\ncuda_graph_config: {{max_batch_size: 7}}\n"
    f"custom_tokenizer: {CANARY}  # {CANARY}\n",
    "outside/notes.txt": f"root:{CANARY}:0:0\n{CANARY}: {CANARY}\n",
    "outside/values.yaml": f"target: agg-gb200\nmodel: {{servedName: {CANARY}}}\n",
    "outside/.env": f"MODEL={CANARY}\nTP={CANARY}\nCMD={CANARY}\n",
    "outside/serve.sh": f"trtllm-serve {CANARY} --port 8000\n",
    "outside/report.sarif": f"{CANARY}\n",
    "home/.docker/config.json": f'{{"auths": {{"ghcr.io": {{"auth": "{CANARY}"}}}}}}\n',
    "home/.config/gh/hosts.yml": f"github.com: {{oauth_token: {CANARY}}}\n",
}


@dataclass(frozen=True, slots=True)
class Sandbox:
    """A folder with the checkout, and what lies around it.

    Attributes:
        root: The folder; its name is the same in every process of a run.
    """

    root: Path

    @property
    def checkout(self) -> Path:
        """Where commands are run."""
        return self.root / "checkout"

    def lay(self, files: Files) -> None:
        """Makes everything anew."""
        shutil.rmtree(self.root, ignore_errors=True)
        for folder in ("checkout/.git", "home", "outside", "tmp"):
            (self.root / folder).mkdir(parents=True)
        for name, text in OUTSIDE.items():
            file = self.root / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        for name, content in files.items():
            path = Path(os.fsdecode(os.fsencode(self.checkout / name)))
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, bytes):
                path.write_bytes(content)
            elif isinstance(content, Link):
                path.symlink_to(content.target)
            elif isinstance(content, Pipe):
                os.mkfifo(path)
            elif isinstance(content, Folder):
                path.mkdir()

    def outside(self) -> State:
        """What lies around the checkout."""
        around = (path for path in sorted(self.root.iterdir()) if path != self.checkout)
        return {name: said for path in around for name, said in _state(path, self.root)}

    def inside(self) -> State:
        """What lies in the checkout."""
        return dict(_state(self.checkout, self.checkout))

    def content(self, name: str) -> bytes:
        """A file of the checkout; empty for what is none."""
        path = self.checkout / name
        return path.read_bytes() if path.is_file() and not path.is_symlink() else b""


def _state(path: Path, base: Path) -> Iterator[tuple[str, str]]:
    name, status = str(path.relative_to(base)), path.lstat()
    if stat.S_ISLNK(status.st_mode):
        yield name, f"link to {path.readlink()}"
    elif stat.S_ISDIR(status.st_mode):
        yield name, "folder"
        for inner in sorted(path.iterdir()):
            yield from _state(inner, base)
    elif stat.S_ISREG(status.st_mode):
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        yield name, f"{stat.S_IMODE(status.st_mode):o} {digest}"
    else:
        yield name, "special"
