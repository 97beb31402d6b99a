"""Promises of gptoss.text.yaml_tree: values of YAML, and the places where they stand."""

from __future__ import annotations

import string
import threading
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from gptoss.text import budget
from gptoss.text.budget import Kind
from gptoss.text.errors import InputError
from gptoss.text.places import Place
from gptoss.text.yaml_tree import Tree, parse_documents, parse_embedded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

names = st.text(string.ascii_lowercase + "_", min_size=1, max_size=8).map(lambda s: f"k{s}")
words = st.text(string.ascii_letters + "-/é€😀", min_size=1, max_size=8).map(lambda s: f"w{s}")
scalars = st.one_of(words, st.integers(0, 10**6))
values: st.SearchStrategy[Any] = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3), st.dictionaries(names, inner, min_size=1)
    ),
    max_leaves=12,
)
maps = st.dictionaries(names, values, min_size=1, max_size=5)


def scalars_of(tree: Tree) -> Iterator[Tree]:
    for child in [*dict(tree.items()).values(), *tree.elements()]:
        yield from scalars_of(child)
    if not tree.is_map and not isinstance(tree.value, list):
        yield tree


def text_at(text: str, place: Place) -> str:
    return text.split("\n")[place.line - 1][place.column - 1 :]


def dumped(data: Any, **options: Any) -> str:
    return str(yaml.safe_dump(data, allow_unicode=True, width=10**6, **options))


def one(text: str) -> Tree:
    (document,) = parse_documents(text, "file.yaml")
    return document


@given(maps, st.booleans())
def test_every_scalar_stands_where_its_place_says(data: dict[str, Any], flow: bool) -> None:
    text = dumped(data, default_flow_style=flow)
    for scalar in scalars_of(one(text)):
        assert text_at(text, scalar.place).startswith(str(scalar.value))


@given(maps, st.integers(1, 8))
def test_every_scalar_of_embedded_yaml_stands_where_it_does_in_the_outer_file(
    data: dict[str, Any], indent: int
) -> None:
    inner = dumped(data)
    block = "".join(" " * (indent + 2) + line + "\n" for line in inner.splitlines())
    outer = f"# a comment\ndata:\n  engine.yaml: |\n{block}"
    embedded = one(outer).at("data", "engine.yaml")
    assert embedded is not None
    tree = parse_embedded(embedded)
    assert tree is not None
    assert tree.plain() == data
    for scalar in scalars_of(tree):
        assert text_at(outer, scalar.place).startswith(str(scalar.value))


@given(maps)
def test_plain_values_are_those_that_any_yaml_reader_gives(data: dict[str, Any]) -> None:
    assert one(dumped(data)).plain() == data


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused_in_one_sentence(text: str) -> None:
    message = ""
    try:
        parse_documents(text, "file.yaml")
    except InputError as error:
        message = str(error)
    assert "\n" not in message


@pytest.mark.parametrize(
    "scalar", ["!!bool x", "!!timestamp x", "!!int x", "!!float x", "2001-99-99", "!odd x"]
)
def test_a_scalar_that_is_not_of_its_type_is_refused_at_its_place(scalar: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_documents(f"a: 1\nb: {scalar}\n", "file.yaml")
    assert caught.value.place == Place("file.yaml", 2, 4)


def test_a_number_beyond_every_use_is_refused() -> None:
    with pytest.raises(InputError, match="too large"):
        one("a: 0x" + "f" * 5000)


def test_a_value_stands_at_its_key_for_people() -> None:
    tree = one("a:\n  b:\n    - 1\n").at("a", "b")
    assert tree is not None
    assert tree.where == Place("file.yaml", 2, 3)
    assert tree.place == Place("file.yaml", 3, 5)


def test_keys_given_twice_are_remembered_and_the_last_one_counts() -> None:
    tree = one("a: 1\nb: 2\na: 3\n")
    assert tree.plain() == {"a": 3, "b": 2}
    assert tree.duplicates == (("a", Place("file.yaml", 3, 1)),)


def test_what_means_something_to_old_yaml_alone_is_text_where_it_is_a_value() -> None:
    (document,) = parse_documents("a: =\nb: [<<, =]\n=: c\n", "a.yaml")
    assert document.plain() == {"a": "=", "b": ["<<", "="], "=": "c"}


def test_merge_keys_fill_in_what_a_map_does_not_say_itself() -> None:
    tree = one("base: &base {a: 1, b: 2}\nown: {<<: *base, b: 3}\n").at("own")
    assert tree is not None
    assert tree.plain() == {"a": 1, "b": 3}


def test_folded_text_remembers_keys_given_twice() -> None:
    folded = one('a: 1\nb: "x: 1\\nx: 2"\n').at("b")
    assert folded is not None
    embedded = parse_embedded(folded)
    assert embedded is not None
    assert embedded.duplicates == (("x", Place("file.yaml", 2, 4)),)


def test_folded_text_is_pinned_to_the_line_where_it_begins() -> None:
    folded = one("a: 1\nb: >\n  x: 1\n\n  y: 2\n").at("b")
    assert folded is not None
    tree = parse_embedded(folded)
    assert tree is not None
    assert {item.place for _, item in tree.items()} == {folded.place}


@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r", "\x85", "\u2028"])
def test_lines_are_counted_with_every_line_break(line_break: str) -> None:
    text = line_break.join(["a: 1", "b: |", "  x: 1", "  y: 2", "c: 3", ""])
    block = one(text).at("b")
    assert block is not None
    assert block.indent == 2
    tree = parse_embedded(block)
    assert tree is not None
    y = tree.at("y")
    assert y is not None
    assert y.place == Place("file.yaml", 4, 6)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: &a [*a]", "contains itself"),
        ("[" * 100 + "]" * 100, "deeper than"),
        ("? [a]\n: 1", "plain word"),
        ("<<: 1", "must name a map"),
        ("a: 'open", "not valid YAML"),
        ("a: \x00", "not valid YAML"),
        ("a: *nowhere", "there is no anchor nowhere"),
        ("a: &a 1\nb: &a 2", "the anchor a stands twice"),
        ("a: !!int\n", "not a value of type int"),
    ],
)
def test_yaml_that_cannot_be_a_manifest_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_documents(text, "file.yaml")


