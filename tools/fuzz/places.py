"""Changes of files: links that lead out, pipes, folders in their place, hostile names."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from fuzz.contents import PLANTED, Folder, Link, Pipe

if TYPE_CHECKING:
    from random import Random

    from fuzz.contents import Content, Source

NAMES = (
    "a\nb",
    f"a\n::add-mask::{PLANTED}\n",
    "a,b",
    'q"uote',
    "a b",
    "\x1b[31mred",
    "\udcff",
    "x" * 200,
    "é",
    "-x",
    "--set",
    "@1.2.1",
    "$(id)",
    "%0A",
)
INSTEAD: tuple[Content, ...] = (
    Link("../outside/engine.yaml"),
    Link("../outside/notes.txt"),
    Link("../outside"),
    Link("../../../../../../etc/hostname"),
    Link("/dev/zero"),
    Link("/dev/full"),
    Link("/proc/self/environ"),
    Link("nowhere"),
    Link("."),
    Pipe(),
    Folder(),
    b"",
)


def changed(source: Source, random: Random) -> Source:
    """A source with one of its files replaced by something else, or called otherwise."""
    name = random.choice(sorted(source.files))
    if random.random() < 0.5:
        return replace(source, files={**source.files, name: random.choice(INSTEAD)})
    path = PurePosixPath(name)
    new = str(path.with_name(random.choice(NAMES) + path.suffix))
    files = {new if key == name else key: content for key, content in source.files.items()}
    words = tuple(f"./{new}" if word == name else word for word in source.words)
    return replace(source, files=files, words=words)
