"""Starts a cluster, says how to use it, and ends it at Ctrl-C or TERM: ``make cluster``."""

from __future__ import annotations

import argparse
import json
import signal
import sys

from testcluster.control_plane import BIN, Cluster, control_plane
from testcluster.machines import described
from testcluster.programs import ClusterError

EXAMPLE = """examples:
  make cluster
  make cluster KUBERNETES=oldest
"""
NEWEST, OLDEST = "newest", "oldest"


def main() -> int:
    """Run the command line and return its exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m testcluster",
        description="Starts a Kubernetes control plane at 127.0.0.1 with simulated GPU nodes.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    chosen = parser.add_argument("--kubernetes", choices=(NEWEST, OLDEST), default=NEWEST)
    chosen.help = "the newest that the chart is tried on, or the oldest that it is for"
    oldest = parser.parse_args().kubernetes == OLDEST
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    try:
        with control_plane(None, oldest=oldest) as cluster:
            print(usage(cluster), flush=True)
            signal.pause()
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
    except ClusterError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def usage(cluster: Cluster) -> str:
    """What there is, and what to type in another terminal."""
    version = json.loads(cluster.kubectl("get", "--raw", "/version"))["gitVersion"]
    return f"""\
Kubernetes {version} with simulated nodes: {described()}.
In another terminal:

  export KUBECONFIG={cluster.kubeconfig}
  export PATH={BIN}:$PATH
  kubectl get nodes -L nvidia.com/gpu.product
  helm install gpt-oss charts/gpt-oss -f values/agg-gb200.yaml
  kubectl get pods -o wide --watch

Everything is gone when this ends: Ctrl-C.
"""


if __name__ == "__main__":
    sys.exit(main())
