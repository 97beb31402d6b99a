"""Argo CD's own programs beside the test cluster, with two Git repositories and a registry."""

from __future__ import annotations

import json
import shutil
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from gptoss.text import plain_yaml
from testcluster.control_plane import BIN, ROOT
from testcluster.programs import HOST, Programs, free_ports, programs
from tests.chart.rendering import CHART
from tests.cluster.argo_cd import ADDRESS, CHARTS, SHIPPED, VALUES, ArgoCd, Watched, commit, git
from tests.cluster.registry import registry

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from testcluster.control_plane import Cluster


@contextmanager
def argo_cd(cluster: Cluster, folder: Path) -> Iterator[ArgoCd]:
    """An Argo CD as docs/gitops.md sets it up, and what it syncs."""
    repository, values = folder / "repository", folder / "values"
    for name in ("charts/gpt-oss", "values"):
        shutil.copytree(ROOT / name, repository / name, symlinks=True)
    (values / "serving").mkdir(parents=True)
    (values / "serving" / "gpt-oss.yaml").write_text("target: serve-h100-2\n", encoding="utf-8")
    for each in (repository, values):
        git(each, "init", "--quiet", "--initial-branch=main")
        commit(each)
    install(cluster)
    with registry(folder, public=True) as host, programs(folder) as running:
        charts = f"{host}/owner/charts"
        publish(folder, charts)
        start(running, cluster, folder)
        watched = Watched(cluster)
        try:
            places = {ADDRESS: f"file://{repository}", VALUES: f"file://{values}", CHARTS: charts}
            argo = ArgoCd(cluster, watched, repository, places)
            argo.apply((SHIPPED / "project.yaml").read_text("utf-8"))
            yield argo
        finally:
            watched.close()


def publish(folder: Path, where: str) -> None:
    """Puts the chart into the registry, as a release does."""
    version = plain_yaml.load((CHART / "Chart.yaml").read_text("utf-8"))["version"]
    push = ["push", f"gpt-oss-{version}.tgz", f"oci://{where}", "--plain-http"]
    for words in (["package", str(CHART)], push):
        subprocess.run([BIN / "helm4", *words], cwd=folder, check=True, capture_output=True)


def install(cluster: Cluster) -> None:
    """What the installation of Argo CD brings, and when a graph is Healthy."""
    definitions = BIN / "argocd-definitions.yaml"
    cluster.kubectl("apply", "--server-side", "--filename", str(definitions))
    cluster.kubectl("create", "namespace", "argocd")
    cluster.kubectl("apply", "--filename", "-", given=settings())
    cluster.kubectl("apply", "--server-side", "--filename", str(SHIPPED / "argocd-cm.yaml"))
    established = ("--for=condition=Established", "--filename", str(definitions))
    cluster.kubectl("wait", "--timeout=60s", *established)


def settings() -> str:
    """What Argo CD's own installation brings, empty."""
    labels = {"app.kubernetes.io/part-of": "argocd"}
    names = ("argocd-rbac-cm", "argocd-tls-certs-cm", "argocd-ssh-known-hosts-cm")
    items: list[dict[str, Any]] = [
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}} for name in names
    ]
    secret = {"stringData": {"server.secretkey": "only-for-this-test"}}
    items.append(
        {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "argocd-secret"}, **secret}
    )
    for item in items:
        item["metadata"] |= {"namespace": "argocd", "labels": labels}
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": items})


def start(running: Programs, cluster: Cluster, folder: Path) -> None:
    """Starts Redis and three of Argo CD's programs, all at 127.0.0.1."""
    redis, repo, *others = free_ports(5)
    bin_ = folder / "bin"
    bin_.mkdir()
    (bin_ / "helm").symlink_to(BIN / "helm3")
    (folder / "tmp").mkdir()
    environment = {
        "HOME": folder,
        "TMPDIR": folder / "tmp",
        "PATH": f"{bin_}:/usr/local/bin:/usr/bin:/bin",
        "KUBECONFIG": cluster.kubeconfig,
        "ARGOCD_FAKE_IN_CLUSTER": "true",
        "ARGOCD_GPG_ENABLED": "false",
        "ARGOCD_TLS_DATA_PATH": folder,
    }
    quiet = ("--save", "", "--appendonly", "no", "--dir", str(folder))
    running.start("redis", BIN / "redis-server", "--bind", HOST, "--port", str(redis), *quiet)

    def argo(name: str, *flags: str) -> None:
        (bin_ / name).symlink_to(BIN / "argocd")
        words = [f"{key}={value}" for key, value in environment.items()]
        running.start(name, "/usr/bin/env", *words, name, "--loglevel=warn", *flags)

    cache, server = f"--redis={HOST}:{redis}", f"{HOST}:{repo}"
    argo(
        "argocd-repo-server",
        cache,
        "--disable-tls",
        f"--address={HOST}",
        f"--port={repo}",
        f"--metrics-address={HOST}",
        f"--metrics-port={others[0]}",
    )
    argo(
        "argocd-application-controller",
        cache,
        "--namespace=argocd",
        f"--repo-server={server}",
        "--repo-server-plaintext",
        f"--metrics-port={others[1]}",
    )
    argo(
        "argocd-applicationset-controller",
        "--namespace=argocd",
        f"--argocd-repo-server={server}",
        "--repo-server-plaintext",
        "--metrics-addr=0",
        "--probe-addr=0",
        f"--webhook-addr={HOST}:{others[2]}",
    )
