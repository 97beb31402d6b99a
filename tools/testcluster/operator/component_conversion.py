"""A service of v1alpha1 as a component of v1beta1, and back, as far as both can say it.

Names and rules: ai-dynamo/dynamo deploy/operator/api/v1alpha1/shared_spec_conversion.go.
"""

from __future__ import annotations

from typing import Any

GPU = "nvidia.com/gpu"
MAIN = "main"
SPLIT = ("prefill", "decode")
OFF = "0"
# Said with the same words in both.
SAME = (
    "eppConfig", "globalDynamoNamespace", "minAvailable", "modelRef", "multinode",
    "providerOverride", "replicas", "roles", "runtimeVersionOverride", "topologyConstraint",
)  # fmt: skip
PROBES = ("livenessProbe", "readinessProbe")
SIDECAR = "sidecar-frontend"

Part = dict[str, Any]


def as_component(name: str, service: Part) -> Part:
    """A component of v1beta1."""
    found: Part = {"name": name, **{key: service[key] for key in SAME if key in service}}
    kind, part = service.get("componentType"), service.get("subComponentType")
    if kind is not None:
        found["type"] = part if kind == "worker" and part in SPLIT else kind
    memory = service.get("sharedMemory") or {}
    if memory.get("disabled"):
        found["sharedMemorySize"] = OFF
    elif "size" in memory:
        found["sharedMemorySize"] = memory["size"]
    if (service.get("scalingAdapter") or {}).get("enabled"):
        found["scalingAdapter"] = {}
    for mount in service.get("volumeMounts") or []:
        if mount.get("useAsCompilationCache"):
            cache = {"pvcName": mount["name"], "mountPath": mount.get("mountPoint")}
            found["compilationCache"] = {key: value for key, value in cache.items() if value}
    if service.get("frontendSidecar"):
        found["frontendSidecar"] = SIDECAR
    template = _template(service)
    if template:
        found["podTemplate"] = template
    return found


def as_service(component: Part) -> Part:
    """A service of v1alpha1."""
    found: Part = {key: component[key] for key in SAME if key in component}
    kind = component.get("type")
    if kind in SPLIT:
        found |= {"componentType": "worker", "subComponentType": kind}
    elif kind is not None:
        found["componentType"] = kind
    size = component.get("sharedMemorySize")
    if size is not None:
        found["sharedMemory"] = {"disabled": True} if str(size) == OFF else {"size": size}
    if "scalingAdapter" in component:
        found["scalingAdapter"] = {"enabled": True}
    template = component.get("podTemplate") or {}
    if template.get("metadata"):
        found["extraPodMetadata"] = template["metadata"]
    spec = dict(template.get("spec") or {})
    containers = spec.pop("containers", None) or []
    main = next((dict(one) for one in containers if one.get("name") == MAIN), None)
    others = [one for one in containers if one.get("name") != MAIN]
    if main is not None:
        del main["name"]
        resources = _service_resources(main.pop("resources", None) or {})
        found |= {"resources": resources} if resources else {}
        spec |= {"mainContainer": main} if main else {}
    spec |= {"containers": others} if others else {}
    found |= {"extraPodSpec": spec} if spec else {}
    return found


def _template(service: Part) -> Part:
    metadata: Part = {}
    given = (service, service.get("extraPodMetadata") or {})
    for kind in ("annotations", "labels"):
        entries = {key: value for one in given for key, value in (one.get(kind) or {}).items()}
        metadata |= {kind: entries} if entries else {}
    spec = dict(service.get("extraPodSpec") or {})
    main = _main_container(service, spec.pop("mainContainer", None) or {})
    others = [*(spec.pop("containers", None) or []), *_sidecar(service)]
    if main or others:
        spec["containers"] = [{"name": MAIN, **main}, *others]
    mounts = _claims(service)
    if mounts:
        claims = [{"name": n, "persistentVolumeClaim": {"claimName": n}} for n in mounts]
        spec["volumes"] = [*(spec.get("volumes") or []), *claims]
    parts = {"metadata": metadata, "spec": spec}
    return {key: value for key, value in parts.items() if value}


def _main_container(service: Part, given: Part) -> Part:
    main = dict(given)
    if service.get("envs"):
        names = {variable["name"] for variable in service["envs"]}
        others = [each for each in main.get("env") or [] if each["name"] not in names]
        main["env"] = [*others, *service["envs"]]
    if service.get("envFromSecret"):
        source = {"secretRef": {"name": service["envFromSecret"]}}
        main["envFrom"] = [*(main.get("envFrom") or []), source]
    mounts = _claims(service)
    if mounts:
        places = [{"name": name, "mountPath": place} for name, place in mounts.items()]
        main["volumeMounts"] = [*(main.get("volumeMounts") or []), *places]
    main |= {probe: service[probe] for probe in PROBES if probe in service}
    resources = _container_resources(service.get("resources") or {})
    if resources:
        main["resources"] = _merged_resources(main.get("resources") or {}, resources)
    return main


def _merged_resources(container: Part, service: Part) -> Part:
    """A container's resources with those of the service over them, one by one."""
    found = dict(container)
    for kind, amounts in service.items():
        found[kind] = amounts if kind == "claims" else {**(found.get(kind) or {}), **amounts}
    return found


def _claims(service: Part) -> dict[str, str]:
    """Claims that the service mounts, and where."""
    mounts = service.get("volumeMounts") or []
    return {
        mount["name"]: mount["mountPoint"]
        for mount in mounts
        if mount.get("mountPoint") and not mount.get("useAsCompilationCache")
    }


def _sidecar(service: Part) -> list[Part]:
    given = service.get("frontendSidecar")
    if not given:
        return []
    found: Part = {"name": SIDECAR}
    found |= {key: given[key] for key in ("image", "args") if key in given}
    found |= {"env": given["envs"]} if given.get("envs") else {}
    if given.get("envFromSecret"):
        found["envFrom"] = [{"secretRef": {"name": given["envFromSecret"]}}]
    return [found]


def _container_resources(given: Part) -> Part:
    found: Part = {}
    for kind, amounts in given.items():
        if kind == "claims":
            found[kind] = amounts
            continue
        gpu = (amounts or {}).get("gpuType", GPU)
        named: Part = {}
        for name, amount in (amounts or {}).items():
            if name == "custom":
                named |= amount or {}
            elif name != "gpuType":
                named[gpu if name == "gpu" else name] = amount
        found |= {kind: named} if named else {}
    return found


def _service_resources(given: Part) -> Part:
    found: Part = {}
    for kind, amounts in given.items():
        if kind == "claims":
            found[kind] = amounts
            continue
        named: Part = {}
        for name, amount in (amounts or {}).items():
            if name in ("cpu", "memory", GPU):
                named["gpu" if name == GPU else name] = str(amount)
            else:
                named.setdefault("custom", {})[name] = str(amount)
        found |= {kind: named} if named else {}
    return found
