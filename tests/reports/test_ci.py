"""What CI systems and shells are given to use gptoss is right."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.shell_completion import ShellComplete
from click.testing import CliRunner

from gptoss.checking.config import find_config
from gptoss.checking.written_suppressions import COMMENT
from gptoss.cli import main
from gptoss.cli.printing import paint
from gptoss.facts import folders
from gptoss.reports import FORMATS
from gptoss.rules.rule import RULES
from gptoss.showing.targets import rows
from gptoss.text import plain_yaml

ROOT = folders.root()
PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")


@cache
def options() -> set[str]:
    text = CliRunner().invoke(main, ["check", "--help"]).output
    return set(OPTION.findall(text))


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def documents(name: str) -> Any:
    (block,) = [block for block in blocks("yaml") if block.startswith(f"# {name}\n")]
    return plain_yaml.load(block)


def action() -> Any:
    return plain_yaml.load((ROOT / "action.yml").read_text(encoding="utf-8"))


def hooks() -> Any:
    return plain_yaml.load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))


def test_the_hook_s_command_and_arguments_exist() -> None:
    (hook,) = hooks()
    assert shlex.split(hook["entry"]) == ["gptoss", "check"]
    assert hook["language"] == "python"
    ((repo,),) = documents(".pre-commit-config.yaml").values()
    (used,) = repo["hooks"]
    assert used["id"] == hook["id"]
    assert {a for a in used["args"] if a.startswith("--")} <= options()


def test_the_action_passes_only_inputs_and_options_that_exist() -> None:
    declared = action()
    install, check = declared["runs"]["steps"]
    assert set(OPTION.findall(check["run"])) <= options()
    passed = re.findall(r"inputs\.([\w-]+)", yaml.safe_dump(declared["runs"]))
    assert sorted(passed) == sorted(declared["inputs"])
    # What a user wrote never becomes a part of a script.
    assert "${{" not in install["run"] + check["run"]
    assert declared["inputs"]["format"]["default"] in FORMATS
    for input_ in declared["inputs"].values():
        assert input_["description"].endswith(".")
        assert "default" in input_
    (workflow,) = [b for b in blocks("yaml") if "github/workflows" in b]
    steps = plain_yaml.load(workflow)["jobs"]["gptoss"]["steps"]
    (used,) = [step for step in steps if step["uses"].startswith("OWNER/")]
    assert set(used["with"]) <= set(declared["inputs"])


def test_the_action_installs_what_is_in_the_repository() -> None:
    install = action()["runs"]["steps"][0]["run"]
    for path in re.findall(r"\$ACTION/([\w./-]+)", install):
        assert (ROOT / path).is_file()


def step(tmp_path: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """Runs the action's step with a program that prints its arguments in gptoss's place."""
    program = tmp_path / "gptoss"
    program.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\nexit 1\n')
    program.chmod(0o755)
    declared = action()
    environment = {"PATH": os.environ["PATH"], "GPTOSS": str(program)}
    for name, value in declared["inputs"].items():
        variable = name.upper().replace("-", "_")
        environment[variable] = inputs.get(variable.lower(), value["default"])
    script = declared["runs"]["steps"][1]["run"]
    # As GitHub starts `shell: bash`.
    argv = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    return subprocess.run(argv, env=environment, capture_output=True, text=True, check=False)


def test_the_action_gives_each_line_as_one_argument(tmp_path: Path) -> None:
    done = step(
        tmp_path,
        sources="deploy dir/\n-\n\n$(touch x)\n",
        values="a.yaml\nb.yaml",
        release="1.3.1",
        against="old.yaml",
        output="x.sarif",
        suppressions="base:origin/main",
    )
    words = done.stdout.splitlines()
    before = words.index("--")
    assert shlex.join(words[:before]) == (
        "check --fail-on error --format github --suppressions base:origin/main "
        "--release 1.3.1 --against old.yaml "
        "--values a.yaml --values b.yaml --output x.sarif"
    )
    assert words[before + 1 :] == ["deploy dir/", "-", "$(touch x)"]
    assert done.returncode == 1


BACKEND = """\
import zipfile

def build_wheel(folder, config_settings=None, metadata_directory=None):
    files = {
        "gptoss.py": "def main(): print('gptoss ran')\\n",
        "gptoss-1.dist-info/METADATA": "Metadata-Version: 2.1\\nName: gptoss\\nVersion: 1\\n",
        "gptoss-1.dist-info/WHEEL": "Wheel-Version: 1.0\\nTag: py3-none-any\\n",
        "gptoss-1.dist-info/entry_points.txt": "[console_scripts]\\ngptoss = gptoss:main\\n",
        "gptoss-1.dist-info/RECORD": "",
    }
    with zipfile.ZipFile(f"{folder}/gptoss-1-py3-none-any.whl", "w") as wheel:
        for name, text in files.items():
            wheel.writestr(name, text)
    return "gptoss-1-py3-none-any.whl"
