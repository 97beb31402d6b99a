"""Forms for Kubernetes: what Helm would apply, and the same as a kustomize base and overlay."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from gptoss.rendering import Rendered
from gptoss.rendering.target import command_of
from gptoss.rendering.templating import from_template
from gptoss.text import plain_yaml

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.rendering.target import Objects

GRAPH = "DynamoGraphDeployment"
# Kinds that others name, and where a pod's volumes name them.
NAMED = {"ConfigMap": "configMap/name", "PersistentVolumeClaim": "persistentVolumeClaim/claimName"}
# Helm writes before each object where it comes from; these are the user's own and may be anything.
EXTRA = "# Source: gpt-oss/templates/extra/"


def render_manifests(objects: Objects) -> Rendered:
    """What Helm would apply, in one file."""
    command = command_of(objects.source, "manifests")
    text = from_template("manifests.yaml.j2", command=command, texts=objects.texts)
    return Rendered({"manifests.yaml": text})


def render_kustomize(objects: Objects) -> Rendered:
    """The same objects as a base, one file each, with an overlay to edit."""
    loaded = [plain_yaml.load(text) for text in objects.texts]
    names = _file_names(loaded)
    command = command_of(objects.source, "kustomize")
    texts = zip(loaded, objects.texts, strict=True)
    own = [found for found, text in texts if not text.startswith(EXTRA)]
    references = {kind: list(_references(own, end)) for kind, end in NAMED.items()}
    overlay = f"overlays/{_folder_name(objects.source.parts[0])}"
    serving = next(found for found in own if found["kind"] in (GRAPH, "Deployment"))
    files = {
        "base/kustomization.yaml": from_template("base.yaml.j2", command=command, files=names),
        "base/names.yaml": from_template(
            "names.yaml.j2", references=references, kind=serving["kind"]
        ),
    }
    files |= {f"base/{name}": text for name, text in zip(names, objects.texts, strict=True)}
    files[f"{overlay}/kustomization.yaml"] = from_template(
        "overlay.yaml.j2",
        overlay=overlay,
        kind=serving["kind"],
        graph=serving["metadata"]["name"],
    )
    files[f"{overlay}/replicas.yaml"] = from_template(
        "replicas.yaml.j2", replicas=list(_replicas(serving))
    )
    return Rendered(files)


def _file_names(objects: list[dict[str, Any]]) -> list[str]:
    """A name for the file of each object; other objects than the chart's may be called anything."""
    names: list[str] = []
    for found in objects:
        name = re.sub(r"[^a-z0-9.-]+", "-", f"{found['kind']}-{found['metadata']['name']}".lower())
        again = sum(other.startswith(f"{name}.") for other in names)
        names.append(f"{name}.{again}.yaml" if again else f"{name}.yaml")
    return names


def _folder_name(target: str) -> str:
    """The name of a target, where it is the name of a folder too."""
    return target if target.strip(".") else "target"


def _references(objects: list[dict[str, Any]], end: str) -> Iterator[str]:
    """Paths in a graph where its pods name objects; those of other kinds kustomize knows."""
    for found in objects:
        if found["kind"] != GRAPH:
            continue
        spec = found["spec"]
        for name in spec.get("services", {}):
            yield f"spec/services/{name}/extraPodSpec/volumes/{end}"
        if "components" in spec:
            yield f"spec/components/podTemplate/spec/volumes/{end}"


def _replicas(serving: dict[str, Any]) -> Iterator[tuple[str, str, int]]:
    """Component, JSON path and number of replicas of everything that has replicas."""
    spec = serving["spec"]
    for name, service in spec.get("services", {}).items():
        yield name, f"/spec/services/{name}/replicas", service["replicas"]
    for number, component in enumerate(spec.get("components", [])):
        yield component["name"], f"/spec/components/{number}/replicas", component["replicas"]
    if serving["kind"] != GRAPH:
        yield serving["metadata"]["name"], "/spec/replicas", spec.get("replicas", 1)
