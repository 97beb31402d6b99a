"""Input number N of a seed, which is the same on every machine and in every process."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING

import yaml

from fuzz import places, texts, trees
from fuzz.attacks import ATTACKS
from fuzz.commands import command_line

if TYPE_CHECKING:
    from fuzz.contents import Content, Files, Source
    from fuzz.seeds import Seeds

KINDS = {
    "manifests": 22,
    "engine": 14,
    "servers": 6,
    "compose": 8,
    "script": 9,
    "docker": 4,
    "truss": 4,
    "gitops": 3,
    "kustomization": 2,
    "values": 3,
    "settings": 1,
    "config": 4,
    "charts": 2,
    "report": 4,
    "prices": 1,
}
ATTACKED = 0.25
ANEW = 20
DATA = (".yaml", ".yml", ".json")
MOST_DATA = 200_000


@dataclass(frozen=True, slots=True)
class Input:
    """What is tried.

    Attributes:
        number: Its number.
        source: The files.
        argv: The words after ``gptoss``.
        on_runner: Whether it runs as in a workflow of GitHub.
        anew: Whether a new interpreter runs it the second time.
        hash_seed: The order of sets in that.
    """

    number: int
    source: Source
    argv: tuple[str, ...]
    on_runner: bool
    anew: bool
    hash_seed: int


def made(seed: int, number: int, seeds: Seeds) -> Input:
    """Makes an input."""
    random = Random(f"{seed}:{number}")
    if random.random() < ATTACKED:
        name = random.choice(list(ATTACKS))
        source = replace(ATTACKS[name](random), kind=name)
    else:
        kind = random.choices(list(KINDS), list(KINDS.values()))[0]
        source = _mutated(seeds.source(kind, random), seeds, random)
    argv = command_line(source, random)
    on_runner, hash_seed = random.random() < 0.2, random.randrange(1, 2**32)
    anew = number % ANEW == 0 and argv[0] != "plan"
    return Input(number, source, argv, on_runner, anew, hash_seed)


def _mutated(source: Source, seeds: Seeds, random: Random) -> Source:
    """A source with one of its files changed: its data, its text or what lies there."""
    if source.kind == "settings":
        *before, setting = source.words
        words = setting.replace(
            random.choice((setting, "file.txt", "=")), random.choice(trees.WORDS), 1
        )
        return replace(source, words=(*before, words.replace("\0", "")))
    how = random.random()
    if how < 0.06:
        return places.changed(source, random)
    name = random.choice(sorted(source.files))
    content = source.files[name]
    if not isinstance(content, bytes):
        return source
    files: Files = {**source.files}
    if how < 0.6 and name.endswith(DATA) and len(content) < MOST_DATA:
        files[name] = _data_changed(content, seeds, random)
    else:
        files[name] = texts.changed(content, random)
    return replace(source, files=files)


def _data_changed(content: bytes, seeds: Seeds, random: Random) -> bytes:
    """YAML or JSON with its data changed; a document may be added, doubled or lost."""
    found = list(yaml.load_all(content, Loader=trees.LOADER))
    documents = [document for document in found if isinstance(document, dict | list) and document]
    if not documents:
        return texts.changed(content, random)
    at = random.randrange(len(documents))
    other = seeds.data(random)
    changed = trees.changed(documents[at], other, random)
    more = random.random()
    if more < 0.05:
        documents.insert(at, other)
    elif more < 0.1:
        documents.append(documents[at])
    documents[at : at + 1] = [] if 0.1 < more < 0.13 else [changed]
    return b"---\n".join(trees.dumped(document, random) for document in documents)


def shown(content: Content) -> str:
    """What lies somewhere, in a few words."""
    return f"{len(content):,} bytes" if isinstance(content, bytes) else repr(content)
