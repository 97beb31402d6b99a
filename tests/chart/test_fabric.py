"""RDMA, NVLink across nodes, resource claims, a registry of one's own, and any user."""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from tests.chart.rendering import (
    ROOT,
    components,
    dumped,
    environment,
    objects,
    one,
    pods,
    refusal,
    text,
)

if TYPE_CHECKING:
    from pathlib import Path

DRA = "hardware.dra.enabled=true"
DOMAIN = "hardware.computeDomain.enabled=true"
NICS = (
    "workers.decode.resourceClaims[0].name=nics",
    "workers.decode.resourceClaims[0].resourceClaimTemplateName=rail-nics",
    "workers.decode.resourceClaims[0].request=nic",
)
BOTH_VERSIONS = pytest.mark.parametrize("version", ["v1alpha1", "v1beta1"])


def claims_of(component: dict[str, Any]) -> tuple[dict[str, str], list[dict[str, str]]]:
    """The claims of a pod with their templates, and what its main container asks of them."""
    spec = component["spec"]
    entries = spec.get("resourceClaims", [])
    named = {
        e["name"]: e.get("resourceClaimTemplateName") or e["resourceClaimName"] for e in entries
    }
    return named, spec["containers"][0]["resources"].get("claims", [])


def gpu_limit(component: dict[str, Any]) -> str | None:
    limits: dict[str, str] = component["spec"]["containers"][0]["resources"].get("limits", {})
    return limits.get("nvidia.com/gpu")


@BOTH_VERSIONS
def test_workers_and_only_they_claim_gpus_the_channel_and_further_devices(version: str) -> None:
    settings = (f"runtime.apiVersion={version}", DRA, DOMAIN, *NICS)
    found = objects("disagg-gb200", *settings, "workers.prefill.computeDomain=false")
    templates = {
        o["metadata"]["name"]: o["spec"]["spec"]["devices"]["requests"]
        for o in found
        if o["kind"] == "ResourceClaimTemplate"
    }
    domain = one("ComputeDomain", found)
    parts = components(found)
    decode, asked = claims_of(parts["decode"])
    assert list(decode) == ["gpus", "channel", "nics"]
    assert decode["channel"] == domain["spec"]["channel"]["resourceClaimTemplate"]["name"]
    assert decode["nics"] == "rail-nics"
    assert asked == [{"name": "gpus"}, {"name": "channel"}, {"name": "nics", "request": "nic"}]
    (request,) = templates[decode["gpus"]]
    assert request["exactly"]["count"] == 4
    prefill, asked = claims_of(parts["prefill"])
    assert list(prefill) == ["gpus"]
    assert asked == [{"name": "gpus"}]
    assert templates[prefill["gpus"]][0]["exactly"]["count"] == 1
    assert [gpu_limit(parts[name]) for name in ("decode", "prefill")] == [None, None]
    others = {name: pod for name, pod in pods(found).items() if "decode" not in name}
    assert claims_of(parts["frontend"]) == ({}, [])
    for name, pod in others.items():
        if "prefill" not in name:
            assert "resourceClaims" not in pod["spec"], name


def test_a_template_is_named_by_its_content_for_it_cannot_change() -> None:
    def name(*settings: str) -> str:
        found = objects("serve-latency-gb200", DRA, *settings)
        return str(one("ResourceClaimTemplate", found)["metadata"]["name"])

    plain, selected = name(), name("hardware.dra.selectors[0]=device.driver == 'gpu.nvidia.com'")
    assert plain != selected
    assert name("hardware.dra.apiVersion=v1beta2") not in (plain, selected)


