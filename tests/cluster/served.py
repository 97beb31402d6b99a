"""What one Application serves, and its values file in Git."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from gptoss.text import plain_yaml
from testcluster.control_plane import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.cluster.argo_cd import ArgoCd

CLAIM = "gpt-oss-model-cache"
GRAPH = "dynamographdeployments/gpt-oss"


class Served:
    """What one Application serves, and its values file in Git."""

    def __init__(self, argo: ArgoCd, name: str, target: str) -> None:
        self.argo, self.name = argo, name
        self.file = f"serving/{name}.yaml"
        self.here = ("--namespace", f"gpt-oss-{name}")
        self._target = ROOT / "values" / f"{target}.yaml"
        self._revision = ""

    def change(self, change: Callable[[dict[str, Any]], object] = lambda _: None) -> str:
        """Commits the target's values with a change."""
        values = plain_yaml.load(self._target.read_text("utf-8"))
        change(values)
        self._revision = self.argo.commit({self.file: values})
        return self._revision

    def runs(self) -> dict[str, Any]:
        """The Application once the last commit runs and is well."""
        return self.argo.healthy(self.name, self._revision)

    def pods(self) -> dict[str, str]:
        """Name of each pod that serves -> its component."""
        pods = self.argo.cluster.objects("pods", *self.here)
        label = "nvidia.com/dynamo-component"
        return {
            pod["metadata"]["name"]: pod["metadata"]["labels"][label]
            for pod in pods
            if label in pod["metadata"]["labels"] and "deletionTimestamp" not in pod["metadata"]
        }

    def object(self, name: str) -> dict[str, Any]:
        found: dict[str, Any]
        found = json.loads(self.argo.cluster.kubectl("get", name, *self.here, "-o", "json"))
        return found

    def jobs(self, component: str) -> list[str]:
        """Names of the Jobs of a part."""
        label = f"app.kubernetes.io/component={component}"
        found = self.argo.cluster.objects("jobs", *self.here, "--selector", label)
        return [job["metadata"]["name"] for job in found]

    def remove(self) -> None:
        """Deletes the Application and its namespace."""
        self.argo.delete(self.name)
        self.argo.cluster.kubectl("delete", "namespace", *self.here[1:], "--wait=false")


def measured(values: dict[str, Any], per_gpu: int = 4) -> None:
    """Switches the benchmark on; its pod is one that ends."""
    values["benchmark"] = {"enabled": True, "podAnnotations": {"simulated": "done"}}
    values["workload"]["concurrencyPerGpu"] = per_gpu


def batched(values: dict[str, Any], size: int) -> None:
    """Sets the decode engine's batch."""
    values["workers"]["decode"]["engine"] = {"max_batch_size": size}