def in_small_thread(work: Callable[[], object]) -> None:
    """Runs something where the stack is as small as that of threads on some systems."""
    before = threading.stack_size(256 * 1024)
    try:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)


@pytest.mark.parametrize("opened", ["[", "{a: ", "- ", "? ", "{", "[? ", "&a [", "!!seq [", "- - "])
def test_yaml_of_any_depth_ends_with_one_sentence_and_not_with_the_process(opened: str) -> None:
    found: list[str] = []

    def work() -> None:
        with pytest.raises(InputError, match=r"deeper than 64|plain word|not valid YAML") as caught:
            one("a:\n " + opened * 30_000)
        found.append(caught.value.message)

    in_small_thread(work)
    assert found


def test_blocks_indented_without_end_are_refused_at_the_first_line_too_deep() -> None:
    with pytest.raises(InputError, match="deeper than 64") as caught:
        one("".join(f"{' ' * n}a:\n" for n in range(1000)))
    assert caught.value.place is not None
    assert caught.value.place.line == 66


def test_depth_counts_through_aliases() -> None:
    text = "a: &a " + "[" * 40 + "]" * 40 + "\nb: " + "[" * 40 + "*a" + "]" * 40
    with pytest.raises(InputError, match="deeper than 64"):
        one(text)


@pytest.mark.parametrize("number", ["1" + ":1" * 50_000, "1" * 50_000, "1" + ":1" * 9999 + ".5"])
def test_numbers_are_judged_before_they_are_made(number: str) -> None:
    with pytest.raises(InputError, match="this number is too large"):
        one(f"a: {number}")


def test_values_are_counted_over_a_run_and_outside_of_one_for_each_text(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Kind.VALUES, "limit", 100)
    many = "[" + "x," * 60 + "]"
    assert len(parse_documents(many, "a.yaml") + parse_documents(many, "b.yaml")) == 2
    with budget.run():
        parse_documents(many, "a.yaml")
        with pytest.raises(InputError, match=r"b\.yaml:1:\d+: more than 100 YAML values"):
            parse_documents(many, "b.yaml")


def test_documents_are_counted_as_they_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Kind.DOCUMENTS, "limit", 10)
    with pytest.raises(InputError, match=r"f\.yaml:11:1: more than 10 YAML documents"):
        parse_documents("---\n" * 12 + "never: [read", "f.yaml")


@pytest.mark.parametrize("again", ["b: *a", "b: {<<: *a}", "b:\n  <<: [*a]"])
def test_an_alias_counts_as_what_it_stands_for(again: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Kind.VALUES, "limit", 50)
    base = "a: &a {" + ", ".join(f"k{n}: {n}" for n in range(40)) + "}\n"
    assert one(base).at("a", "k39") is not None
    with pytest.raises(InputError, match="more than 50 YAML values"):
        one(f"{base}{again}\n")


def test_aliases_that_multiply_are_refused() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    with pytest.raises(InputError, match="more than 200,000 YAML values"):
        one("\n".join(lines))


def test_a_value_holds_one_document() -> None:
    block = one("a: |\n  x: 1\n  ---\n  y: 2\n").at("a")
    assert block is not None
    with pytest.raises(InputError, match="more than one YAML document"):
        parse_embedded(block)


def test_empty_text_holds_no_document() -> None:
    assert parse_documents("", "file.yaml") == []
    assert parse_embedded(Tree("# nothing\n", Place("file.yaml"))) is None


def test_a_text_counts_as_often_as_it_is_read() -> None:
    text = "a: 1\n" + "#" * (Kind.READ.limit // 2)
    with budget.run():
        parse_documents(text, "m.yaml")
        with pytest.raises(InputError, match=r"m\.yaml:1:1: more than .* of YAML"):
            parse_documents(text, "m.yaml")
