"""Hostile text in every string of the values is found again, as itself, or refused.

Each string that the values schema knows gets a mark, and is rendered; then each gets a hostile
text, and what is rendered must be the same with the texts in the place of the marks. A new key is
covered by being in the schema.
"""

from __future__ import annotations

import json
import re
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from gptoss.facts.world import Facts
from gptoss.text import plain_yaml
from tests.chart.hostile import PIECES, TEXTS, filled, places_of
from tests.chart.rendering import CHART, run

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path as File

    from tests.chart.hostile import Path

# What turns on all that the values can name, over the values that ct installs.
SCENES: dict[str, tuple[str, dict[str, Any], bool]] = {
    "graph": (
        "everything",
        {"hardware": {"dra": {"enabled": True}}},
        False,
    ),
    "maps": ("everything", {}, True),
    "newer graph": (
        "everything",
        {"runtime": {"release": "1.6.1"}, "modelCache": {"hostPath": "/mnt"}},
        False,
    ),
    "server": ("everything-serve", {}, False),
}
# Strings that no object shows.
UNSEEN = {
    "description",  # NOTES.txt alone
    "global.hostileglobal",  # for other charts
}
# A template of its user's.
TEMPLATES = ("extraObjects",)
DEFAULT = Facts().default_release.version
WORKER = re.compile(r"^workers\.\w+\.")
MARK = re.compile(r"zq(\d+)qz")
HASHES = re.compile(r"[0-9a-f]{64}|\b[0-9a-f]{16}\b|\b[0-9a-f]{8}\b")
REFUSED = re.compile(r"^\s*- at '(?P<path>[^']*)': (?P<why>.*)$", re.MULTILINE)
GUARDED = re.compile(r"execution error at \(.*?\): (?P<path>[\w.]+): (?P<why>.*)")
SUMMARIES = ("validation failed", "'anyOf' failed", "'allOf' failed")
UNDERSTOOD = re.compile(
    r"'.*' does not match pattern '.*'|value must be .*|got \w+, want .*"
    r"|.*not allowed.*|.*propert.*"
)


class Writer(yaml.CSafeDumper):
    """Writes all text in quotes."""


Writer.add_representer(
    str, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, '"')
)


@cache
def base(scene: str) -> dict[str, Any]:
    name, more, _ = SCENES[scene]
    values: dict[str, Any] = plain_yaml.load((CHART / "ci" / f"{name}-values.yaml").read_text())
    for key, each in more.items():
        values[key] = values.get(key, {}) | each
    return values


@cache
def places(scene: str) -> tuple[Path, ...]:
    values = base(scene)
    found = places_of(
        list(values["workers"]),
        deep=SCENES[scene][2],
        engine=values["runtime"]["release"] == DEFAULT,
    )
    return tuple(p for p in found if p[0] not in TEMPLATES)


def rendered(values: dict[str, Any], file: File) -> tuple[list[Any], str]:
    """The objects that values render to, or what Helm says when it refuses them."""
    file.write_text(yaml.dump(values, Dumper=Writer), encoding="utf-8")
    done = run("helm4", "template", "gpt-oss", str(CHART), "--values", str(file))
    documents = plain_yaml.load_all(done.stdout)
    return [opened(each) for each in documents if each], done.stderr


def opened(document: dict[str, Any]) -> dict[str, Any]:
    """An object with the files of a ConfigMap parsed."""
    if document["kind"] == "ConfigMap":
        for name, text in document["data"].items():
            if name.endswith((".json", ".yaml")):
                document["data"][name] = plain_yaml.load(text)
    return document


def replaced(node: Any, texts: Mapping[int, str]) -> Any:
    """A tree with texts in the place of marks, and hashes taken out."""
    if isinstance(node, dict):
        return {HASHES.sub("#", k): replaced(v, texts) for k, v in node.items()}
    if isinstance(node, list):
        return [replaced(each, texts) for each in node]
    if isinstance(node, str):
        return HASHES.sub("#", MARK.sub(lambda mark: texts[int(mark[1])], node))
    return node


