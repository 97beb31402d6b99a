"""Every command of a document and of the chart's notes names what is there."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from gptoss.rendering.compose import render_compose
from gptoss.rendering.shell import render_shell
from gptoss.rendering.target import read_target
from gptoss.sources.request import Request
from gptoss.text import plain_yaml
from tests.chart.rendering import ROOT
from tests.docs.checks import Reader
from tests.docs.commands import VARIABLE, Command, commands, inline, notes
from tests.docs.reality import Installed, installed

if TYPE_CHECKING:
    from pathlib import Path

PAGES = sorted((ROOT / "docs" / "targets").glob("*-*.md"))
GUIDES = [
    ROOT / "README.md",
    ROOT / "charts" / "gpt-oss" / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
]
NAMESPACE = "your-namespace"
READER = {"NAMESPACE": NAMESPACE, "HF_TOKEN": "hf_of_nobody", "EVALS_IMAGE": "evals:0.0.9"}
EVERYTHING = ("benchmark.enabled=true", "accuracy.enabled=true", "accuracy.image=evals:0.0.9")
YAML = re.compile(r"^```yaml\n(.*?)^```", re.DOTALL | re.MULTILINE)
SET = "--set"
# What a reader of a target's page does, from the namespace to the removal.
CYCLE = (
    r"kubectl create namespace",
    r"kubectl create secret",
    r"gptoss check",
    r"helm install",
    r"kubectl wait job .*download",
    r"kubectl (wait dynamographdeployment|rollout status)",
    r"kubectl get pods .*-w",
    r"helm test",
    r"kubectl port-forward",
    r"kubectl logs",
    r"helm upgrade .*benchmark.enabled=true",
    r"kubectl logs .*benchmark.* -f",
    r"helm upgrade .*accuracy.enabled=true",
    r"gptoss upgrade",
    r"helm upgrade .*runtime.release=",
    r"helm uninstall",
    r"kubectl delete pvc",
    r"kubectl delete secret",
    r"kubectl delete namespace",
)


def turned_on(found: list[Command]) -> list[str]:
    """Words that turn on at the installation all that a document turns on at some time."""
    words: list[str] = []
    for command in found:
        if command.words[:2] in (["helm", "upgrade"], ["helm", "install"]):
            for flag, value in zip(command.words, command.words[1:], strict=False):
                if flag == SET and not value.endswith("=false"):
                    words += [SET, value]
    return words


def documents_in(text: str) -> list[dict[str, Any]]:
    """The objects that a document gives as YAML."""
    loaded = [o for block in YAML.findall(text) for o in plain_yaml.load_all(block)]
    return [item for item in loaded if isinstance(item, dict) and "kind" in item]


def reader_of(page: Path, text: str, found: list[Command]) -> Reader:
    """A reader of a target's page, with all that the target is rendered as."""
    (install,) = [c for c in found if c.words[:2] == ["helm", "install"]]
    target = read_target(Request((page.stem,), settings=EVERYTHING))
    script = render_shell(target).files["launch.sh"]
    one_machine = "machine-2)" not in script
    return Reader(
        installed(NAMESPACE, *install.words[1:], *turned_on(found)),
        documents_in(text),
        plain_yaml.load(render_compose(target).files["compose.yaml"]) if one_machine else None,
        script,
        text,
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_command_of_a_page_names_what_is_there_and_every_part_has_its_log(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    found = list(commands(text, {}))
    reader = reader_of(page, text, found)
    for command in found:
        reader.types(command)
        unset = VARIABLE.search(str(command.words[1:]))
        assert not unset or unset[1] == "PWD", f"nobody sets {unset}"
    for command in inline(text):
        reader.reads(command)
    assert set(reader.installed.serving) <= reader.logged


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_target_s_page_goes_from_the_namespace_to_the_removal(page: Path) -> None:
    typed = iter(str(c) for c in commands(page.read_text(encoding="utf-8"), {}))
    for step in CYCLE:
        assert any(re.match(step, command) for command in typed), f"{step} is not there in turn"


@pytest.mark.parametrize("settings", [(), EVERYTHING], ids=["alone", "with Jobs"])
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_command_of_the_notes_names_what_is_there(
    page: Path, settings: tuple[str, ...]
) -> None:
    sets = [word for setting in settings for word in (SET, setting)]
    values = f"values/{page.stem}.yaml"
    there = installed("serving", "install", "web", "charts/gpt-oss", "-f", values, *sets)
    found = notes(there.notes)
    followed = [command for command in found if command.words[:2] == ["kubectl", "logs"]]
    assert len(followed) == sum("enabled" in setting for setting in settings)
    for command in found:
        Reader(there, text=there.notes).types(command)


@cache
def of_guide(values: str, *more: str) -> Installed:
    return installed(NAMESPACE, "install", "gpt-oss", "charts/gpt-oss", "-f", values, *more)


@pytest.mark.parametrize("guide", GUIDES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_command_of_a_guide_names_what_is_there(guide: Path) -> None:
    text = guide.read_text(encoding="utf-8")
    found = list(commands(text, READER))
    reader = Reader(
        of_guide("values/disagg-gb200.yaml", *turned_on(found)), documents_in(text), text=text
    )
    for command in found:
        if command.words[0] in {"kubectl", "helm", "gptoss", "make"}:
            reader.types(command)
    for command in inline(text):
        if command.words[0] == "gptoss":
            reader.reads(command)
