"""What of a source runs already: its objects in the cluster, and the deployment that they are."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gptoss.cluster.live_cluster import Cluster, Object
    from gptoss.cluster.wanted import Wanted
    from gptoss.deployment.model import Deployment

INSTANCE = "app.kubernetes.io/instance"
SERVING = ("DynamoGraphDeployment", "Deployment", "StatefulSet")
# Kinds that a release may have had, beside those that it would have now.
BEFORE = (
    ("nvidia.com/v1beta1", "DynamoGraphDeployment"),
    ("nvidia.com/v1alpha1", "DynamoGraphDeployment"),
    ("apps/v1", "Deployment"),
    ("v1", "ConfigMap"),
    ("v1", "PersistentVolumeClaim"),
    ("batch/v1", "Job"),
)


def installed_objects(cluster: Cluster, wanted: Wanted) -> list[Object]:
    """The objects of a release that are in the cluster, in the version that it now asks for.

    Those of a Helm release are found by its label, others by their names. What the operator makes
    is not among them.

    Raises:
        DeniedError: The account may not read them.
    """
    kinds = {kind: api for api, kind in reversed(BEFORE)}
    kinds |= {each["kind"]: each["apiVersion"] for each in wanted.objects}
    names = {(each["kind"], each["metadata"]["name"]) for each in wanted.objects}
    found: list[Object] = []
    for kind, api_version in kinds.items():
        if wanted.release:
            label = f"{INSTANCE}={wanted.release}"
            found += cluster.objects(api_version, kind, wanted.namespace, label)
            continue
        own = (cluster.get(api_version, k, name) for k, name in names if k == kind)
        found += [each for each in own if each]
    return [each for each in found if not each["metadata"].get("ownerReferences")]


def installed_deployment(cluster: Cluster, wanted: Wanted) -> Deployment | None:
    """The deployment that runs in a source's place; None where none does.

    Raises:
        DeniedError: The account may not read its objects.
        InputError: They are no deployment that can be read.
    """
    found = installed_objects(cluster, wanted)
    if not any(each["kind"] in SERVING for each in found):
        return None
    from gptoss.sources.kubernetes.build import build
    from gptoss.text.yaml_tree import parse_documents

    label = f"cluster {cluster.context}"
    trees = [tree for each in found for tree in parse_documents(json.dumps(each), label)]
    return build(trees, label, wanted.facts)