def test_kubeconform_takes_claims_of_every_version_and_the_domain(tmp_path: Path) -> None:
    count = 0
    cases = [
        ("serve-latency-gb200", "v1"),
        ("disagg-gb200", "v1beta1"),
        ("agg-gb200", "v1beta2"),
    ]
    for target, version in cases:
        settings = (DRA, DOMAIN, f"hardware.dra.apiVersion={version}", "openshift.enabled=true")
        selected = "hardware.dra.selectors[0]=device.driver == 'gpu.nvidia.com'"
        found = objects(target, *settings, selected)
        everything = [*found, *pods(found).values()]
        (tmp_path / f"{target}.yaml").write_text(dumped(everything))
        count += len(everything)
    script = ROOT / "tools" / "setup" / "kubeconform.sh"
    done = subprocess.run([script, tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert f"Valid: {count}" in done.stdout


def test_a_domain_of_another_release_is_claimed_and_none_is_made() -> None:
    shared = "hardware.computeDomain.resourceClaimTemplate=other-channel"
    found = objects("disagg-gb200", DOMAIN, shared)
    assert not [o for o in found if o["kind"] == "ComputeDomain"]
    named, _ = claims_of(components(found)["decode"])
    assert named == {"channel": "other-channel"}


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ((DRA, "workers.decode.nodes=2"), "hardware.dra.enabled: workers.decode spans 2 nodes"),
        ((DRA, NICS[1], "workers.decode.resourceClaims[0].name=gpus"), "give it another name"),
        ((NICS[0],), "set one of them"),
    ],
)
def test_claims_that_cannot_work_are_refused_with_what_to_set(
    settings: tuple[str, ...], told: str
) -> None:
    assert told in refusal("disagg-gb200", *settings)


def test_a_worker_of_several_nodes_claims_its_gpus_where_the_operator_counts_them() -> None:
    found = objects("disagg-gb200", DRA, "workers.decode.nodes=2", "runtime.release=1.5.1")
    named, _ = claims_of(components(found)["decode"])
    counts = {
        o["metadata"]["name"]: o["spec"]["spec"]["devices"]["requests"][0]["exactly"]["count"]
        for o in found
        if o["kind"] == "ResourceClaimTemplate"
    }
    assert counts[named["gpus"]] == 2


@pytest.mark.parametrize("target", ["disagg-gb200", "serve-latency-b200"])
def test_only_workers_ask_for_rdma_devices_and_rights(target: str) -> None:
    found = objects(target, "hardware.rdma.resource=rdma/ib", "benchmark.enabled=true")
    mighty = set()
    for name, pod in pods(found).items():
        for container in [*pod["spec"]["containers"], *pod["spec"].get("initContainers", [])]:
            asked = container["resources"].get("limits", {})
            rights = container["securityContext"]["capabilities"].get("add")
            if "rdma/ib" in asked or rights:
                mighty.add(name)
                assert rights == ["IPC_LOCK"]
                assert container["name"] == "main"
    expected = {"decode", "prefill"} if target == "disagg-gb200" else set()
    assert {part for name in mighty for part in expected if part in name} == expected
    assert len(mighty) == len(expected)


@pytest.mark.parametrize("target", ["disagg-gb200", "serve-latency-b200"])
def test_one_value_leads_every_image_of_the_chart_s_choice_to_a_registry(target: str) -> None:
    settings = (
        "global.imageRegistry=registry.example.com/mirror",
        "benchmark.enabled=true",
        "modelCache.download.source=s3://models/gpt-oss-120b",
        "prefetch.releases[0]=1.5.1",
    )
    listed = list(re.findall(r'image: "?([^"\s]+)', text(target, *settings)))
    others = [image for image in listed if not image.startswith("registry.example.com/mirror/")]
    assert listed
    assert not others


@pytest.mark.parametrize("target", ["disagg-gb200", "serve-latency-gb200"])
def test_on_openshift_no_pod_names_an_id_and_every_container_has_a_home(target: str) -> None:
    found = objects(target, "openshift.enabled=true", "benchmark.enabled=true")
    for name, pod in pods(found).items():
        containers = [*pod["spec"]["containers"], *pod["spec"].get("initContainers", [])]
        contexts = [part["securityContext"] for part in (pod["spec"], *containers)]
        for context in contexts:
            assert not {"runAsUser", "runAsGroup", "fsGroup"} & set(context), name
        main = pod["spec"]["containers"][0]
        home = environment(main)["HOME"]
        mounts = {mount["mountPath"] for mount in main["volumeMounts"]}
        assert home in {*mounts, "/tmp"}, name  # noqa: S108 (of the container)


def test_pull_secrets_are_named_in_either_form() -> None:
    given = ("imagePullSecrets[0]=one", "imagePullSecrets[1].name=two")
    parent = "global.imagePullSecrets[0].name=three"
    for pod in pods(objects("disagg-gb200", *given, parent)).values():
        assert {s["name"] for s in pod["spec"]["imagePullSecrets"]} == {"one", "two", "three"}
