"""Rendered files are written whole or not at all, and nobody else's are replaced."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gptoss.cli.render import render
from gptoss.rendering import Rendered, render_as
from gptoss.rendering.writing import write
from gptoss.sources.request import Request
from gptoss.text import plain_yaml
from gptoss.text.errors import InputError
from gptoss.text.secret_files import holds_secrets
from tests.rendering.forms import ROOT, request

FILES = Rendered({"compose.yaml": "# Written by `gptoss render x`\n", "engine/a.yaml": "a: 1\n"})


def run(*words: str) -> Result:
    return CliRunner().invoke(render, words)


def contents(folder: Path) -> dict[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_text() for path in files}


def test_every_file_is_written_and_nothing_is_left_behind(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    paths = write(FILES, folder)
    assert paths == [folder / "compose.yaml", folder / "engine" / "a.yaml"]
    assert contents(folder) == dict(FILES.files)


@pytest.mark.parametrize(
    "text",
    [
        "env: {DB_PASSWORD: hunter2}\n",
        "spec: {env: [{name: DB_PASSWORD, value: hunter2}]}\n",
        "note: hf_abcdefghijklmnop1234\n",
    ],
)
def test_a_file_with_a_secret_is_for_its_owner_alone(text: str, tmp_path: Path) -> None:
    write(
        Rendered({"values.yaml": text, "other.yaml": "env: {OPENAI_API_KEY: not-used}\n"}), tmp_path
    )
    assert (tmp_path / "values.yaml").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "other.yaml").stat().st_mode & 0o077 != 0


def test_a_rendering_is_written_anew_over_an_older_one(tmp_path: Path) -> None:
    write(FILES, tmp_path)
    write(Rendered({**FILES.files, "engine/a.yaml": "a: 2\n"}), tmp_path)
    assert (tmp_path / "engine" / "a.yaml").read_text() == "a: 2\n"


def test_a_file_of_somebody_else_stays_and_nothing_is_written(tmp_path: Path) -> None:
    (tmp_path / "engine").mkdir()
    (tmp_path / "engine" / "a.yaml").write_text("mine: true\n")
    with pytest.raises(InputError, match=r"engine/a.yaml is there already.*--force"):
        write(FILES, tmp_path)
    assert contents(tmp_path) == {"engine/a.yaml": "mine: true\n"}


def test_force_replaces_it(tmp_path: Path) -> None:
    (tmp_path / "compose.yaml").write_text("services: {}\n")
    write(FILES, tmp_path, force=True)
    assert contents(tmp_path) == dict(FILES.files)


def test_nothing_is_written_where_a_folder_is_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "engine").write_text("a file\n")
    with pytest.raises(InputError, match=r"cannot write .*engine"):
        write(FILES, tmp_path)
    assert contents(tmp_path) == {"engine": "a file\n"}


@pytest.mark.parametrize("target", ["../elsewhere", "../elsewhere/new"])
def test_a_folder_that_is_a_link_to_elsewhere_is_refused(target: str, tmp_path: Path) -> None:
    folder, elsewhere = tmp_path / "r", tmp_path / "elsewhere"
    folder.mkdir()
    elsewhere.mkdir()
    (folder / "engine").symlink_to(target)
    with pytest.raises(InputError, match=r"r/engine is a link that leads elsewhere"):
        write(FILES, folder, force=True)
    assert not list(elsewhere.iterdir())
    assert not (folder / "compose.yaml").exists()


@pytest.mark.parametrize("force", [False, True])
def test_a_file_that_is_a_link_is_in_the_way_and_never_followed(
    force: bool, tmp_path: Path
) -> None:
    folder, mine = tmp_path / "r", tmp_path / "mine.yaml"
    folder.mkdir()
    mine.write_text("mine: true\n")
    (folder / "compose.yaml").symlink_to(mine)
    if force:
        write(FILES, folder, force=True)
        assert contents(folder) == dict(FILES.files)
    else:
        with pytest.raises(InputError, match=r"compose\.yaml is there already"):
            write(FILES, folder)
    assert mine.read_text() == "mine: true\n"


def test_a_pipe_in_the_way_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "compose.yaml")
    with pytest.raises(InputError, match=r"compose\.yaml is there already"):
        write(FILES, tmp_path)


def test_scripts_are_executable_and_others_are_not(tmp_path: Path) -> None:
    write(Rendered({"launch.sh": "#!/bin/sh\n", "a.yaml": "a: 1\n"}), tmp_path)
    assert os.access(tmp_path / "launch.sh", os.X_OK)
    assert not (tmp_path / "a.yaml").stat().st_mode & 0o111


def test_files_have_the_permissions_that_the_user_gives_new_files(tmp_path: Path) -> None:
    write(FILES, tmp_path)
    (tmp_path / "plain").touch()
    assert (tmp_path / "compose.yaml").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_a_form_of_one_file_goes_to_standard_output() -> None:
    for form in ("manifests", "values"):
        done = run("disagg-b200", "--as", form)
        assert done.exit_code == 0
        assert done.stdout.startswith("# Written by `gptoss render disagg-b200 --as")


def test_the_charts_scripts_that_speak_of_secrets_are_none() -> None:
    printed = run("agg-b200-tuned", "--as", "manifests")
    assert printed.exit_code == 0
    assert not holds_secrets(printed.stdout)
    refused = run(
        "agg-b200-tuned", "--as", "manifests", "--set", "frontend.env.DB_PASSWORD=Hunter2"
    )
    assert refused.exit_code != 0
    assert "Hunter2" not in refused.output


def test_a_form_of_several_files_asks_where_to_write() -> None:
    for form in ("compose", "kustomize"):
        done = run("disagg-b200", "--as", form)
        assert isinstance(done.exception, InputError)
        assert "--output DIR" in str(done.exception)
        assert not done.stdout


def test_the_command_says_what_it_wrote(tmp_path: Path) -> None:
    done = run("disagg-gb200", "--as", "shell", "--output", str(tmp_path / "out"))
    assert done.exit_code == 0
    written = [Path(line) for line in done.stdout.splitlines()]
    assert tmp_path / "out" / "launch.sh" in written
    assert all(path.is_file() for path in written)
    assert "note: disagg-gb200 takes 5 GPUs" in done.stderr


@pytest.mark.parametrize("form", ["compose", "shell"])
@pytest.mark.parametrize("given", ["{--api-key,hunter2}", "{--api-key=hunter2}"])
def test_a_secret_on_a_command_line_is_refused_without_being_said(form: str, given: str) -> None:
    asked = request("serve-h100-2", f"benchmark.extraArgs={given}")
    with pytest.raises(InputError, match="after --api-key, and is not written") as refused:
        render_as(form, asked)
    assert "hunter2" not in str(refused.value)


def called(folder: Path, name: str) -> Request:
    """A target whose one worker has this name."""
    text = (ROOT / "values" / "agg-gb200.yaml").read_text(encoding="utf-8")
    values = folder / f"{name}.yaml"
    values.write_text(text.replace("\n  worker:\n", f'\n  "{name}":\n'), encoding="utf-8")
    return Request((str(values),))


@pytest.mark.parametrize("form", ["compose", "shell"])
@pytest.mark.parametrize("name", ["smoke", "etcd", "wait", "all", "machine-1"])
def test_a_worker_called_like_another_part_is_refused(form: str, name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=rf"workers\.{name}: .*give the worker another name"):
        render_as(form, called(tmp_path, name))


def test_workers_whose_replicas_are_called_alike_are_refused(tmp_path: Path) -> None:
    text = (ROOT / "values" / "disagg-b200.yaml").read_text(encoding="utf-8")
    values = tmp_path / "alike.yaml"
    values.write_text(text.replace("\n  decode:\n", "\n  prefill-0:\n"), encoding="utf-8")
    asked = Request((str(values),), settings=("workers.prefill.replicas=2",))
    with pytest.raises(InputError, match=r"workers\.prefill.*give the worker another name"):
        render_as("shell", asked)


@pytest.mark.parametrize("name", ["null", "true", "no", "y"])
def test_a_worker_called_like_a_word_of_yaml_is_a_service_of_that_name(
    name: str, tmp_path: Path
) -> None:
    text = render_as("compose", called(tmp_path, name)).files["compose.yaml"]
    service = plain_yaml.load(text)["services"][name]
    assert service["labels"] == {"gpt-oss.worker": name}
