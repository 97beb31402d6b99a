"""docs/planning.md takes somebody from GPUs and a traffic to a deployment, by its commands."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.chart.rendering import ROOT
from tests.live.test_tutorial import free_port, typed

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.live

PAGE = (ROOT / "docs" / "planning.md").read_text(encoding="utf-8")
WALK = re.compile(
    r"^## From a traffic to a values file\n.*?```sh\n(.*?)```", re.DOTALL | re.MULTILINE
)


def test_the_walk_ends_with_a_deployment_that_answers_and_renders(tmp_path: Path) -> None:
    found = WALK.search(PAGE)
    assert found
    tune, check, plan, simulate, install = found[1].splitlines()

    def said(command: str) -> str:
        done = typed(command, tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    chosen = re.search(
        r"^Choice: .* at 300 clients: ([\d,]+) tokens/s/GPU", said(tune), re.MULTILINE
    )
    assert chosen
    assert f"at 300 clients: {chosen[1]} tokens/s/GPU" in (tmp_path / "mine.yaml").read_text()
    assert not re.search(r"\berror|\bwarning", said(check))
    rows = dict(re.findall(r"^ +(150|300|600) +([\d,]+) ", said(plan), re.MULTILINE))
    assert list(rows) == ["150", "300", "600"]
    assert rows["300"] == chosen[1]
    asked = said(f"{simulate} --port {free_port()}")
    assert re.search(r"^passed +tools-auto", asked, re.MULTILINE)
    assert "0 failed" in asked
    rendered = install.replace("install", "template", 1).replace("charts/", f"{ROOT}/charts/")
    assert "kind: DynamoGraphDeployment" in said(rendered)
