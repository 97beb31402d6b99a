"""Edits change what they are about and keep every other character."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gptoss.fixing.edits import changed, edit_changes
from gptoss.fixing.spans import Source
from gptoss.fixing.yaml_edits import NotPossibleError
from gptoss.rules.fixes import (
    Edit,
    Fix,
    add_beside,
    add_flag,
    append,
    move_key,
    remove_flag,
    remove_key,
    remove_variable,
    rename_flag,
    rename_key,
    set_flag,
    set_value,
)
from gptoss.text import plain_yaml
from gptoss.text.places import Place


def at(text: str, word: str) -> Place:
    """Where a word begins for the first time."""
    before = text[: text.index(word)]
    return Place("f.yaml", before.count("\n") + 1, len(before.rpartition("\n")[2]) + 1)


def edited(text: str, fix: Fix) -> str:
    for edit in fix.edits:
        text = changed(text, edit_changes(text, edit))
    return text


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("a: 1\nk: 2  # why\nb: 3\n", 5, "a: 1\nk: 5  # why\nb: 3\n"),
        ("k: '2'\n", "5", "k: '5'\n"),
        ('k: "2"\n', "5", 'k: "5"\n'),
        ("k: 2\n", "5", 'k: "5"\n'),
        ("{a: 1, k: 2, b: 3}\n", True, "{a: 1, k: true, b: 3}\n"),
        ("k:\nb: 1\n", "UCX", "k: UCX\nb: 1\n"),
        ("k: main", "worker", "k: worker"),
        ("x: |\n  # note\n  k: 1 # c\n  b: 2\n", 7, "x: |\n  # note\n  k: 7 # c\n  b: 2\n"),
        ("k: 1\r\nb: 2\r\n", 3, "k: 3\r\nb: 2\r\n"),
    ],
)
def test_a_value_is_set_in_its_place(text: str, value: str | int, expected: str) -> None:
    assert edited(text, set_value(at(text, "k:"), "k", value)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: 1\nk: 2  # gone\nb: 3\n", "a: 1\nb: 3\n"),
        ("a: 1\n# stays\nk:\n  c: 1\n  d: 2\n\nb: 3\n", "a: 1\n# stays\n\nb: 3\n"),
        ("a: 1\nk: 2", "a: 1"),
        ("{a: 1, k: 2, b: 3}\n", "{a: 1, b: 3}\n"),
        ("{a: 1, k: 2}\n", "{a: 1}\n"),
        ("x:\n  k: 2\ny: 1\n", "x: {}\ny: 1\n"),
        ("x: {k: 2}\n", "x: {}\n"),
        ("- k: 2\n  b: 3\n", "- b: 3\n"),
        ("x: |\n  a: 1\n  k: 2\n  b: 3\nz: 1\n", "x: |\n  a: 1\n  b: 3\nz: 1\n"),
        ("a: 1\nk: |\n  text\n  more\nb: 3\n", "a: 1\nb: 3\n"),
        ("a: 1\nk: [1,\n  2]\nb: 3\n", "a: 1\nb: 3\n"),
    ],
)
def test_a_key_goes_with_its_value_and_the_comment_on_its_line(text: str, expected: str) -> None:
    assert edited(text, remove_key(at(text, "k:"), "k")) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: 1\nk: 2 # c\n", "a: 1\nk: 2 # c\nnew: x\n"),
        ("x:\n    k:\n      c: 1\ny: 1\n", "x:\n    k:\n      c: 1\n    new: x\ny: 1\n"),
        ("{k: 2, a: 1}\n", "{k: 2, new: x, a: 1}\n"),
        ("- k: 2\n  b: 3\n", "- k: 2\n  new: x\n  b: 3\n"),
        ("k: 2", "k: 2\nnew: x"),
        ("x: |\n  k: 1\nz: 1\n", "x: |\n  k: 1\n  new: x\nz: 1\n"),
    ],
)
def test_a_key_is_added_behind_another(text: str, expected: str) -> None:
    assert edited(text, add_beside(at(text, "k:"), "k", "new", "x")) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("first: 1\nb:\n  c: 1\nlast: 2\n", "first: 1\nb:\n  c: 1\n  d: 9\nlast: 2\n"),
        ("first: 1\nb: {c: 1}\n", "first: 1\nb: {c: 1, d: 9}\n"),
        ("first: 1\nb: {}\n", "first: 1\nb: {d: 9}\n"),
        ("first: 1 # c\n", "first: 1 # c\nb:\n  d: 9\n"),
        ("x: |\n  first: 1\ny: 2\n", "x: |\n  first: 1\n  b:\n    d: 9\ny: 2\n"),
        (
            "args:\n- |\n  cat > /e.yaml <<'EOF'\n  first: 1\n  EOF\n  run\n",
            "args:\n- |\n  cat > /e.yaml <<'EOF'\n  first: 1\n  b:\n    d: 9\n  EOF\n  run\n",
        ),
    ],
)
def test_a_path_is_added_inside_the_blocks_that_are_there(text: str, expected: str) -> None:
    assert edited(text, append(at(text, "first"), "b.d", 9)) == expected


def test_a_key_is_renamed_with_everything_in_it() -> None:
    text = "a: 1\nk: # c\n  d: 1\n"
    assert edited(text, rename_key(at(text, "k:"), "k", "new")) == "a: 1\nnew: # c\n  d: 1\n"


@pytest.mark.parametrize("text", ["'k': 1\n", '"k": 1\n', "&a k: 1\nb: *a\n", "!!str k: 1\n"])
def test_a_key_that_is_more_than_a_plain_word_is_not_renamed(text: str) -> None:
    with pytest.raises(NotPossibleError, match="plain word"):
        edited(text, rename_key(at(text, text), "k", "new"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("k: 0.9 # c\na: 1\n", "b:\n  d: 0.9 # c\na: 1\n"),
        ("b:\n  c: 1\n# why\nk: 0.9\na: 1\n", "b:\n  c: 1\n  d: 0.9\n# why\na: 1\n"),
        ("k: 0.9\nb: {c: 1}\n", "b: {c: 1, d: 0.9}\n"),
        ("{k: 0.9, a: 1}\n", "{b: {d: 0.9}, a: 1}\n"),
    ],
)
def test_a_key_is_moved_into_its_block(text: str, expected: str) -> None:
    assert edited(text, move_key(at(text, "k:"), "k", "b.d", 0.9)) == expected


@pytest.mark.parametrize(
    ("text", "place", "expected"),
    [
        ("env:\n- a: 0\n- name: Y\n  value: 2\n", "value: 2", "env:\n- a: 0\n"),
        ("env: [{a: 0}, {name: Y, value: 2}]\n", "value: 2", "env: [{a: 0}]\n"),
        ("env:\n  - {name: Y, value: 2}\n", "value: 2", "env: []\n"),
        ("env:\n  Y: 2 # c\n  X: 1\n", "Y: 2", "env:\n  X: 1\n"),
    ],
)
def test_a_variable_is_removed_from_a_list_or_a_map(text: str, place: str, expected: str) -> None:
    assert edited(text, remove_variable(at(text, place), "Y")) == expected


SCRIPT = """args:
  - |
    # start --flag 0
    run --a 1 \\
      --flag 64 \\
      --b "x y" | tee log
