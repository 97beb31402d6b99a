"""Where the weights lie: a volume, a cache of the host, or a plain folder, without an edit."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

import pytest

from gptoss.comparing.compare import compare
from gptoss.rules.rule import Severity
from tests.rendering.forms import SPREAD, TARGETS, compose, judged, read_back, rendered, target

if TYPE_CHECKING:
    from pathlib import Path

    from gptoss.deployment.model import Deployment

VOLUME = "gpt-oss-models"
CACHE = "${MODELS:-models}:/opt/models"
FOLDER = "${MODEL_DIR:-models}:/model"
KINDS = ["disagg-b200-node", "serve-latency-b200"]
EACH_KIND = pytest.mark.parametrize("name", KINDS)


def mounted(deployment: Deployment) -> dict[str, str | None]:
    """What the first worker sees, by path."""
    return {mount.path: mount.claim for mount in deployment.workers[0].pod.mounts}


def docker_lines(text: str) -> list[list[str]]:
    """The docker commands in the head of a launch script."""
    head = re.sub(r"\\\n# +", "", text.partition("\nset -euo")[0])
    return [shlex.split(line[1:]) for line in head.splitlines() if line.startswith("#   docker ")]


def test_every_target_and_form_shares_one_volume() -> None:
    for name in TARGETS:
        if name not in SPREAD:
            assert compose(name)["volumes"]["models"] == {"name": f"${{MODELS_VOLUME:-{VOLUME}}}"}
        lines = docker_lines(rendered("shell", name).files["launch.sh"])
        with_weights = [words for words in lines if any("/opt/models" in word for word in words)]
        assert len(with_weights) >= 2
        for words in with_weights:
            assert f"${{MODELS:-{VOLUME}}}:/opt/models" in words


@EACH_KIND
def test_an_existing_claim_is_a_volume_that_nobody_makes(name: str) -> None:
    claim = "modelCache.existingClaim=weights"
    assert compose(name, claim)["volumes"]["models"] == {"name": "weights", "external": True}
    text = rendered("shell", name, claim).files["launch.sh"]
    assert '-v "${MODELS:-weights}":/opt/models' in text
    assert VOLUME not in text


@EACH_KIND
def test_what_reads_the_cache_also_sees_a_plain_folder_and_the_download_may_fill_it(
    name: str,
) -> None:
    services = compose(name)["services"]
    with_cache = [
        service
        for service in services.values()
        if any("/opt/models" in volume for volume in service.get("volumes", []))
    ]
    assert len(with_cache) >= 3
    for service in with_cache:
        mode = "" if service is services["download"] else ":ro"
        assert service["volumes"][:2] == [f"{CACHE}{mode}", f"{FOLDER}{mode}"]
    assert services["download"]["environment"]["MODEL_DIR"] == "${MODEL_DIR:+/model}"
    assert [n for n, s in services.items() if "MODEL_DIR" in s.get("environment", {})] == [
        "download"
    ]


@pytest.mark.parametrize(
    ("variables", "seen"),
    [
        ("", {"/opt/models": "models", "/model": "models"}),
        ("MODELS=/data/hf\n", {"/opt/models": "/data/hf", "/model": "models"}),
        ("MODEL_DIR=/data/gpt\n", {"/opt/models": "models", "/model": "/data/gpt"}),
    ],
)
@EACH_KIND
def test_the_check_reads_the_same_deployment_wherever_the_weights_lie(
    name: str, variables: str, seen: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / ".env").write_text(variables)
    back = read_back(rendered("compose", name), tmp_path)
    assert mounted(back).items() >= seen.items()
    assert compare(target(name), back) == []
    assert [f for f in judged(back).findings if f.rule.severity > Severity.INFO] == []


@EACH_KIND
def test_the_head_of_either_form_says_how(name: str) -> None:
    text = rendered("compose", name).files["compose.yaml"]
    for head in (text.partition("\nname:")[0], rendered("shell", name).files["launch.sh"]):
        assert "#   MODELS=~/.cache/huggingface " in head
        assert "#   MODEL_DIR=/data/gpt-oss-120b " in head
