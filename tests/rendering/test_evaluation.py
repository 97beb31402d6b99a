"""The evaluation outside Kubernetes is the one that the chart's Job runs."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gptoss.rendering import render_as
from gptoss.rendering.writing import write
from tests.rendering.forms import (
    EVALUATION,
    ON_ONE_MACHINE,
    compose,
    judged,
    read_back,
    rendered,
    request,
    target,
)

if TYPE_CHECKING:
    from gptoss.deployment.model import Deployment
    from gptoss.rendering import Rendered
    from tests.oracles.client import Oracle

EVAL = [name for name in ON_ONE_MACHINE if name.startswith("eval-")]
KINDS = ["disagg-b200-node", "eval-tp8-b200"]
EACH_KIND = pytest.mark.parametrize("name", KINDS)
# In place of gpt_oss.evals: writes its scores where the real one does, and says how it was called.
EVALS = """
import json, os, pathlib, sys
told = {"words": sys.argv[1:], "key": os.environ["OPENAI_API_KEY"]}
pathlib.Path("/tmp", f"stand-in-{os.getpid()}_temp1.0_0.json").write_text(json.dumps(told))
sys.exit(3)
"""


def told(deployment: Deployment) -> list[tuple[str, str]]:
    return [(found.rule.id, found.message) for found in judged(deployment).findings]


def argv(name: str) -> list[str]:
    """The words of the chart's Job."""
    accuracy = target(name, *EVALUATION).accuracy
    assert accuracy
    return [word.value for word in accuracy.pod.commands[0].words]


@EACH_KIND
def test_the_compose_service_is_the_job_with_another_address(name: str) -> None:
    service = compose(name, *EVALUATION)["services"]["accuracy"]
    words, expected = [*service["entrypoint"], *service["command"]], argv(name)
    at = expected.index("--base-url") + 1
    server = "frontend" if name.startswith("disagg") else "server"
    assert words[at] == f"http://{server}:8000/v1"
    assert [*words[:at], *words[at + 1 :]] == [*expected[:at], *expected[at + 1 :]]
    assert service["image"] == "gpt-oss-evals:0.0.9"
    assert service["profiles"] == ["accuracy"]
    assert "./accuracy:/artifacts" in service["volumes"]
    assert server in service["depends_on"]


@EACH_KIND
def test_without_the_setting_neither_form_has_it(name: str) -> None:
    assert "accuracy" not in compose(name)["services"]
    assert "gpt_oss.evals" not in rendered("shell", name).files["launch.sh"]


@pytest.mark.parametrize("form", ["compose", "shell"])
@pytest.mark.parametrize("name", EVAL)
def test_the_check_sees_the_evaluation_and_finds_nothing_new(
    name: str, form: str, tmp_path: Path, evals_oracle: Oracle
) -> None:
    back = read_back(rendered(form, name, *EVALUATION), tmp_path)
    assert back.accuracy
    assert [effort.value for effort in back.accuracy.efforts] == ["low", "medium"]
    words = [word.value for word in back.accuracy.command.words]
    verdict = evals_oracle.ask("evals", words[words.index("gpt_oss.evals") + 1 :])
    assert verdict.ok, verdict.error
    without = read_back(rendered(form, name), tmp_path)
    assert told(back) == told(without)


def launched(found: Rendered, folder: Path, script: str, **given: str) -> tuple[int, str, Path]:
    """Exit code, what it said, and folder of a script that evaluates."""
    write(found, folder)
    environment = {"PATH": os.environ["PATH"], "HTTP_PORT": "8123"} | given
    words = ["bash", str(folder / script), *(["accuracy"] if script == "launch.sh" else [])]
    done = subprocess.run(
        words, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=60
    )
    return done.returncode, done.stderr, folder / "accuracy"


@EACH_KIND
@pytest.mark.parametrize("part", [None, "accuracy"])
def test_the_script_evaluates_as_the_job_does_and_keeps_the_scores(
    name: str, part: str | None, tmp_path: Path
) -> None:
    module = tmp_path / "modules" / "gpt_oss"
    module.mkdir(parents=True)
    (module / "evals.py").write_text(EVALS)
    settings = EVALUATION if part is None else ()
    found = render_as("shell", request(name, *settings), part)
    script = next(iter(found.files))
    code, said, scores = launched(found, tmp_path, script, PYTHONPATH=str(module.parent))
    assert (code, said) == (3, "")
    (kept,) = scores.glob("*/stand-in*")
    Path("/tmp", kept.name).unlink()  # noqa: S108 (where gpt_oss.evals writes)
    expected = argv(name)
    expected = expected[expected.index("gpt_oss.evals") + 1 :]
    expected[expected.index("--base-url") + 1] = "http://127.0.0.1:8123/v1"
    assert kept.read_text() == f'{{"words": {expected}, "key": "not-used"}}'.replace("'", '"')


def test_where_gpt_oss_is_missing_it_says_what_to_type(tmp_path: Path) -> None:
    found = rendered("shell", "eval-tp8-b200", *EVALUATION)
    code, said, _ = launched(found, tmp_path, "launch.sh", PYTHONPATH="")
    assert code == 127
    assert "inside gpt-oss-evals:0.0.9, or type, with Python 3.12: pip install " in said


def test_the_part_takes_the_image_that_the_target_names() -> None:
    named = "accuracy.image=registry.internal/evals:1"
    found = render_as("shell", request("eval-tp8-b200", named), "accuracy")
    assert "registry.internal/evals:1" in found.files["accuracy.sh"]
