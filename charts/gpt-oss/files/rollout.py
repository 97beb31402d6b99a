"""Waits until what serves is what was asked for: every pod is of today's template, and ready.

    rollout.py EXPECTED --wait 7200

EXPECTED is a JSON file: the name of the deployment, a label that its pods have, and of each
component the checksum of its pods and how many there are; null where an autoscaler decides.

    {"name": "gpt-oss", "selector": "app.kubernetes.io/instance=gpt-oss",
     "components": {"decode": {"checksum": "3f2a9c04", "pods": 1}}}

A pod says what it is in the annotation gpt-oss/rollout, as NAME/COMPONENT/CHECKSUM. Pods are read
at the API server, as the service account whose files lie in a folder: it has to be allowed to list
pods. Exits with 1 when the rollout has not finished in time.
"""

from __future__ import annotations

import argparse
import json
import os
import ssl
import sys
import time
import urllib.error
import urllib.request
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

ANNOTATION = "gpt-oss/rollout"
ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
POLL_SECONDS = 5.0
REQUEST_SECONDS = 10.0
PAGE = 500
ENDED = ("Succeeded", "Failed")


class UnreadableError(Exception):
    """The API server does not tell the pods; the text says why."""


class Cluster:
    """The pods of a namespace, as the API server tells them to a service account.

    Its token is read anew each time, for it is replaced while the pod runs.
    """

    def __init__(self, account: Path) -> None:
        host, port = (os.environ.get(f"KUBERNETES_SERVICE_{part}", "") for part in ("HOST", "PORT"))
        self._server = f"https://[{host}]:{port}" if ":" in host else f"https://{host}:{port}"
        self._account = account

    def pods(self, selector: str) -> list[dict[str, Any]]:
        """The pods that have a label. Raises UnreadableError."""
        found: list[dict[str, Any]] = []
        query = {"labelSelector": selector, "limit": str(PAGE)}
        while True:
            page = self._page(query)
            found += page["items"]
            query["continue"] = page["metadata"].get("continue") or ""
            if not query["continue"]:
                return found

    def _page(self, query: dict[str, str]) -> Any:
        try:
            namespace, token = (
                (self._account / name).read_text(encoding="utf-8").strip()
                for name in ("namespace", "token")
            )
            path = f"/api/v1/namespaces/{namespace}/pods?{urlencode(query)}"
            request = urllib.request.Request(  # noqa: S310 (https alone)
                self._server + path, headers={"Authorization": f"Bearer {token}"}
            )
            with self._opener().open(request, timeout=REQUEST_SECONDS) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            raise UnreadableError(f"HTTP {error.code}: {_message(error)}") from None
        except (OSError, ValueError) as error:
            raise UnreadableError(f"{self._server}: {error}") from None

    def _opener(self) -> urllib.request.OpenerDirector:
        trusted = ssl.create_default_context(cafile=str(self._account / "ca.crt"))
        # Python 3.13 asks for extensions that the authorities of some clusters have not.
        trusted.verify_flags &= ~ssl.VERIFY_X509_STRICT
        # No proxy stands before the API server, whatever the environment says.
        no_proxy = urllib.request.ProxyHandler({})
        return urllib.request.build_opener(no_proxy, urllib.request.HTTPSHandler(context=trusted))


def _message(error: urllib.error.HTTPError) -> str:
    try:
        return str(json.load(error)["message"])
    except (OSError, ValueError, KeyError, TypeError):
        return str(error.reason)


def why_not(expected: dict[str, Any], pods: list[dict[str, Any]]) -> str:
    """Why the rollout has not finished; empty when it has."""
    components = expected["components"]
    ready: Counter[str] = Counter()
    before: Counter[str] = Counter()
    for pod in pods:
        metadata = pod["metadata"]
        told = metadata.get("annotations", {}).get(ANNOTATION, "").split("/")
        if len(told) != 3 or told[0] != expected["name"] or _phase(pod) in ENDED:
            continue
        _, component, checksum = told
        if checksum != components.get(component, {}).get("checksum"):
            before[component] += 1
        elif is_ready(pod) and "deletionTimestamp" not in metadata:
            ready[component] += 1
    reasons = [f"{name} has {count} of before" for name, count in sorted(before.items())]
    for name, wanted in components.items():
        if wanted["pods"] is None:
            reasons += [] if ready[name] else [f"none of {name} is ready"]
        elif ready[name] != wanted["pods"]:
            reasons.append(f"{ready[name]} of {name} are ready, not {wanted['pods']}")
    return "; ".join(reasons)


def _phase(pod: dict[str, Any]) -> str:
    return str(pod.get("status", {}).get("phase", ""))


def is_ready(pod: dict[str, Any]) -> bool:
    """Whether a pod answers."""
    conditions = pod.get("status", {}).get("conditions", [])
    return any(each["type"] == "Ready" and each["status"] == "True" for each in conditions)


def wait(path: Path, cluster: Cluster, seconds: float) -> str:
    """Waits until the rollout has finished; why it has not in time, or nothing.

    What is expected is read anew each time: an upgrade may change it meanwhile.
    """
    last, said = time.monotonic() + seconds, ""
    while True:
        try:
            expected = json.loads(path.read_text(encoding="utf-8"))
            reason = why_not(expected, cluster.pods(expected["selector"]))
        except UnreadableError as error:
            reason = f"the pods cannot be read: {error}"
        if not reason or time.monotonic() >= last:
            return reason
        if reason != said:
            print(f"waiting for the rollout: pods: {reason}", flush=True)
            said = reason
        time.sleep(min(POLL_SECONDS, max(0.0, last - time.monotonic())))


def main(words: list[str]) -> int:
    """The exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("expected", type=Path, help="JSON file that says which pods there must be")
    parser.add_argument("--wait", type=float, default=7200, help="seconds that it may take")
    parser.add_argument("--account", type=Path, default=ACCOUNT, help="folder of its token")
    given = parser.parse_args(words)
    reason = wait(given.expected, Cluster(given.account), given.wait)
    if reason:
        text = f"the rollout has not finished after {given.wait:g} s: pods: {reason}"
        print(text, file=sys.stderr)
        return 1
    print("the rollout has finished", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