"""


@pytest.mark.parametrize(
    ("text", "place", "expected"),
    [
        ('args: [run, --flag, "64", --b]\n', "--flag", "args: [run, --b]\n"),
        ("args:\n- run\n- --flag\n- '64'\n- --b\n", "--flag", "args:\n- run\n- --b\n"),
        ("args:\n- run\n- --flag=64\n- --b\n", "--flag", "args:\n- run\n- --b\n"),
        ("args:\n- run\n- --flag", "--flag", "args:\n- run"),
        ("args: [run --flag 64 --b]\n", "run", "args: [run --b]\n"),
        ("extraArgs: [--a, --flag, '64']\n", "extraArgs", "extraArgs: [--a]\n"),
        (SCRIPT, "--flag 64", SCRIPT.replace("      --flag 64 \\\n", "")),
    ],
)
def test_a_flag_is_removed_from_a_list_or_a_script(text: str, place: str, expected: str) -> None:
    assert edited(text, remove_flag(at(text, place), "--flag")) == expected


@pytest.mark.parametrize(
    ("text", "place", "expected"),
    [
        ("args:\n- --flag # c\n- '64'\n", "--flag", "args:\n- --flag # c\n- '9'\n"),
        ("args:\n- run\n- --flag=64\n", "--flag", "args:\n- run\n- --flag=9\n"),
        ("args: ['run --flag 64 --b']\n", "'run", "args: ['run --flag 9 --b']\n"),
        (SCRIPT, "--flag 64", SCRIPT.replace("--flag 64", "--flag 9")),
    ],
)
def test_the_value_of_a_flag_is_set(text: str, place: str, expected: str) -> None:
    assert edited(text, set_flag(at(text, place), ("-f", "--flag"), "9")) == expected


def test_a_flag_is_renamed() -> None:
    renamed = edited(SCRIPT, rename_flag(at(SCRIPT, "--flag 64"), "--flag", "--new"))
    assert renamed == SCRIPT.replace("--flag 64", "--new 64")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("args: [run, --a]\n", "args: [run, --a, --x, v]\n"),
        ("args:\n- run\n- --a # c\n", "args:\n- run\n- --a # c\n- --x\n- v\n"),
        (
            "command: [run]\nargs: [--a]\n",
            "command: [run]\nargs: [--a, --x, v]\n",
        ),
        (
            "args:\n- |\n  echo\n  run --a \\\n    --b 1 > log\n  echo\n",
            "args:\n- |\n  echo\n  run --a \\\n    --b 1 \\\n    --x v > log\n  echo\n",
        ),
        ("args: [run --a]\n", "args: [run --a --x v]\n"),
    ],
)
def test_a_flag_is_added_at_the_end_of_its_command(text: str, expected: str) -> None:
    assert edited(text, add_flag(at(text, "run"), "--x", "v")) == expected


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        ("other: 1\n", set_value(Place("f"), "k", 1)),
        ("k: &a 1\nb: *a\n", set_value(Place("f"), "k", 2)),
        ("k: {a: 1}\n", set_value(Place("f"), "k", 2)),
        ("k: &a 1\nb: *a\n", remove_key(Place("f"), "k")),
        ("k: 1 # c\nnot: yaml: at: all\n", remove_key(Place("f"), "k")),
        ("[1, 2]\n", append(Place("f"), "a", 1)),
        ("args: [run; stop]\n", add_flag(Place("f", 1, 8), "--x")),
    ],
)
def test_what_is_not_what_the_edit_was_made_for_is_left_alone(text: str, fix: Fix) -> None:
    with pytest.raises(NotPossibleError):
        edited(text, fix)


names = st.sampled_from(["alpha", "beta", "gamma", "delta"])
comments = st.sampled_from(["", "  # why", " # a: b"])
values = st.sampled_from(
    ["1", "'x'", '"y: z"', "[1, 2]", "{p: 1, q: 2}", "true", "~", "plain text"]
)


@st.composite
def maps(draw: st.DrawFn) -> tuple[str, dict[str, object]]:
    """A block map at some depth, with comments, in a ConfigMap or not."""
    keys = draw(st.lists(names, min_size=2, max_size=4, unique=True))
    indent = draw(st.sampled_from(["", "  ", "    "]))
    lines = [f"{indent}{key}: {draw(values)}{draw(comments)}" for key in keys]
    body = "\n".join(
        line + draw(st.sampled_from(["", f"\n{indent}# note", "\n"])) for line in lines
    )
    data = plain_yaml.load(body)
    head = "top: # head\n" if indent else ""
    if indent and draw(st.booleans()):
        head = "top: |\n"
    tail = draw(st.sampled_from(["\n", "\nzeta: 1\n"])) if indent else "\n"
    return head + body + tail, data


def read(text: str) -> object:
    data = plain_yaml.load(text)
    held = data.get("top", data)
    return plain_yaml.load(held) if isinstance(held, str) else held


@given(maps(), st.data())
def test_any_map_can_be_edited_and_keeps_the_rest(
    made: tuple[str, dict[str, object]], data: st.DataObject
) -> None:
    text, held = made
    key = data.draw(st.sampled_from(sorted(held)))
    place = at(text, f"{key}:")
    gone = edited(text, remove_key(place, key))
    assert read(gone) == {name: value for name, value in held.items() if name != key}
    assert set(gone.split("\n")) <= set(text.split("\n"))
    added = edited(text, add_beside(place, key, "new", 7))
    assert read(added) == {**held, "new": 7}
    assert [line for line in added.split("\n") if "new: 7" not in line] == text.split("\n")
    renamed = edited(text, rename_key(place, key, "new"))
    assert read(renamed) == {"new" if n == key else n: v for n, v in held.items()}
    if not isinstance(held[key], list | dict):
        after = edited(text, set_value(place, key, 7))
        assert read(after) == {**held, key: 7}
        assert len(after.split("\n")) == len(text.split("\n"))


def test_an_edit_is_described_by_what_must_stand_at_its_place() -> None:
    (edit,) = set_value(Place("f"), ("value", "NAME"), "1").edits
    assert isinstance(edit, Edit)
    assert edit.at == ("value", "NAME")


@pytest.mark.parametrize("text", ["a: 1\nb: 2", "a: 1\r\nb: 2\r\n", "", "\n", "a: \u2028b\n"])
def test_every_line_ends_before_its_break(text: str) -> None:
    source = Source(text)
    found = [text[start : source.line_end(start)] for start in source.starts]
    assert all("\n" not in line and "\r" not in line for line in found)
    assert "".join(found).replace("\u2028", "") == re.sub("[\r\n\u2028]", "", text)
