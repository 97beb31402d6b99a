"""What a release of the operator installs: the resource definition, and where its webhooks are."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gptoss.text import plain_yaml

if TYPE_CHECKING:
    from testcluster.operator.releases import Release

CRDS = Path(__file__).resolve().parents[3] / "schema" / "crds"
GRAPHS = CRDS / "dynamographdeployments.yaml"
ADAPTERS = CRDS / "dynamographdeploymentscalingadapters.yaml"
# Said at the end of a rule of the definition that earlier releases do not have.
NEWER = "(from 1.5)"
WEBHOOK_SECONDS = 10

Thing = dict[str, Any]


def installed(release: Release, address: str, authority: bytes) -> list[Thing]:
    """Everything that a release installs.

    Args:
        release: The operator's.
        address: Of its webhooks, as `https://127.0.0.1:9443`.
        authority: The certificate that speaks for that address.
    """
    client = {
        "url": f"{address}/{release.version}",
        "caBundle": base64.b64encode(authority).decode("ascii"),
    }
    hooks = [
        _configuration("Validating", "validate", client, {}),
        _configuration("Mutating", "default", client, {"reinvocationPolicy": "Never"}),
    ]
    return [_graphs(release, client), _converted(_read(ADAPTERS), client), *hooks]


def _graphs(release: Release, client: Thing) -> Thing:
    definition = _converted(_read(GRAPHS), client)
    spec = definition["spec"]
    group = spec["group"]
    for version in spec["versions"]:
        version["storage"] = f"{group}/{version['name']}" == release.storage
    if release.is_strict:
        _deprecate(spec["versions"][0], group, spec["names"]["kind"])
    else:
        _without_newer_rules(spec["versions"])
    return definition


def _read(file: Path) -> Thing:
    found: Thing = plain_yaml.load(file.read_text(encoding="utf-8"))
    return found


def _converted(definition: Thing, client: Thing) -> Thing:
    definition["spec"]["conversion"] = {
        "strategy": "Webhook",
        "webhook": {"clientConfig": _at(client, "convert"), "conversionReviewVersions": ["v1"]},
    }
    return definition


def _deprecate(version: Thing, group: str, kind: str) -> None:
    old, new = f"{group}/{version['name']} {kind}", f"{group}/v1beta1 {kind}"
    version["deprecated"] = True
    version["deprecationWarning"] = f"{old} is deprecated; use {new}"


def _without_newer_rules(part: Any) -> None:
    if isinstance(part, list):
        for each in part:
            _without_newer_rules(each)
    if not isinstance(part, dict):
        return
    rules = part.get("x-kubernetes-validations")
    if isinstance(rules, list):
        kept = [rule for rule in rules if not rule.get("message", "").endswith(NEWER)]
        part["x-kubernetes-validations"] = kept
    for each in part.values():
        _without_newer_rules(each)


def _configuration(kind: str, path: str, client: Thing, more: Thing) -> Thing:
    name = f"dynamo-operator-{kind.lower()}"
    rule = {
        "apiGroups": ["nvidia.com"],
        "apiVersions": ["v1alpha1", "v1beta1"],
        "operations": ["CREATE", "UPDATE"],
        "resources": ["dynamographdeployments"],
    }
    webhook = {
        "name": f"{path}.dynamographdeployment.nvidia.com",
        "clientConfig": _at(client, path),
        "rules": [rule],
        "admissionReviewVersions": ["v1"],
        "sideEffects": "None",
        "failurePolicy": "Fail",
        "matchPolicy": "Equivalent",
        "timeoutSeconds": WEBHOOK_SECONDS,
        **more,
    }
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": f"{kind}WebhookConfiguration",
        "metadata": {"name": name},
        "webhooks": [webhook],
    }


def _at(client: Thing, path: str) -> Thing:
    return {**client, "url": f"{client['url']}/{path}"}