def refused(scene: str, texts: Mapping[Path, str], file: File) -> tuple[set[Path], list[Any]]:
    """Places whose texts Helm refuses, each in words that say where and why; else the objects."""
    found, said = rendered(filled(base(scene), texts), file)
    if not said:
        return set(), found
    reasons = {m["path"]: m["why"] for m in REFUSED.finditer(said) if m["why"] not in SUMMARIES}
    assert [why for why in reasons.values() if not UNDERSTOOD.fullmatch(why)] == []
    if guarded := GUARDED.search(said):
        reasons["/" + guarded["path"].replace(".", "/")] = guarded["why"]
    assert reasons, said[:500]
    paths = {place: "/" + "/".join(map(str, place)) for place in texts}
    exact = {place for place, path in paths.items() if path in reasons}
    above = tuple(f"{path}/" for path in reasons)
    return exact or {place for place, path in paths.items() if path.startswith(above)}, []


def differences(found: Any, expected: Any, at: Path = ()) -> Iterator[tuple[Path, Any, Any]]:
    """Where two trees differ, and what they have there."""
    if isinstance(found, dict) and isinstance(expected, dict):
        for key in {**found, **expected}:
            yield from differences(found.get(key), expected.get(key), (*at, key))
    elif isinstance(found, list) and isinstance(expected, list) and len(found) == len(expected):
        for n, (one, other) in enumerate(zip(found, expected, strict=True)):
            yield from differences(one, other, (*at, n))
    elif type(found) is not type(expected) or found != expected:
        yield at, found, expected


@cache
def never(scene: str, file: File) -> set[Path]:
    """Places that take no text but of a few forms."""
    found: set[Path] = set()
    texts = dict.fromkeys(places(scene), "'no such thing'")
    while more := refused(scene, texts, file)[0]:
        found |= more
        texts = {place: text for place, text in texts.items() if place not in more}
    return found


@pytest.mark.parametrize("scene", SCENES)
@given(
    texts=st.lists(st.sampled_from(TEXTS) | st.text(PIECES, min_size=1, max_size=40), min_size=20)
)
@settings(max_examples=2, deadline=None, phases=[Phase.generate], derandomize=True)
def test_text_is_found_as_itself_or_refused(
    scene: str, texts: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.getbasetemp() / "values.yaml"
    given = {place: texts[n % len(texts)] for n, place in enumerate(places(scene))}
    taken = {
        place: given[place]
        for place in given.keys() - refused(scene, given, file)[0] - never(scene, file)
    }
    more, found = refused(scene, taken, file)
    assert not more, f"{more} are refused, but not at first"
    number = {place: n for n, place in enumerate(places(scene))}
    marked, said = rendered(filled(base(scene), {p: f"zq{number[p]}qz" for p in taken}), file)
    assert not said, said
    expected = replaced(marked, {number[place]: text for place, text in taken.items()})
    assert list(differences(replaced(found, {}), expected)) == []


def test_every_string_is_seen_somewhere(tmp_path: File) -> None:
    file = tmp_path / "values.yaml"
    seen: set[str] = set()
    every: set[str] = set()
    for scene in SCENES:
        number = {place: n for n, place in enumerate(places(scene))}
        marks = {p: f"zq{n}qz" for p, n in number.items() if p not in never(scene, file)}
        found, said = rendered(filled(base(scene), marks), file)
        assert not said, said
        shown = {int(n) for n in MARK.findall(json.dumps(found))}
        keys = {place: WORKER.sub("workers.", ".".join(map(str, place))) for place in marks}
        seen |= {key for place, key in keys.items() if number[place] in shown}
        every |= set(keys.values())
    assert every - seen == UNSEEN


@pytest.mark.parametrize("character", ["\x7f", "\x85", "\x9b", "\u2028", "\u2029"])
@pytest.mark.parametrize("text", ["a{}\nkey: value", "a\n{}key: value"])
def test_what_yaml_would_read_as_something_else_is_refused(
    character: str, text: str, tmp_path: File
) -> None:
    """Behind a line separator in a text of several lines, Helm's own YAML goes on at the margin."""
    for env in ({"A": text.format(character)}, {"A": {"x": text.format(character)}}):
        values = {"target": "agg-gb200", "frontend": {"env": env}}
        _, said = rendered(values, tmp_path / "values.yaml")
        escaped = ascii(character).replace("\\x", "\\u00").replace("\\u007f", "\\x7f")
        where = "frontend.env.A.x" if isinstance(env["A"], dict) else "frontend.env.A"
        assert f"{where}: it has the character {chr(34)}{escaped[1:-1]}{chr(34)}" in said
