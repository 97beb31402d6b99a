"""Whatever names it, nothing outside a checkout is opened, nor its hidden files.

Python itself tells of every file that is opened.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from click.testing import CliRunner, Result

from gptoss.benchmarking.run_folders import read_runs
from gptoss.cli import main
from gptoss.planning.calibrating.kept_calibration import kept
from gptoss.sources.chart.helm import ChartSource, run_helm
from gptoss.text.bounds import OutsideError
from gptoss.text.errors import InputError
from gptoss.text.files import text_of
from tests.rules.gitops_base import helm_release
from tests.sources.test_named_files import COMPOSE, PRIVATE, SERVE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

VOLUMES = '    volumes: ["./e:/etc"]\n'
MOUNTED = COMPOSE.format(more=', --served-model-name, "${token}"') + VOLUMES

watching: list[list[str]] = []


def note(event: str, arguments: tuple[Any, ...]) -> None:
    """Keeps the path of a file that is opened, while somebody watches."""
    for opened in watching if event == "open" and isinstance(arguments[0], str) else ():
        opened.append(arguments[0])


sys.addaudithook(note)


@contextmanager
def nothing_opened(*folders: Path) -> Iterator[None]:
    """Fails where a file in one of these folders is opened."""
    opened: list[str] = []
    watching.append(opened)
    try:
        yield
    finally:
        watching.remove(opened)
    found = [Path(path).resolve() for path in opened]
    assert not [path for path in found for folder in folders if path.is_relative_to(folder)]


@pytest.fixture(autouse=True)
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository that is the current folder, beside a folder that nobody may read."""
    outside, checkout = tmp_path / "outside", tmp_path / "checkout"
    for folder in (outside, checkout / ".git", checkout / "deploy"):
        folder.mkdir(parents=True)
    for name in (
        "a.yaml",
        "engine.yaml",
        "a.sh",
        "a.json",
        "profile_export_aiperf.json",
        "plan.json",
    ):
        (outside / name).write_text(PRIVATE)
    (checkout / ".git" / "config").write_text(PRIVATE)
    monkeypatch.chdir(checkout)
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    return checkout


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def script_by_an_absolute_path(folder: Path) -> None:
    (folder / "up").symlink_to("../../outside")
    (folder / "serve.sh").write_text(f"{SERVE} {folder.absolute()}/up/a.yaml\n")


def script_by_a_link_of_hidden_files(folder: Path) -> None:
    (folder / "engine.yaml").symlink_to("../.git/config")
    (folder / "serve.sh").write_text(f"{SERVE} engine.yaml\n")


def script_by_shell(folder: Path) -> None:
    (folder / "link.sh").symlink_to("../../outside/a.sh")
    lines = [". ./link.sh", "source ../../outside/a.sh", "A=$(cat ../../outside/a.yaml)"]
    lines += ['B="$(<../../outside/a.yaml)"', "cp ../../outside/a.yaml e.yaml", "bash link.sh"]
    lines += ["cat ../../outside/a.yaml > f.yaml", f"{SERVE} f.yaml --max_batch_size $A"]
    (folder / "serve.sh").write_text("\n".join(lines))


def compose_by_a_mounted_link(folder: Path) -> None:
    (folder / "e").symlink_to("../../outside")
    (folder / "compose.yaml").write_text(MOUNTED)


def compose_by_variables_that_are_hidden(folder: Path) -> None:
    (folder / ".env").symlink_to("../.git/config")
    (folder / "compose.yaml").write_text(MOUNTED)


def compose_by_other_files(folder: Path) -> None:
    text = MOUNTED
    text += "    env_file: ../../outside/a.yaml\n    extends: {file: ../../outside/a.yaml}\n"
    text += "include: [../../outside/a.yaml]\nsecrets: {a: {file: ../../outside/a.yaml}}\n"
    (folder / "compose.yaml").write_text(text)


def folder_by_links(folder: Path) -> None:
    (folder / "a.yaml").symlink_to("../../outside/a.yaml")
    (folder / "b.yaml").symlink_to("../.git/config")
    (folder / "c.sh").symlink_to("../../outside/a.sh")
    (folder / "serve.sh").write_text(f"{SERVE} a.yaml\n")


