"""Argo CD beside the test cluster: its own programs, a Git repository, and what it thinks."""

from __future__ import annotations

import json
import subprocess
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import yaml

from gptoss.text import plain_yaml
from testcluster.control_plane import BIN, ROOT

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from testcluster.control_plane import Cluster

SHIPPED = ROOT / "argocd"
HERE = ("--namespace", "argocd")
PATIENCE = 150
# The hosts of the shipped files that a reader replaces.
ADDRESS = "https://git.example.com/gpt-oss.git"
VALUES = "https://git.example.com/gpt-oss-values.git"
CHARTS = "ghcr.io/OWNER/charts"


class Watched:
    """The Applications as they are now, from one kubectl that watches them."""

    def __init__(self, cluster: Cluster) -> None:
        command = ["get", "applications", *HERE, "--watch", "--output", "json"]
        self._changed = threading.Condition()
        self._known: dict[str, dict[str, Any]] = {}
        self._process = subprocess.Popen(
            [
                BIN / "kubectl",
                "--kubeconfig",
                cluster.kubeconfig,
                *command,
                "--output-watch-events",
            ],
            stdout=subprocess.PIPE,
            text=True,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._take(json.loads(line))

    def _take(self, event: dict[str, Any]) -> None:
        name = event["object"]["metadata"]["name"]
        with self._changed:
            if event["type"] == "DELETED":
                self._known.pop(name, None)
            else:
                self._known[name] = event["object"]
            self._changed.notify_all()

    def until(self, name: str, holds: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
        """The Application once something holds; one that is not there is empty."""
        last = time.monotonic() + PATIENCE
        with self._changed:
            while not holds(self._known.get(name, {})):
                left = last - time.monotonic()
                assert left > 0, f"{name} is still so:\n{told(self._known.get(name, {}))}"
                self._changed.wait(left)
            return self._known.get(name, {})

    def names(self, holds: Callable[[set[str]], object]) -> set[str]:
        """The names of all Applications once something holds of them."""
        last = time.monotonic() + PATIENCE
        with self._changed:
            while not holds(set(self._known)):
                assert time.monotonic() < last, f"there are only {sorted(self._known)}"
                self._changed.wait(1)
            return set(self._known)

    def close(self) -> None:
        """Ends the kubectl."""
        self._process.terminate()
        self._process.communicate()


def told(application: dict[str, Any]) -> str:
    """What to read when an Application is not as it should be."""
    status = application.get("status", {})
    kept = {key: status.get(key) for key in ("sync", "health", "conditions", "operationState")}
    odd = [r for r in status.get("resources", []) if r.get("status") != "Synced" or unwell(r)]
    return json.dumps({**kept, "resources": odd}, indent=1)


def unwell(resource: dict[str, Any]) -> bool:
    return bool(resource.get("health", {}).get("status", "Healthy") != "Healthy")


def synced(revision: str = "") -> Callable[[dict[str, Any]], bool]:
    """Whether Git is what runs, whatever the health; of a commit when one is named."""

    def holds(application: dict[str, Any]) -> bool:
        status = application.get("status", {})
        sync, operation = status.get("sync", {}), status.get("operationState", {})
        return (
            sync.get("status") == "Synced"
            and revision in sync.get("revision", "")
            and operation.get("phase") == "Succeeded"
            and "refresh" not in str(application["metadata"].get("annotations"))
        )

    return holds


def healthy(revision: str = "") -> Callable[[dict[str, Any]], bool]:
    """Whether Git is what runs, and all of it is well."""
    return lambda a: synced(revision)(a) and health(a) == "Healthy"


def health(application: dict[str, Any]) -> str:
    return str(application.get("status", {}).get("health", {}).get("status"))


@dataclass(frozen=True)
class ArgoCd:
    """An Argo CD that runs, and the repository that it syncs.

    Attributes:
        cluster: Where it runs, and what it syncs to.
        watched: Its Applications.
        repository: A working tree with charts/ and values/; what is committed there counts.
        places: What stands in the shipped files -> what it is here.
    """

    cluster: Cluster
    watched: Watched
    repository: Path
    places: dict[str, str]

    def apply(self, text: str) -> None:
        """Applies a file as its reader does, with addresses of his own."""
        for shipped, mine in self.places.items():
            text = text.replace(shipped, mine)
        self.cluster.kubectl("apply", "--server-side", "--filename", "-", given=text)

    def commit(self, files: dict[str, Any]) -> str:
        """Writes values files below the repository, or removes those that are None; the commit."""
        for name, values in files.items():
            file = self.repository / name
            if values is None:
                file.unlink()
            else:
                file.parent.mkdir(exist_ok=True)
                file.write_text(yaml.safe_dump(values, sort_keys=False), encoding="utf-8")
        return commit(self.repository)

    def application(self, name: str, file: str, *options: str) -> None:
        """Applies argocd/application.yaml with another name, file and namespace, gpt-oss-NAME."""
        shipped = plain_yaml.load((SHIPPED / "application.yaml").read_text("utf-8"))
        shipped["metadata"]["name"] = name
        spec = shipped["spec"]
        spec["destination"]["namespace"] = f"gpt-oss-{name}"
        spec["source"]["helm"]["valueFiles"] = [f"../../{file}"]
        spec["syncPolicy"]["syncOptions"] += options
        self.apply(yaml.safe_dump(shipped))

    def refresh(self, *names: str, how: str = "normal") -> None:
        """Has Argo CD look at Git again; all Applications unless some are named."""
        which = names or ("--all",)
        note = f"argocd.argoproj.io/refresh={how}"
        self.cluster.kubectl("annotate", "applications", *which, note, *HERE, "--overwrite")

    def healthy(self, name: str, revision: str) -> dict[str, Any]:
        """The Application once a commit runs and is well."""
        self.refresh(name)
        return self.watched.until(name, healthy(revision))

    def delete(self, name: str) -> None:
        """Removes an Application with what it made."""
        self.cluster.kubectl("delete", "application", name, *HERE, "--wait=false")
        self.watched.until(name, lambda application: not application)


def commit(folder: Path) -> str:
    """Commits all that is there; the commit."""
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "--message", "a change")
    return git(folder, "rev-parse", "HEAD")


def git(folder: Path, *words: str) -> str:
    """What Git prints, with nobody's settings."""
    who = (
        "-c",
        "user.name=test",
        "-c",
        "user.email=test@example.com",
        "-c",
        "commit.gpgsign=false",
    )
    done = subprocess.run(
        ["git", "-C", folder, *who, *words], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()