"""
BUILD = '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
# Modules that Python, venv and pip import, were they looked for in the current folder.
IMPORTED = ("venv", "sitecustomize", "usercustomize", "logging", "ensurepip", "pip", "gptoss", "re")
PROGRAMS = ("python3", "python", "pip", "helm", "git", "gptoss")
CONFIGURED = ("pip.conf", "pip.ini", "setup.cfg", ".pydistutils.cfg", "pyproject.toml")


def hostile(checkout: Path, ran: Path, *, as_packages: bool) -> None:
    """Fills a checkout with what Python, pip and a shell might run or take for configuration."""
    for name in IMPORTED:
        file = checkout / name / "__main__.py" if as_packages else checkout / f"{name}.py"
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"open({str(ran)!r}, 'a').write({name!r})\n")
        if as_packages:
            (file.parent / "__init__.py").write_text(file.read_text())
    for name in PROGRAMS:
        program = checkout / name if not as_packages else checkout / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(f"#!/bin/sh\necho {name} >>{shlex.quote(str(ran))}\n")
        program.chmod(0o755)
    line = f"import os; os.system('touch {ran}')\n"
    (checkout / "hostile.pth").write_text(line)
    for name in CONFIGURED:
        (checkout / name).write_text("[global]\nindex-url = http://127.0.0.1:9\ntarget = .\n")


@pytest.mark.parametrize("as_packages", [False, True])
def test_the_action_runs_nothing_that_lies_in_the_checkout(
    as_packages: bool, tmp_path: Path
) -> None:
    action_path, checkout, ran = tmp_path / "action", tmp_path / "checkout", tmp_path / "ran"
    runner = tmp_path / "runner"
    for folder in (action_path / "requirements", checkout, runner):
        folder.mkdir(parents=True)
    (action_path / "requirements" / "core.txt").touch()
    (action_path / "pyproject.toml").write_text(BUILD)
    (action_path / "backend.py").write_text(BACKEND)
    hostile(checkout, ran, as_packages=as_packages)
    venv = runner / "gptoss"
    given = {"ACTION": str(action_path), "VENV": str(venv), "GPTOSS": str(venv / "bin" / "gptoss")}
    install, check = action()["runs"]["steps"]
    assert install["working-directory"] == "${{ runner.temp }}"
    # Worse than on GitHub, where the first step runs outside the checkout, but for the PATH.
    for each, path in ((install, ""), (check, ".::bin:")):
        # A workflow may set them for steps of its own.
        environment = {"HOME": str(tmp_path), "PYTHONPATH": ".", "PYTHONHOME": "."}
        environment |= {k: v for k, v in each["env"].items() if "${{" not in v} | given
        environment |= dict.fromkeys(("SOURCES", "VALUES", "RELEASE", "AGAINST", "OUTPUT"), "")
        environment |= {"FAIL_ON": "error", "FORMAT": "text", "SUPPRESSIONS": "all"}
        environment["PATH"] = path + os.environ["PATH"]
        argv = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", each["run"]]
        done = subprocess.run(
            argv, cwd=checkout, env=environment, capture_output=True, text=True, check=False
        )
        assert not ran.exists(), f"{each['name']} ran {ran.read_text()}"
        assert done.returncode == 0, done.stderr
    assert done.stdout == "gptoss ran\n"


def test_the_action_installs_nothing_that_is_not_pinned_by_hash() -> None:
    install = action()["runs"]["steps"][0]["run"]
    installs = [line for line in install.splitlines() if "${pip[@]}" in line]
    assert len(installs) == 2
    assert all("--require-hashes" in line or "--no-deps" in line for line in installs)
    pinned = (ROOT / "requirements" / "core.txt").read_text(encoding="utf-8")
    packages = re.findall(r"^[\w.-]+==.*(?:\n +.*)*", pinned, re.MULTILINE)
    assert packages
    assert all("--hash=sha256:" in package for package in packages)


def test_the_action_without_inputs_checks_every_target(tmp_path: Path) -> None:
    words = "check --fail-on error --format github --suppressions all --"
    assert " ".join(step(tmp_path).stdout.split()) == words


def test_the_gitlab_job_uses_options_and_files_that_fit() -> None:
    job = documents(".gitlab-ci.yml")["gptoss"]
    (command,) = [line for line in job["script"] if line.startswith("gptoss")]
    words = shlex.split(command)
    assert {word for word in words if word.startswith("--")} <= options()
    written = {words[at + 1] for at, word in enumerate(words) if word == "--output"}
    assert written == set(job["artifacts"]["reports"].values())


@pytest.mark.parametrize(
    "command",
    [line for block in blocks("console") for line in block.splitlines() if "as-found" in line],
)
def test_every_report_of_the_page_is_written(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    (tmp_path / "dist").mkdir()
    monkeypatch.chdir(tmp_path)
    program, *arguments = shlex.split(command)
    assert program == "gptoss"
    result = CliRunner().invoke(main, arguments, catch_exceptions=False)
    assert result.exit_code == 1, result.output
    files = [arguments[at + 1] for at, word in enumerate(arguments) if word == "--output"]
    assert all(Path(file).stat().st_size for file in files)


def test_the_page_names_every_format_and_every_link_leads_somewhere() -> None:
    assert re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE) == list(FORMATS)
    for link in re.findall(r"\]\(([^)#]+)\)", PAGE):
        assert (ROOT / "docs" / link).exists()


def test_the_page_s_suppressions_are_read_as_such(tmp_path: Path) -> None:
    comments = [
        line for block in blocks("yaml") for line in block.splitlines() if "gptoss:" in line
    ]
    comments = [line for line in comments if "#" in line]
    assert len(comments) == 3
    for line in comments:
        match = COMMENT.search(line)
        assert match
        assert " because " in match["rest"]
        assert set(re.findall(r"\b[A-Z]\d{3}\b", match["rest"])) <= set(RULES)
    (toml,) = blocks("toml")
    yaml_block = next(b for b in blocks("yaml") if b.startswith("# .gptoss.yaml"))
    assert tomllib.loads(toml)["tool"]["gptoss"] == plain_yaml.load(yaml_block)
    (tmp_path / ".gptoss.yaml").write_text(yaml_block)
    ignores = find_config(tmp_path).ignores
    assert {ignore.rule for ignore in ignores} <= set(RULES)
    assert [ignore.paths for ignore in ignores] == [(), ("values/lab-*.yaml",)]


def completed(*arguments: str) -> list[tuple[str, str]]:
    *before, incomplete = arguments
    shell = ShellComplete(main, {}, "gptoss", "_GPTOSS_COMPLETE")
    return [(item.type, item.value) for item in shell.get_completions(before, incomplete)]


def test_the_shell_completes_targets_files_and_rules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    targets = [("plain", row["name"]) for row in rows() if row["kind"] == "target"]
    assert completed("check", "") == targets
    assert completed("check", "agg-g") == [("plain", "agg-gb200")]
    assert completed("check", "deploy/") == [("file", "deploy/")]
    (tmp_path / "agg-g.yaml").touch()
    assert completed("check", "agg-g") == [("plain", "agg-gb200"), ("plain", "agg-g.yaml")]
    assert completed("explain", "d00")[:2] == [("plain", "D001"), ("plain", "D002")]
    assert completed("explain", "transceiver-buffer-not") == [
        ("plain", "transceiver-buffer-not-whole-blocks")
    ]


def test_the_shell_completes_values_of_options() -> None:
    overlays = [("plain", row["name"]) for row in rows() if row["kind"] == "overlay"]
    assert completed("check", "-f", "") == overlays
    assert completed("check", "--release", "1.2") == [("plain", "1.2.1")]
    assert ("plain", "gb200") in completed("check", "--gpu", "g")
    assert completed("check", "--against", "agg-g") == [("plain", "agg-gb200")]
    assert completed("check", "--output", "x") == [("file", "x")]
    assert completed("schema", "engine", "--release", "1.2") == [("plain", "1.2.1")]


def test_no_color_is_kept_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    assert paint("text", "error") != "text"
    monkeypatch.setenv("NO_COLOR", "1")
    assert paint("text", "error") == "text"


def test_rules_lists_every_rule_within_a_hundred_columns() -> None:
    text = CliRunner().invoke(main, ["rules"]).output
    assert max(len(line) for line in text.splitlines()) <= 100
    words = " ".join(text.split())
    for rule in RULES.values():
        assert f"{rule.id} {rule.severity.word} {rule.name} " in words
        assert rule.summary.replace("``", "`") in words
    listed = json.loads(CliRunner().invoke(main, ["rules", "--format", "json"]).output)
    assert [row["id"] for row in listed] == sorted(RULES)