def kustomize_base_by_a_link(folder: Path) -> None:
    (folder / "base").symlink_to("../../outside")
    (folder.parent.parent / "outside" / "kustomization.yaml").write_text("resources: [a.yaml]\n")


def release(folder: Path, **values_from: str) -> None:
    content = helm_release()
    del content["spec"]["values"]
    content["spec"]["valuesFrom"] = [{"kind": "ConfigMap", "name": "own", **values_from}]
    (folder / "release.yaml").write_text(yaml.safe_dump(content))


def release_by_a_kustomization(folder: Path) -> None:
    release(folder)
    (folder / "kustomization.yaml").symlink_to("../../outside/a.yaml")


def release_by_generated_values(folder: Path) -> None:
    release(folder)
    generator = {"name": "own", "files": ["values.yaml=../../outside/a.yaml"]}
    (folder / "kustomization.yaml").write_text(yaml.safe_dump({"configMapGenerator": [generator]}))


def truss_by_links(folder: Path) -> None:
    (folder / "data").symlink_to("../../outside")
    (folder / "config.yaml").write_text(
        "model_name: x\nresources: {accelerator: B200:8}\nbase_image: {image: x}\n"
        "docker_server:\n  start_command: " + f"{SERVE} /app/data/a.yaml\n"
    )


def test_what_is_opened_is_seen(checkout: Path) -> None:
    with pytest.raises(AssertionError), nothing_opened(checkout.parent / "outside"):
        Path("../outside/a.yaml").read_text()


SOURCES = [value for name, value in list(globals().items()) if "_by_" in name]


@pytest.mark.parametrize("make", SOURCES, ids=lambda make: str(make.__name__))
def test_nothing_outside_is_opened(make: Callable[[Path], None], checkout: Path) -> None:
    make(checkout / "deploy")
    with nothing_opened(checkout.parent / "outside", checkout / ".git"):
        for command in (("check",), ("check", "--diff"), ("show",), ("bench",), ("import",)):
            result = run(*command, "deploy")
            assert "777123" not in result.output
            assert result.exit_code in (0, 1, 2)
        for form in ("json", "sarif", "github"):
            assert "777123" not in run("check", "deploy", "--format", form).output


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "agg-gb200", "-f", "link.yaml"),
        ("check", "agg-gb200", "--set-file", "model.id=link.yaml"),
        ("check", "agg-gb200", "--set-file", "a.b=other.yaml,c=link.yaml"),
        ("check", "agg-gb200", "--against", "link.yaml"),
        ("diff", "agg-gb200", "link.yaml"),
        ("import", "link.yaml"),
        ("upgrade", "link.yaml", "--to", "1.4.2"),
        ("plan", "agg-gb200", "--prices", "link.yaml"),
        ("bench", "report", "link.json"),
        ("bench", "report", "up"),
    ],
    ids=" ".join,
)
def test_a_link_that_is_given_is_not_followed_out_of_the_checkout(
    arguments: tuple[str, ...], checkout: Path
) -> None:
    Path("link.yaml").symlink_to("../outside/a.yaml")
    Path("link.json").symlink_to("../outside/a.json")
    Path("up").symlink_to("../outside")
    Path("other.yaml").touch()
    with nothing_opened(checkout.parent / "outside"):
        result = run(*arguments)
    assert result.exit_code == 2
    assert "is a link that leads out of" in result.stderr
    assert "777123" not in result.output


@pytest.mark.parametrize(
    "name", ["plan.json", "a.json", "profile_export_aiperf.json", "run/plan.json"]
)
def test_results_are_not_read_through_links_nor_from_pipes(name: str, checkout: Path) -> None:
    results = checkout / "results"
    (results / "run").mkdir(parents=True)
    at = results / name
    at.symlink_to(checkout.parent / "outside" / at.name)
    with nothing_opened(checkout.parent / "outside"), pytest.raises(OutsideError):
        read_runs(Path("results"))
    at.unlink()
    os.mkfifo(at)
    with pytest.raises(InputError, match="nothing to report"):
        read_runs(Path("results"))


