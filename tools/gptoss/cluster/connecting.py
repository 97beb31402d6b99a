"""From a kubeconfig to a cluster that answers."""

from __future__ import annotations

import logging
import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gptoss.cluster.live_cluster import Cluster
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
DEFAULT = "default"


def connect(context: str | None = None, namespace: str | None = None) -> Cluster:
    """The cluster of a context, in a namespace.

    The kubeconfig is found as kubectl finds it: by KUBECONFIG, else ``~/.kube/config``; inside a
    pod without one it is the pod's own cluster, by its service account.

    Args:
        context: A context of the kubeconfig; the current one unless given.
        namespace: Where to look; the context's unless given.

    Raises:
        InputError: The extra is not installed, there is no such context, or the cluster does not
            answer.
    """
    try:
        from kubernetes import client, config
    except ImportError:
        raise InputError(
            "to ask a cluster, install the extra: pip install 'gptoss[cluster]'"
        ) from None
    settings = client.Configuration()
    try:
        with _complaints():
            if _inside(context):
                config.load_incluster_config(client_configuration=settings)
                name, own = "", (ACCOUNT / "namespace").read_text(encoding="utf-8").strip()
            else:
                loader = _loader(context)
                chosen = loader.current_context
                name, own = chosen["name"], chosen["context"].get("namespace") or DEFAULT
                loader.load_and_set(settings)
    except config.ConfigException as error:
        raise InputError(f"kubeconfig {_kubeconfig()}: {error}") from None
    settings.retries = 0
    cluster = Cluster(name, namespace or own, client.ApiClient(settings))
    cluster.version()
    return cluster


def _kubeconfig() -> str:
    return os.environ.get("KUBECONFIG") or str(Path.home() / ".kube" / "config")


def _files() -> list[str]:
    """Those of the files that KUBECONFIG names which are there."""
    return [path for path in _kubeconfig().split(os.pathsep) if path and Path(path).is_file()]


def _inside(context: str | None) -> bool:
    """Whether this runs in a pod that has no kubeconfig."""
    return not context and not _files() and (ACCOUNT / "token").is_file()


def _loader(context: str | None) -> Any:
    """What reads a context of the kubeconfig."""
    import yaml
    from kubernetes.config.kube_config import KubeConfigLoader, KubeConfigMerger

    if not _files():
        raise InputError(f"there is no kubeconfig at {_kubeconfig()}; set KUBECONFIG to its path")
    try:
        merged = KubeConfigMerger(_kubeconfig()).config
    except (yaml.YAMLError, OSError, AttributeError, TypeError):
        raise InputError(f"kubeconfig {_kubeconfig()}: it is no kubeconfig") from None
    names = [each["name"] for each in merged.value.get("contexts") or []]
    if context and context not in names:
        known = ", ".join(names) or "none"
        raise InputError(f"--context {context}: the kubeconfig has no such context, but {known}")
    if not context and not merged.value.get("current-context"):
        known = ", ".join(names) or "none"
        raise InputError(
            f"kubeconfig {_kubeconfig()}: no context is current; name one with --context ({known})"
        )
    return KubeConfigLoader(merged, active_context=context, config_base_path=None)


@contextmanager
def _complaints() -> Iterator[None]:
    """Raises what the library only logs, such as a login helper that fails."""
    heard: list[str] = []

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            heard.append(record.getMessage())

    handler, logger = Handler(logging.ERROR), logging.getLogger()
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
    if heard:
        raise InputError(f"kubeconfig {_kubeconfig()}: {' '.join(heard[0].split())}")
