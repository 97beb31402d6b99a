"""What the operator's webhook refuses, case by case: the rules' own examples show one of each."""

from __future__ import annotations

import pytest

from gptoss.checking.checker import run
from gptoss.rules.rule import RULES
from tests.rules.examples import FACTS, deployment_of, read

FAILOVER = "# decode\ngpuMemoryService: {enabled: true}\nfailover: {enabled: true}\n"
CONTAINER = (
    "# graph\nmetadata: {annotations: {nvidia.com/dynamo-kube-discovery-mode: container}}\n---\n"
)
NO_GPU = "resources: {limits: null, requests: {gpu: null}}\n"
TOPOLOGY = "# graph\nspec: {topologyConstraint: {topologyProfile: t}}\n---\n"
DOMAIN = "topologyConstraint: {packDomain: rack}\n"
EPP = """\
# graph
spec:
  services:
    Epp:
      componentType: epp
      eppConfig: {config: {plugins: []}}
      extraPodSpec: {mainContainer: {image: "nvcr.io/nvidia/ai-dynamo/frontend:1.2.1"}}
"""


def told(rule: str, text: str) -> list[str]:
    """What a rule says of an example."""
    found = run(deployment_of(read(text)), FACTS, [RULES[rule]]).findings
    return [finding.message for finding in found]


@pytest.mark.parametrize(
    ("order", "message"),
    [
        ("[Frontend, prefill]", "leaves out decode"),
        ("[Frontend, prefill, decode, decode]", "names decode twice"),
        ("[frontend, prefill, decode]", "names frontend, which the graph does not have"),
    ],
)
def test_an_order_that_is_not_every_component_once_is_refused(order: str, message: str) -> None:
    (found,) = told(
        "G070", f'# graph\nspec: {{restart: {{id: "1", strategy: {{order: {order}}}}}}}'
    )
    assert message in found


def test_an_order_of_a_parallel_restart_is_refused() -> None:
    strategy = "{type: Parallel, order: [Frontend, prefill, decode]}"
    (found,) = told("G070", f'# graph\nspec: {{restart: {{id: "1", strategy: {strategy}}}}}')
    assert "is Parallel and has an order" in found


def test_a_restart_is_no_matter_before_the_operator_refuses_it() -> None:
    restart = '# graph\nspec: {restart: {id: "1"}}'
    assert told("G071", f"# release: 1.2.1\n{restart}") == []
    assert told("G071", f"# release: 1.3.1\n{restart}") != []


@pytest.mark.parametrize(
    ("release", "annotation", "refused"),
    [
        ("1.2.1", "nvidia.com/dynamo-operator-origin-version: latest", True),
        ("1.2.1", "nvidia.com/dynamo-operator-origin-version: 1.2.1-rc.1", False),
        ("1.2.1", "nvidia.com/vllm-distributed-executor-backend: dask", True),
        ("1.2.1", "nvidia.com/grove-update-strategy: Rolling", False),
        ("1.5.1", "nvidia.com/grove-update-strategy: Rolling", True),
        ("1.5.1", "nvidia.com/grove-update-strategy: OnDelete", False),
    ],
)
def test_annotations_are_judged_as_the_release_does(
    release: str, annotation: str, refused: bool
) -> None:
    text = f"# release: {release}\n# graph\nmetadata: {{annotations: {{{annotation}}}}}"
    assert bool(told("G072", text)) == refused


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (FAILOVER, "wants workers discovered by container"),
        (f"{CONTAINER}# decode\nfailover: {{enabled: true}}\n", "without gpuMemoryService"),
        (
            f"{CONTAINER}# decode\ngpuMemoryService: {{enabled: true, mode: interPod}}\n",
            "between pods",
        ),
        (f"{CONTAINER}# frontend\ngpuMemoryService: {{enabled: true}}\n", "is no worker"),
        (
            f"{CONTAINER}# decode\ngpuMemoryService: {{enabled: true}}\n{NO_GPU}",
            "no GPU limit",
        ),
    ],
)
def test_gpus_are_shared_only_where_the_operator_can(text: str, message: str) -> None:
    (found,) = told("G075", text)
    assert message in found


def test_failover_of_another_mode_than_the_memory_service_is_refused() -> None:
    service = "gpuMemoryService: {enabled: true}\nfailover: {enabled: true, mode: interPod}\n"
    between, modes = told("G075", f"# decode\n{service}")
    assert "between pods" in between
    assert "different modes" in modes


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# frontend\nvolumeMounts: [{name: cache}]", "the mount of cache needs mountPoint"),
        ("# frontend\ningress: {enabled: true}", "needs host"),
        ("# frontend\nsharedMemory: {disabled: false}", "needs size"),
        (
            "# graph\nspec: {pvcs: [{name: a, create: true}]}",
            "claim a with create: true needs size, storageClass, volumeAccessMode",
        ),
    ],
)
def test_what_the_webhook_requires_beyond_the_schema_is_named(text: str, message: str) -> None:
    (found,) = told("G076", text)
    assert message in found


def test_a_compilation_cache_needs_no_mount_point() -> None:
    mount = "[{name: cache, useAsCompilationCache: true}]"
    assert told("G076", f"# frontend\nvolumeMounts: {mount}") == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            TOPOLOGY + "# frontend\nreplicas: 1\n",
            "nor Frontend, prefill and decode name a packDomain",
        ),
        (
            f"# release: 1.2.1\n{TOPOLOGY}# decode\n{DOMAIN}",
            "nor Frontend and prefill name a packDomain",
        ),
        ("# graph\nspec: {topologyConstraint: {packDomain: rack}}\n", "does not say which"),
        (
            "# graph\nspec: {topologyConstraint: {topologyProfile: t, packDomain: Rack}}\n",
            "is no name of a topology domain",
        ),
    ],
)
def test_topology_constraints_that_are_no_whole_are_refused(text: str, message: str) -> None:
    (found,) = told("G078", text)
    assert message in found


def test_from_1_3_on_one_constrained_component_is_enough() -> None:
    assert told("G078", f"# release: 1.4.2\n{TOPOLOGY}# decode\n{DOMAIN}") == []


def test_an_endpoint_picker_runs_once_on_one_node() -> None:
    assert told("G074", EPP) == []
    (nodes,) = told("G074", f"{EPP}      multinode: {{nodeCount: 2}}\n")
    assert "runs on 2 nodes" in nodes


def test_a_component_may_not_be_renamed_in_its_case() -> None:
    plain = "componentType: planner, extraPodSpec: {mainContainer: {image: a:1}}"
    text = f"""\
# against: the clean deployment
# installed graph
spec: {{services: {{Planner: {{{plain}}}}}}}
---
# graph
spec: {{services: {{planner: {{{plain}}}}}}}
"""
    (found,) = told("G050", text)
    assert "planner added and Planner removed" in found


def test_a_component_may_not_get_another_topology_constraint() -> None:
    text = f"""\
# against: the clean deployment
# installed decode
{DOMAIN}---
# decode
topologyConstraint: {{packDomain: zone}}
"""
    assert told("G058", text) == [
        "topologyConstraint of decode changes: the operator refuses it",
    ]
