"""Promises of ``gptoss images``: nothing that a deployment pulls is left out."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from gptoss.cli import main
from gptoss.facts.world import Facts
from gptoss.sources.chart.helm import find_helm, render
from gptoss.sources.request import Request, plan_of

if TYPE_CHECKING:
    from pathlib import Path

MANIFESTS = """\
apiVersion: v1
kind: List
items:
  - apiVersion: nvidia.com/v1beta1
    kind: DynamoGraphDeployment
    metadata: {name: graph}
    spec:
      components:
        - name: worker
          podTemplate:
            spec:
              initContainers: [{name: wait, image: registry/wait:1}]
              containers: [{name: main, image: registry/runtime:1.3.1}, {name: log, image: log:2}]
              volumes: [{name: weights, image: {reference: "registry/weights:3"}}]
---
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: older}
spec:
  services:
    Frontend:
      frontendSidecar: {image: registry/sidecar:4}
      extraPodSpec: {mainContainer: {image: registry/runtime:1.3.1}}
"""
COMPOSE = "services: {frontend: {image: registry/runtime:1.3.1}, log: {image: log:2}}\n"


def images(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(main, ["images", *arguments], input=stdin, catch_exceptions=False)


def listed(*arguments: str, stdin: str | None = None) -> dict[str, list[str]]:
    found = json.loads(images(*arguments, "--format", "json", stdin=stdin).stdout)
    return {each["image"]: each["used_by"] for each in found}


@pytest.mark.parametrize("target", ["disagg-gb200", "serve-latency-b200"])
def test_every_image_of_a_target_is_listed_with_what_uses_it(target: str) -> None:
    mirror = ("--set", "tests.image=registry/python:3.13")
    found = listed(target, *mirror)
    (chart,) = plan_of(Request((target,), settings=(mirror[1],))).charts
    rendered = render(chart, find_helm()).output
    assert set(re.findall(r'(?m)^\s*(?:- )?image: "?([^"\s]+)', rendered)) == set(found)
    assert [user for user in found["registry/python:3.13"] if user.endswith("(helm test)")]
    assert any(
        user.startswith("Job gpt-oss-benchmark") for users in found.values() for user in users
    )


def test_containers_and_volumes_of_manifests_are_listed() -> None:
    assert listed("-", stdin=MANIFESTS) == {
        "log:2": ["worker"],
        "registry/runtime:1.3.1": ["Frontend", "worker"],
        "registry/sidecar:4": ["Frontend"],
        "registry/wait:1": ["worker"],
        "registry/weights:3": ["worker"],
    }


def test_services_of_a_compose_file_are_listed_one_a_line(tmp_path: Path) -> None:
    file = tmp_path / "compose.yaml"
    file.write_text(COMPOSE, encoding="utf-8")
    lines = images(str(file)).stdout.splitlines()
    assert [re.split(r"\s{2,}", line) for line in lines] == [
        ["log:2", "no digest confirmed", "log"],
        ["registry/runtime:1.3.1", "no digest confirmed", "frontend"],
    ]


def test_a_digest_is_the_reference_s_own_or_the_one_that_others_have_published() -> None:
    own = f"sha256:{'0' * 64}"
    compose = {"a": f"nats:2.11.4-alpine@{own}", "b": "nats:2.11.4-alpine", "c": "nats:2"}
    services = {name: {"image": image} for name, image in compose.items()}
    known = Facts().digests["docker.io/library/nats:2.11.4-alpine"]
    asked = images("-", "--format", "json", stdin=json.dumps({"services": services}))
    found = {e["image"]: (e["digest"], e["seen"]) for e in json.loads(asked.stdout)}
    assert found == {
        compose["a"]: (own, []),
        compose["b"]: (known.digest, list(known.seen)),
        compose["c"]: (None, []),
    }


@pytest.mark.parametrize(
    ("target", "image"),
    [
        ("disagg-b200", "nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:1.3.1"),
        ("serve-latency-b200", "nvcr.io/nvidia/tensorrt-llm/release:1.3.0rc19"),
    ],
)
def test_an_image_with_a_digest_is_what_chart_compose_file_and_script_pull(
    target: str, image: str, tmp_path: Path
) -> None:
    pinned = f"{image}@sha256:{'0' * 64}"
    setting = ("--set", f"runtime.image={pinned}")
    assert pinned in listed(target, *setting)
    assert image not in listed(target, *setting)
    for form, file in (("compose", "compose.yaml"), ("shell", "launch.sh")):
        done = CliRunner().invoke(
            main, ["render", target, *setting, "--as", form, "--output", str(tmp_path / form)]
        )
        assert done.exit_code == 0, done.output
        (written,) = (tmp_path / form).glob(f"**/{file}")
        assert not re.search(rf"{re.escape(image)}(?!@)", written.read_text(encoding="utf-8"))
        assert pinned in written.read_text(encoding="utf-8")


def test_what_names_no_image_and_what_the_chart_refuses_are_told() -> None:
    nothing = images("-", stdin="apiVersion: v1\nkind: ConfigMap\nmetadata: {name: empty}\n")
    assert (nothing.exit_code, nothing.stdout) == (2, "")
    assert "no image is named" in nothing.stderr
    refused = images("disagg-gb200", "--set", "workers=3")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "workers" in refused.stderr
