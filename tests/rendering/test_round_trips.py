"""Every form goes back through check and gives the same deployment."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from gptoss.cli import main
from gptoss.comparing.compare import compare
from gptoss.rules.rule import Severity
from tests.rendering.forms import (
    BENCHMARK,
    RELEASES,
    SERVE,
    SPREAD,
    TARGETS,
    judged,
    read_back,
    rendered,
    target,
)

if TYPE_CHECKING:
    from pathlib import Path

    from gptoss.deployment.model import Deployment

EVERY = pytest.mark.parametrize("name", TARGETS)
# Form, settings, and the file or folder that is read back.
FORMS = [
    ("compose", (), "compose.yaml"),
    ("manifests", BENCHMARK, "manifests.yaml"),
    ("kustomize", BENCHMARK, "base"),
    ("values", (), "values.yaml"),
]
EACH_FORM = pytest.mark.parametrize(
    ("form", "settings", "source"), FORMS, ids=[f[0] for f in FORMS]
)


def errors(deployment: Deployment) -> list[str]:
    found = judged(deployment).findings
    return [f"{f.rule.id} {f.message}" for f in found if f.rule.severity is Severity.ERROR]


@EVERY
@EACH_FORM
def test_a_form_read_back_is_the_target_setting_for_setting(
    name: str, form: str, settings: tuple[str, ...], source: str, tmp_path: Path
) -> None:
    if form == "compose" and name in SPREAD:
        pytest.skip("no machine holds it")
    back = read_back(rendered(form, name, *settings), tmp_path, source)
    assert compare(target(name), back) == []
    assert errors(back) == []


# Each form with what the folder is read by; a launch script has no Job of its own.
WRITTEN = [*((form, settings) for form, settings, _ in FORMS), ("shell", ())]


@pytest.mark.parametrize(("form", "settings"), WRITTEN, ids=[form for form, _ in WRITTEN])
@pytest.mark.parametrize("name", ["disagg-b200-node", "serve-latency-b200"])
def test_the_folder_that_render_wrote_is_the_target(
    name: str, form: str, settings: tuple[str, ...], tmp_path: Path
) -> None:
    back = read_back(rendered(form, name, *settings), tmp_path)
    # A server's pod listens everywhere, a script on this machine.
    addresses = {"--host"} if form == "shell" else set()
    assert {each.setting for each in compare(target(name), back)} <= addresses
    assert errors(back) == []
    for command in ("check", "show", "bench"):
        result = CliRunner().invoke(main, [command, str(tmp_path)])
        assert result.exit_code == 0, result.stderr


def test_the_overlay_of_a_kustomize_form_is_said_not_to_be_read(tmp_path: Path) -> None:
    back = read_back(rendered("kustomize", "agg-gb200"), tmp_path)
    (said,) = [f for f in judged(back).findings if f.rule.id == "L022"]
    assert said.message == f"{tmp_path}/overlays/agg-gb200 is not read, only what it is laid over"


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("name", ["disagg-b200", SERVE[0]])
def test_a_compose_file_is_its_target_on_every_release(
    name: str, release: str, tmp_path: Path
) -> None:
    back = read_back(rendered("compose", name, release=release), tmp_path, "compose.yaml")
    assert back.release is not None
    assert back.release.version == release
    assert compare(target(name, release=release), back) == []


CHANGED = [
    ("disagg-b200", "workers.prefill.replicas=2"),
    ("disagg-b200", "workers.decode.engine.max_batch_size=1024"),
    ("disagg-b200", "workers.prefill.env.TRTLLM_NOTE=costs $5 and $HOME"),
    ("disagg-b200", "frontend.routerMode=kv"),
    ("disagg-b200", "model.servedName=gpt-oss"),
    ("serve-latency-b200", "workers.worker.engine.max_batch_size=512"),
    ("serve-h100-2", "workers.worker.replicas=2"),
]


@EACH_FORM
@pytest.mark.parametrize(("name", "setting"), CHANGED, ids=[change for _, change in CHANGED])
def test_what_is_laid_over_a_target_is_in_every_form(
    name: str, setting: str, form: str, settings: tuple[str, ...], source: str, tmp_path: Path
) -> None:
    back = read_back(rendered(form, name, setting, *settings), tmp_path, source)
    assert compare(target(name, setting), back) == []


def test_a_form_that_says_something_else_is_another_deployment(tmp_path: Path) -> None:
    back = read_back(rendered("compose", "disagg-b200"), tmp_path, "compose.yaml")
    changed = target("disagg-b200", "workers.decode.engine.max_batch_size=64")
    assert [d.setting for d in compare(changed, back) if d.subject == "decode"] != []
