"""Promises of gptoss.sources.given: what stands on the command line is read, or said why not."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING
from unittest import mock

import pytest

from gptoss.facts import folders
from gptoss.sources.given import GivenFile, given_files
from gptoss.sources.kinds import not_understood
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from gptoss.text.yaml_tree import Tree


def read(source: str) -> list[Tree]:
    return [tree for file in given_files(source, []) for tree in file.trees]


def test_every_yaml_file_of_a_folder_is_read_in_order_but_no_hidden_and_no_deeper_one(
    tmp_path: Path,
) -> None:
    for name in ("b.yaml", "a.yml", ".hidden.yaml", "note.txt"):
        (tmp_path / name).write_text(f"name: {name}\n")
    (tmp_path / "deeper.yaml").mkdir()
    (tmp_path / "deeper.yaml" / "c.yaml").write_text("name: c\n")
    trees = read(str(tmp_path))
    assert [tree.text("name") for tree in trees] == ["a.yml", "b.yaml"]
    assert trees[0].place.file == str(tmp_path / "a.yml")


def test_every_document_of_a_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "all.yaml"
    file.write_bytes(b"\xef\xbb\xbfa: 1\n---\nb: 2\n")
    assert [tree.plain() for tree in read(str(file))] == [{"a": 1}, {"b": 2}]


def test_standard_input_is_read_under_a_name_of_its_own() -> None:
    with mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a: 1\n"))):
        (tree,) = read("-")
    assert tree.place.file == "<stdin>"


def test_what_cannot_be_read_is_refused_with_the_reason(tmp_path: Path) -> None:
    bad = tmp_path / "latin.yaml"
    bad.write_bytes(b"a: 1\nb: \xe9\n")
    empty = tmp_path / "empty"
    empty.mkdir()
    cases = {
        str(tmp_path / "missing.yaml"): "No such file",
        str(empty): "holds no \\*.yaml",
        str(bad): "latin.yaml:2: this is not UTF-8 text",
        "a\0b": "cannot read",
    }
    for source, message in cases.items():
        with pytest.raises(InputError, match=message):
            read(source)


def test_a_chart_with_this_one_as_a_dependency_is_told_to_be_rendered_first(tmp_path: Path) -> None:
    (tmp_path / "Chart.yaml").write_text("name: parent\n")
    (tmp_path / "values.yaml").write_text("gpt-oss: {target: agg-gb200}\n")
    told = f"{tmp_path} is a Helm chart, .*: helm template NAME {tmp_path} [|] gptoss check -"
    with pytest.raises(InputError, match=told):
        read(str(tmp_path))
    assert "helm template NAME" in not_understood(GivenFile(tmp_path / "values.yaml")).message
    with pytest.raises(InputError, match="name a target of it"):
        read(str(folders.chart()))