def test_a_calibration_is_not_read_through_a_link(checkout: Path) -> None:
    Path("mine.yaml").touch()
    Path("mine.calibration.json").symlink_to("../outside/a.json")
    system: Any = None
    with nothing_opened(checkout.parent / "outside"), pytest.raises(OutsideError):
        kept("mine.yaml", system)


def test_no_line_is_shown_of_a_link_that_is_called_as_a_place(checkout: Path) -> None:
    name = "helm template agg-gb200"
    Path(name).symlink_to("../outside/a.yaml")
    assert text_of(name) is None
    assert text_of(str(checkout / name)) is None
    Path("elsewhere").symlink_to("..")
    assert text_of("elsewhere/outside/a.yaml") is None


def test_on_a_runner_a_checkout_without_git_is_one_too(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (checkout / ".git" / "config").unlink()
    (checkout / ".git").rmdir()
    Path("link.yaml").symlink_to("../outside/a.yaml")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    with nothing_opened(checkout.parent / "outside"):
        result = run("check", "link.yaml", "--gpu", "b200")
    assert (result.exit_code, "leads out of" in result.stderr) == (2, True)
    monkeypatch.delenv("GITHUB_ACTIONS")
    assert "leads out of" not in run("check", "link.yaml", "--gpu", "b200").stderr


def test_a_person_may_allow_a_folder_and_a_runner_may_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    Path("link.yaml").symlink_to("../outside/a.yaml")
    Path("serve.sh").write_text(f"{SERVE} ../outside/a.yaml\n")
    Path("linked.sh").write_text(f"{SERVE} link.yaml\n")
    allow = ("--allow-read", "../outside")
    assert "--allow-read" in run("check", "serve.sh").stdout
    for name in ("serve.sh", "linked.sh"):
        assert "777123" not in run("show", name).stdout
        assert "777123" in run("show", name, *allow).stdout
        assert "777123" not in run("show", name).stdout
    assert "777123" in run("show", "link.yaml", "--gpu", "b200", *allow).stdout
    assert "777123" in run("import", "serve.sh", "--gpu", "b200", *allow).stdout
    for arguments in (("--format", "github"), ("--format", "github", "--output", "a.txt")):
        result = run("check", "serve.sh", *allow, *arguments)
        assert (result.exit_code, result.stdout) == (2, "")
        assert "does not go with --format github" in result.stderr
    missing = run("show", "serve.sh", "--allow-read", "nowhere")
    assert (missing.exit_code, "nowhere: this is no folder" in missing.stderr) == (2, True)
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    result = run("show", "serve.sh", *allow)
    assert (result.exit_code, "for a person at a terminal" in result.stderr) == (2, True)


def test_hidden_files_of_a_folder_that_is_allowed_stay_unread(checkout: Path) -> None:
    hidden = checkout.parent / "outside" / ".docker"
    hidden.mkdir()
    (hidden / "a.yaml").write_text(PRIVATE)
    Path("serve.sh").write_text(f"{SERVE} ../outside/.docker/a.yaml\n")
    assert "777123" not in run("show", "serve.sh", "--allow-read", "../outside").stdout
    assert "777123" in run("show", "serve.sh", "--allow-read", "../outside/.docker").stdout


def test_a_mounted_config_map_is_read_through_its_links(tmp_path: Path) -> None:
    mounted = tmp_path / "mounted"
    (mounted / "..2026_01_01").mkdir(parents=True)
    (mounted / "..2026_01_01" / "a.yaml").write_text(PRIVATE)
    (mounted / "..data").symlink_to("..2026_01_01")
    (mounted / "a.yaml").symlink_to("..data/a.yaml")
    (mounted / "serve.sh").write_text(f"{SERVE} a.yaml\n")
    assert "777123" in run("show", str(mounted / "serve.sh")).stdout
    assert "777123" in run("show", str(mounted)).stdout


def test_helm_has_no_plugins_that_could_be_asked_for_values(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HELM_PLUGINS", str(tmp_path))
    helm = tmp_path / "helm"
    helm.write_text('#!/bin/sh\nprintf "%s" "$HELM_PLUGINS"\n')
    helm.chmod(0o755)
    assert run_helm(ChartSource("x", ()), [str(helm)]).output == os.devnull
