"""Starts the stand-in: python -m testcluster.operator KUBECONFIG CERTIFICATE KEY PORT."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

from testcluster.operator.controller import Controller
from testcluster.operator.webhooks import server


def main(kubeconfig: str, certificate: str, key: str, port: str) -> None:
    """Answers for webhooks, and follows graphs, until it is ended."""
    webhooks = server(int(port), Path(certificate), Path(key))
    threading.Thread(target=webhooks.serve_forever, daemon=True).start()
    Controller(Path(kubeconfig)).run()


if __name__ == "__main__":
    main(*sys.argv[1:])
