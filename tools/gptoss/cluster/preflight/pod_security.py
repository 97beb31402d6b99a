"""The Pod Security Standards, as far as pods of serving and jobs can break them.

Source: k8s.io/pod-security-admission v0.36.3 policy/check_*.go, at their latest version.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

HOST = ("hostNetwork", "hostPID", "hostIPC")
CAPABILITIES = {
    "AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD",
    "NET_BIND_SERVICE", "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT",
}  # fmt: skip
VOLUMES = {
    "configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "image", "persistentVolumeClaim",
    "projected", "secret",
}  # fmt: skip
SECCOMP = ("RuntimeDefault", "Localhost")


def violations(spec: dict[str, Any], level: str) -> list[str]:
    """What of a pod a level refuses, each once.

    Args:
        spec: The pod's spec.
        level: ``baseline`` or ``restricted``.
    """
    found = list(_baseline(spec))
    if level == "restricted":
        found += _restricted(spec)
    return list(dict.fromkeys(found))


def _containers(spec: dict[str, Any]) -> list[dict[str, Any]]:
    return [*(spec.get("initContainers") or []), *(spec.get("containers") or [])]


def _baseline(spec: dict[str, Any]) -> Iterator[str]:
    yield from (name for name in HOST if spec.get(name))
    if any("hostPath" in volume for volume in spec.get("volumes") or []):
        yield "hostPath volume"
    for container in _containers(spec):
        context = container.get("securityContext") or {}
        if context.get("privileged"):
            yield "privileged"
        added = set((context.get("capabilities") or {}).get("add") or [])
        yield from (f"capability {name}" for name in sorted(added - CAPABILITIES))
        if any(port.get("hostPort") for port in container.get("ports") or []):
            yield "hostPort"
        if context.get("procMount") not in (None, "Default"):
            yield "procMount"
    contexts = [spec, *_containers(spec)]
    profiles = [(c.get("securityContext") or {}).get("seccompProfile") or {} for c in contexts]
    if any(profile.get("type") == "Unconfined" for profile in profiles):
        yield "seccompProfile Unconfined"


def _restricted(spec: dict[str, Any]) -> Iterator[str]:
    pod = spec.get("securityContext") or {}
    for volume in spec.get("volumes") or []:
        yield from (
            f"volume {kind}" for kind in sorted(set(volume) - VOLUMES - {"name", "hostPath"})
        )
    for container in _containers(spec):
        own = container.get("securityContext") or {}
        capabilities = own.get("capabilities") or {}
        if own.get("allowPrivilegeEscalation") is not False:
            yield "allowPrivilegeEscalation is not false"
        if "ALL" not in (capabilities.get("drop") or []):
            yield "capabilities are not dropped"
        added = set(capabilities.get("add") or []) & CAPABILITIES - {"NET_BIND_SERVICE"}
        yield from (f"capability {name}" for name in sorted(added))
        if not own.get("runAsNonRoot", pod.get("runAsNonRoot")):
            yield "runAsNonRoot is not true"
        if own.get("runAsUser", pod.get("runAsUser")) == 0:
            yield "runAsUser is 0"
        profile = own.get("seccompProfile") or pod.get("seccompProfile") or {}
        if profile.get("type") not in SECCOMP:
            yield "seccompProfile is not RuntimeDefault"
