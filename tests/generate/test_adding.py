"""What docs/extending.md says, carried out on a copy of the repository."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
ENTRY = re.compile(r"<!-- (append to|create) (\S+) -->\n```\w+\n(.*?)```", re.DOTALL)
# `make verify` compares what commands print; here only facts and rules are added.
PRINTED = re.compile(r"<!-- output: .*?<!-- end of output -->\n", re.DOTALL)
RUN = re.compile(r"<!-- run -->\n```console\n(.*?)```", re.DOTALL)
COMMANDS = "".join(RUN.findall(GUIDE)).splitlines()
# What each command of the guide has to say.
TOLD = (
    "on NVIDIA B300 AUTO picks TRTLLM",
    "NVIDIA-B300",
    "1 deployment checked",
    "-> 1.7.0",
    "1.3.0rc32",
    "E099",
    "answers come in pieces of 500 tokens [E099]",
)
COPIED = ("charts", "docs", "examples", "schema", "tests", "tools", "values")
OLD, NEW = "--publish-kv-events", "--publish-kv-cache-events"
# What has to pass where there are more facts and rules: a part of the tests that is quick.
TESTS = (
    "tests/generate/test_engine_schema.py",
    "tests/generate/test_validators.py",
    "tests/facts",
    "tests/rules/test_flags.py",
    "tests/rules/test_rules.py",
    "-k",
    "E099 or not test_rules",
)


class Copy:
    """A copy of the repository that shares its environment and tools."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in COPIED:
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / name, folder / name, symlinks=True, ignore=ignored)
        for file in (entry for entry in ROOT.iterdir() if entry.is_file()):
            shutil.copy(file, folder / file.name)
        for page in (folder / "docs").glob("*.md"):
            page.write_text(PRINTED.sub("", page.read_text(encoding="utf-8")), encoding="utf-8")
        (folder / "engine_configs").symlink_to((ROOT / "engine_configs").readlink())
        for name in (".venv", ".tools", "requirements"):
            (folder / name).symlink_to(ROOT / name)

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Runs a module of the copy."""
        path = f"{self.folder / 'tools'}{os.pathsep}{self.folder}"
        return subprocess.run(
            [sys.executable, "-m", *words],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=False,
        )


def test_the_guide_adds_a_gpu_a_release_and_a_rule() -> None:
    assert [file.rpartition("/")[2] for _, file, _ in ENTRY.findall(GUIDE)] == [
        "hardware.yaml",
        "releases.yaml",
        "streaming.py",
        "E099.txt",
        "E099.yaml",
    ]


def test_every_link_of_the_guide_leads_to_a_file() -> None:
    for link in re.findall(r"\]\((?!https?:|#)([^)#]+)\)", GUIDE):
        assert (ROOT / "docs" / link).exists(), link


def test_what_the_guide_says_is_all_there_is_to_do(tmp_path: Path) -> None:
    copy = Copy(tmp_path)
    for how, file, text in ENTRY.findall(GUIDE):
        with (copy.folder / file).open("x" if how == "create" else "a", encoding="utf-8") as opened:
            opened.write(text)
    generated = copy.run("generate")
    assert generated.returncode == 0, generated.stderr
    with ThreadPoolExecutor() as pool:
        tested = pool.submit(copy.run, "pytest", "-q", "-p", "no:cacheprovider", *TESTS)
        for command, told in zip(COMMANDS, TOLD, strict=True):
            done = copy.run(*shlex.split(command))
            assert done.returncode in (0, 1), done.stderr
            assert told in done.stdout, command
        the_renamed_flag_is_found_and_renamed(copy)
    assert tested.result().returncode == 0, tested.result().stdout


def the_renamed_flag_is_found_and_renamed(copy: Copy) -> None:
    target = ("agg-gb200", "--set", "frontend.routerMode=kv", "--as", "manifests")
    before = copy.run("gptoss", "render", *target, "--release", "1.6.1").stdout
    assert OLD in before
    manifests = copy.folder / "manifests.yaml"
    manifests.write_text(before)
    steps = copy.run("gptoss", "upgrade", "manifests.yaml", "--to", "1.7.0", "--write").stdout
    assert f"{OLD} is gone since release 1.7; release 1.7.0 stops at it" in steps
    assert manifests.read_text().count(NEW) == before.count(OLD)
    assert OLD not in manifests.read_text()
    checked = copy.run("gptoss", "check", "manifests.yaml", "--format", "json")
    found = {finding["rule"] for finding in json.loads(checked.stdout)["findings"]}
    assert not found & {"R001", "R006", "S008"}
