"""Values of what pods ask of their nodes: RDMA devices, NVLink across nodes, resource claims."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from gptoss.values.identifiers import Name, QualifiedName
from gptoss.values.pod_values import Closed


class Rdma(Closed):
    """How the KV cache travels between pods."""

    resource: QualifiedName | None = Field(
        None,
        description="Resource of the cluster's RDMA device plugin, as in rdma/ib. Prefill and "
        "decode workers and those on several nodes ask for one a GPU. Without it the KV cache goes "
        "over TCP, between pods of one node too, for they cannot open each other's GPU memory.",
    )
    lock_memory: bool = Field(
        True,
        description="Run these workers as root with IPC_LOCK, which pins memory beyond the node's "
        "limit and which only a privileged namespace admits. false where the nodes' container "
        "runtime has LimitMEMLOCK=infinity: then they pass the restricted standard.",
    )


class ComputeDomain(Closed):
    """GB200 NVL72: GPUs of several nodes share memory over NVLink."""

    enabled: bool = Field(
        False,
        description="Make a ComputeDomain whose channel workers claim. Needs NVIDIA's DRA driver. "
        "Leave it off where Grove adds the claim by itself (autoMNNVLEnabled): a node has one "
        "channel.",
    )
    num_nodes: Annotated[int, Field(ge=0)] = Field(
        0,
        description="Nodes that have to join before any pod starts. Only drivers that run without "
        "IMEXDaemonsWithDNSNames need it.",
    )
    resource_claim_template: Name | None = Field(
        None,
        description="Template of a ComputeDomain that is there, as of another release in the same "
        "rack; the chart then makes none.",
    )


class DeviceAllocation(Closed):
    """GPUs by dynamic resource allocation instead of the limit nvidia.com/gpu."""

    enabled: bool = Field(
        False,
        description="Workers claim their GPUs, from a ResourceClaimTemplate that the chart makes. "
        "On nodes whose GPUs a device plugin hands out, leave it off. Operators before 1.5 start "
        "no rank of a worker of several nodes that has no limit.",
    )
    api_version: Literal["v1", "v1beta2", "v1beta1"] = Field(
        "v1",
        description="Version of resource.k8s.io: v1 from Kubernetes 1.34 on, v1beta2 in 1.33, "
        "v1beta1 in 1.32.",
    )
    device_class_name: Name = Field("gpu.nvidia.com", description="Class of the GPUs.")
    selectors: list[str] = Field(
        default_factory=list,
        description="CEL expressions that a GPU has to meet, as in "
        "device.attributes['gpu.nvidia.com'].productName == 'NVIDIA GB200'.",
    )


class OpenShift(Closed):
    """Red Hat OpenShift."""

    enabled: bool = Field(
        False,
        description="Leave user and group ids to the namespace's range, as the SCC restricted-v2 "
        "wants.",
    )
