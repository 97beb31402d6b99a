"""The gates of docs/gitops.md, run step by step in a repository that Argo CD or Flux follows."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
import yaml

from gptoss.facts import folders
from gptoss.text import plain_yaml
from tests.rules.gitops_base import helm_release

if TYPE_CHECKING:
    from pathlib import Path

ROOT = folders.root()
BLOCKS = re.compile(r"```yaml\n(.*?)```", re.DOTALL)
FILE = "serving/release.yaml"
TEMPORARY = "${{ runner.temp }}"


def given(name: str) -> Any:
    """What the page gives for a file of this name."""
    page = (ROOT / "docs" / "gitops.md").read_text(encoding="utf-8")
    (block,) = [each for each in BLOCKS.findall(page) if each.startswith(f"# {name}\n")]
    return plain_yaml.load(block)


def with_values(**values: Any) -> str:
    content = helm_release()
    content["spec"]["values"] |= values
    return yaml.safe_dump(content, sort_keys=False)


def engine(**settings: Any) -> dict[str, Any]:
    return {"workers": {"worker": {"engine": settings}}}


class Gate(NamedTuple):
    """A repository with what is merged, and a change of it that is checked out.

    Attributes:
        checkout: The repository.
        merged: Commit of the branch that is followed.
    """

    checkout: Path
    merged: str

    def runs(self, command: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """A step of a job, as `shell: bash` starts it."""
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", command],
            cwd=self.checkout,
            env={"PATH": os.environ["PATH"], "HOME": str(self.checkout.parent), **environment},
            capture_output=True,
            text=True,
            check=False,
        )

    def on_github(self) -> subprocess.CompletedProcess[str]:
        """Every step of the workflow: its own, and that of the action which checks."""
        runner = self.checkout.parent
        (job,) = given(".github/workflows/gate.yaml")["jobs"].values()
        checkout, worktree, action = job["steps"]
        assert checkout["with"]["fetch-depth"] == 0
        done = self.runs(worktree["run"], RUNNER_TEMP=str(runner), GITHUB_BASE_REF="main")
        assert done.returncode == 0, done.stderr
        declared = plain_yaml.load((ROOT / "action.yml").read_text(encoding="utf-8"))
        inputs = {name: each["default"] for name, each in declared["inputs"].items()}
        assert set(action["with"]) <= set(inputs)
        inputs |= {k: v.replace(TEMPORARY, str(runner)) for k, v in action["with"].items()}
        check = declared["runs"]["steps"][1]
        environment = {
            name: inputs[match[1]]
            for name, text in check["env"].items()
            if (match := re.fullmatch(r"\$\{\{ inputs\.([\w-]+) \}\}", text))
        }
        environment |= {k: v for k, v in check["env"].items() if "${{" not in v}
        environment["GPTOSS"] = str(gptoss(runner))
        return self.runs(check["run"], **environment)

    def on_gitlab(self) -> subprocess.CompletedProcess[str]:
        """The lines of the job from the first on that installs nothing."""
        script = given(".gitlab-ci.yml")["gate"]["script"]
        at = next(n for n, line in enumerate(script) if line.startswith("git worktree"))
        ours = str(gptoss(self.checkout.parent))
        *before, check = [line.replace("/opt/gptoss/bin/gptoss", ours) for line in script[at:]]
        for line in before:
            done = self.runs(line, CI_MERGE_REQUEST_DIFF_BASE_SHA=self.merged)
            assert done.returncode == 0, done.stderr
        return self.runs(check)


def gptoss(folder: Path) -> Path:
    """The command of this checkout."""
    program = folder / "gptoss"
    paths = shlex.quote(str(ROOT / "tools"))
    run = shlex.join([sys.executable, "-m", "gptoss"])
    program.write_text(f'#!/bin/sh\nPYTHONPATH={paths} exec {run} "$@"\n')
    program.chmod(0o755)
    return program


@pytest.fixture
def gate(tmp_path: Path) -> Gate:
    """A repository whose branch main has a release that is right."""
    checkout = tmp_path / "checkout"
    (checkout / "serving").mkdir(parents=True)
    repository = Gate(checkout, "")
    (checkout / FILE).write_text(with_values())
    commands = "git init -q -b main && git add -A && git commit -qm first && git branch change"
    # As a checkout has the branch into which a change is to be merged.
    commands += " && git update-ref refs/remotes/origin/main main && git checkout -q change"
    done = repository.runs(commands, **author())
    assert done.returncode == 0, done.stderr
    return Gate(checkout, repository.runs("git rev-parse main").stdout.strip())


def author() -> dict[str, str]:
    names = ("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL")
    return dict.fromkeys(names, "somebody@example.com")


def proposed(gate: Gate, host: str, content: str) -> subprocess.CompletedProcess[str]:
    """What a host says of a change."""
    (gate.checkout / FILE).write_text(content)
    gate.runs("git commit -qam change", **author())
    done: subprocess.CompletedProcess[str] = getattr(gate, host)()
    return done


@pytest.mark.parametrize("host", ["on_github", "on_gitlab"])
def test_a_change_that_is_right_passes(gate: Gate, host: str) -> None:
    done = proposed(gate, host, with_values(frontend={"replicas": 2}))
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_mistake_in_the_values_of_a_release_is_stopped_at_its_line(gate: Gate) -> None:
    content = with_values(**engine(max_batchsize=512))
    done = proposed(gate, "on_gitlab", content)
    assert done.returncode == 1
    line = content.splitlines().index("          max_batchsize: 512") + 1
    assert f"{FILE}:{line}:" in done.stdout
    assert "did you mean max_batch_size?" in done.stdout
    (found,) = json.loads((gate.checkout / "gl-code-quality-report.json").read_text())
    assert found["location"]["path"] == FILE


def test_what_cannot_be_changed_in_place_is_stopped(gate: Gate) -> None:
    done = proposed(gate, "on_github", with_values(target="disagg-gb200"))
    assert done.returncode == 1
    assert "G050" in done.stdout
