"""GPUs that pods claim by dynamic resource allocation are counted as those of a limit."""

from __future__ import annotations

import textwrap

import pytest

from gptoss.showing.show import as_json, as_text
from tests.sources.manifest_examples import ENGINE, deployment

TEMPLATE = """\
apiVersion: resource.k8s.io/{version}
kind: ResourceClaimTemplate
metadata: {{name: gpus}}
spec: {{spec: {{devices: {{requests: [{requests}]}}}}}}
"""
CHANNEL = """\
apiVersion: resource.nvidia.com/v1beta1
kind: ComputeDomain
metadata: {name: domain}
spec: {numNodes: 0, channel: {resourceClaimTemplate: {name: channel}}}
"""
EXACTLY = "{name: gpus, exactly: {deviceClassName: gpu.nvidia.com, count: 4}}"
FIRST = (
    "{name: gpus, firstAvailable: [{name: a, deviceClassName: %s, count: 4}, "
    "{name: b, deviceClassName: gpu.nvidia.com, count: %d}]}"
)
ASKED = "[{name: gpus}]"
POD = (
    "{resourceClaims: [{name: gpus, resourceClaimTemplateName: gpus}], containers: [{name: main, "
    "image: 'nvcr.io/nvidia/tensorrt-llm/release:1.3.0rc19', command: [COMMAND], "
    "resources: {claims: [{name: gpus}]}}]}"
)
BETA = f"""\
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata: {{name: graph}}
spec:
  components:
    - {{name: worker, type: worker, podTemplate: {{spec: {POD}}}}}
"""
SERVER = f"""\
apiVersion: apps/v1
kind: Deployment
metadata: {{name: server}}
spec: {{template: {{spec: {POD}}}}}
"""


def graph(asked: str = ASKED, limits: str = "{}", claim: str = "resourceClaimTemplateName") -> str:
    return textwrap.dedent(f"""\
        apiVersion: nvidia.com/v1alpha1
        kind: DynamoGraphDeployment
        metadata: {{name: gpt-oss}}
        spec:
          services:
            Worker:
              componentType: worker
              resources: {{limits: {limits}, claims: {asked}}}
              extraPodSpec:
                resourceClaims:
                  - {{name: gpus, {claim}: gpus}}
                  - {{name: channel, resourceClaimTemplateName: channel}}
                mainContainer:
                  image: registry/runtime:1.3.1
                  command: [python3, -m, dynamo.trtllm, --model-path, openai/gpt-oss-120b]
        """)


def gpus(*texts: str) -> int | None:
    (worker,) = deployment(*texts).workers
    return worker.gpus_per_pod.value if worker.gpus_per_pod else None


@pytest.mark.parametrize(
    ("version", "requests", "counted"),
    [
        ("v1", EXACTLY, 4),
        ("v1beta2", "{name: gpus, exactly: {deviceClassName: gpu.nvidia.com}}", 1),
        ("v1beta1", "{name: gpus, deviceClassName: gpu.nvidia.com, count: 2}", 2),
        ("v1", "{name: a, exactly: {deviceClassName: gpu.nvidia.com}}, " + EXACTLY, 5),
        ("v1", FIRST % ("gpu.nvidia.com", 4), 4),
        ("v1", FIRST % ("gpu.nvidia.com", 2), None),
        ("v1", FIRST % ("mig.nvidia.com", 4), None),
        ("v1", "{name: a, exactly: {deviceClassName: gpu.nvidia.com, allocationMode: All}}", None),
        ("v1", "{name: nic, exactly: {deviceClassName: dranet, count: 4}}", None),
        ("v1", "{name: slice, exactly: {deviceClassName: mig.nvidia.com, count: 4}}", None),
    ],
)
def test_gpus_of_a_template_are_counted(version: str, requests: str, counted: int | None) -> None:
    assert gpus(ENGINE, graph(), TEMPLATE.format(version=version, requests=requests)) == counted


def test_only_the_requests_that_the_container_asks_for_are_counted() -> None:
    two = "{name: a, exactly: {deviceClassName: gpu.nvidia.com}}, " + EXACTLY
    template = TEMPLATE.format(version="v1", requests=two)
    assert gpus(graph("[{name: gpus, request: a}]"), template) == 1
    assert gpus(graph("[{name: gpus, request: other}]"), template) is None
    assert gpus(graph("[{name: channel}]"), template) is None


def test_gpus_of_a_claim_that_is_there_are_counted() -> None:
    claim = TEMPLATE.format(version="v1", requests=EXACTLY).replace("ClaimTemplate", "Claim")
    claim = claim.replace("spec: {spec: {", "spec: {").replace("}}}", "}}", 1)
    assert gpus(graph(claim="resourceClaimName"), claim) == 4
    assert gpus(graph(), claim) is None, "a claim is no template"


def test_gpus_of_limit_and_claim_are_added() -> None:
    template = TEMPLATE.format(version="v1", requests=EXACTLY)
    assert gpus(graph(limits='{gpu: "2"}'), template) == 6


def test_gpus_stand_at_the_line_of_their_count() -> None:
    template = TEMPLATE.format(version="v1", requests=EXACTLY)
    (worker,) = deployment(template, graph()).workers
    assert worker.gpus_per_pod is not None
    assert worker.gpus_per_pod.place.line == 4


def test_claims_of_a_v1beta1_component_and_of_a_server_are_counted() -> None:
    beta = BETA.replace("COMMAND", "python3, -m, dynamo.trtllm, --model-path, openai/gpt-oss-120b")
    server = SERVER.replace("COMMAND", "trtllm-serve, serve, openai/gpt-oss-120b")
    template = TEMPLATE.format(version="v1", requests=EXACTLY)
    assert gpus(beta, template) == 4
    assert gpus(server, template) == 4


def test_show_counts_claimed_gpus_and_names_what_is_claimed() -> None:
    asked = "[{name: gpus}, {name: channel}]"
    found = deployment(graph(asked), TEMPLATE.format(version="v1", requests=EXACTLY), CHANNEL)
    assert "1 x 4 GPUs" in as_text([found])
    assert "claims gpus (4 GPUs), channel (channel of a ComputeDomain)" in as_text([found])
    assert '"gpus": 4' in as_json([found])
