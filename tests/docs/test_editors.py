"""Editors know every values and engine file, by each path that leads to it.

Asked of the language server that they run.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from gptoss.cli import main
from gptoss.facts.world import Facts
from tests.chart.rendering import CHART, ROOT
from tests.docs.language_server import LanguageServer, program

if TYPE_CHECKING:
    from collections.abc import Iterator

FILES = [
    *sorted((CHART / "engine_configs").glob("*/*.yaml")),
    *sorted((ROOT / "engine_configs").glob("*/*.yaml")),
    CHART / "values.yaml",
    *sorted((ROOT / "values").glob("*.yaml")),
    *sorted((CHART / "ci").glob("*.yaml")),
]
UNKNOWN = "no_such_key: 1\n"
TOLD = ["Property no_such_key is not allowed."]


@pytest.fixture
def server() -> Iterator[LanguageServer]:
    path = program()
    if path is None:
        pytest.skip("there is no yaml-language-server, for `make tools` found no npm to install it")
    with LanguageServer(path) as running:
        yield running


def test_an_editor_has_nothing_against_any_file_on_any_path(server: LanguageServer) -> None:
    told = server.faults({path: path.read_text(encoding="utf-8") for path in FILES})
    assert {path: faults for path, faults in told.items() if faults} == {}


def test_an_editor_marks_an_unknown_key_in_every_file_on_every_path(server: LanguageServer) -> None:
    told = server.faults({path: path.read_text(encoding="utf-8") + UNKNOWN for path in FILES})
    assert {path: faults for path, faults in told.items() if faults != TOLD} == {}


def test_an_editor_offers_the_gpus(server: LanguageServer) -> None:
    path = ROOT / "values" / "mine.yaml"
    schema = "# yaml-language-server: $schema=../schema/values.schema.json\n"
    offered = server.offers(path, f"{schema}hardware:\n  gpu: ")
    assert set(Facts().gpus) <= set(offered)


def test_an_editor_offers_the_kernels_of_an_engine_file(server: LanguageServer) -> None:
    path = ROOT / "engine_configs" / "disagg-b200" / "decode.yaml"
    line = path.read_text(encoding="utf-8").splitlines()[0]
    offered = server.offers(path, f"{line}\nmoe_config:\n  backend: ")
    assert {"CUTLASS", "TRTLLM"} <= set(offered)


WRITING = {
    "import": ("import", str(ROOT / "examples" / "as-found"), "--gpu", "b200"),
    "render": ("render", "disagg-b200", "--as", "values"),
}


@pytest.fixture
def in_the_checkout() -> Iterator[Path]:
    folder = ROOT / "dist"
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as name:
        yield Path(name)


@pytest.mark.parametrize("command", WRITING)
def test_an_editor_knows_what_the_command_writes(
    server: LanguageServer, command: str, in_the_checkout: Path, tmp_path: Path
) -> None:
    inside, elsewhere = in_the_checkout / "values.yaml", tmp_path / "mine.yaml"
    output = {"import": inside, "render": in_the_checkout}[command]
    texts = {elsewhere: CliRunner().invoke(main, WRITING[command]).stdout}
    CliRunner().invoke(main, [*WRITING[command], "--output", str(output)])
    texts[inside] = inside.read_text(encoding="utf-8")
    assert str(ROOT) not in texts[inside].splitlines()[0]
    wrong = {path.with_stem("wrong"): text + UNKNOWN for path, text in texts.items()}
    told = server.faults(texts | wrong)
    assert told == {path: [] for path in texts} | dict.fromkeys(wrong, TOLD)


def test_the_command_prints_the_schema_that_helm_uses() -> None:
    printed = CliRunner().invoke(main, ["schema", "values"]).stdout
    assert printed == (CHART / "values.schema.json").read_text(encoding="utf-8")
