"""Claims by dynamic resource allocation are carried over, and claim the same when read back."""

from __future__ import annotations

import pytest

from gptoss.facts.world import Facts
from gptoss.importing.convert import convert
from gptoss.importing.run import read_back
from gptoss.sources.kubernetes.build import build
from gptoss.text import plain_yaml
from gptoss.text.yaml_tree import parse_documents
from tests.chart.rendering import text

FACTS = Facts()
SETTINGS = (
    "hardware.computeDomain.enabled=true",
    "hardware.computeDomain.numNodes=2",
    "hardware.dra.enabled=true",
    "workers.prefill.computeDomain=false",
    "workers.decode.resourceClaims[0].name=nics",
    "workers.decode.resourceClaims[0].resourceClaimTemplateName=rail-nics",
    "workers.decode.resourceClaims[0].request=nic",
)


@pytest.mark.parametrize("version", ["v1alpha1", "v1beta1"])
def test_a_channel_gpus_and_further_devices_are_claimed_as_before(version: str) -> None:
    manifests = text("disagg-gb200", *SETTINGS, f"runtime.apiVersion={version}")
    source = build(parse_documents(manifests, "graph.yaml"), "graph.yaml", FACTS)
    imported = convert(source, FACTS)
    values = plain_yaml.load(imported.text)
    assert values["hardware"]["computeDomain"] == {"enabled": True, "numNodes": 2}
    assert values["hardware"]["dra"] == {"enabled": True}
    assert values["workers"]["prefill"]["computeDomain"] is False
    back = read_back(imported)
    for before, after in zip(source.workers, back.workers, strict=True):
        assert before.gpus == after.gpus
        ours, theirs = (
            [(c.name, c.requests) for c in w.pod.device_claims] for w in (before, after)
        )
        assert ours == theirs
    told = [note.message for note in imported.notes]
    assert [line for line in told if "ComputeDomain gpt-oss: hardware.computeDomain" in line]
