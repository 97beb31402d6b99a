"""The gateway in examples/gateway as a cluster gets it; tests/live runs it."""

import re
import subprocess
from functools import cache
from typing import Any

from gptoss.text import plain_yaml
from tests.chart.rendering import ROOT, one

FOLDER = ROOT / "examples" / "gateway"
CADDYFILE = (FOLDER / "Caddyfile").read_text(encoding="utf-8")


@cache
def built() -> str:
    kustomize = ROOT / ".tools" / "bin" / "kustomize"
    done = subprocess.run([kustomize, "build", FOLDER], capture_output=True, text=True, check=True)
    return done.stdout


def gateway() -> dict[str, Any]:
    deployment = one("Deployment", list(plain_yaml.load_all(built())))
    pod: dict[str, Any] = deployment["spec"]["template"]["spec"]
    return pod


def test_kubernetes_knows_every_field() -> None:
    script = ROOT / "tools" / "setup" / "kubeconform.sh"
    done = subprocess.run(
        ["bash", script], input=built(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_its_pod_passes_the_restricted_standard() -> None:
    pod = gateway()
    (caddy,) = pod["containers"]
    assert pod["securityContext"]["runAsNonRoot"]
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert not caddy["securityContext"]["allowPrivilegeEscalation"]
    # The one capability that the standard lets a container add.
    assert caddy["securityContext"]["capabilities"] == {
        "drop": ["ALL"],
        "add": ["NET_BIND_SERVICE"],
    }


def test_pod_and_caddyfile_agree_on_variables_files_port_and_time_to_go() -> None:
    pod = gateway()
    (caddy,) = pod["containers"]
    used = dict(re.findall(r"\{\$(\w+):?([^}]*)\}", CADDYFILE))
    given = {entry["name"]: entry["value"] for entry in caddy["env"]}
    assert set(given) <= set(used)
    mounts = {mount["mountPath"] for mount in caddy["volumeMounts"]}
    assert used["API_KEYS"].rpartition("/")[0] in mounts
    assert caddy["command"][-1].rpartition("/")[0] in mounts
    assert caddy["ports"] == [{"name": "http", "containerPort": int(used["PORT"])}]
    seconds = [int(given[name].rstrip("s")) for name in ("GRACE_PERIOD", "SHUTDOWN_DELAY")]
    assert sum(seconds) < pod["terminationGracePeriodSeconds"]


def test_its_image_is_the_caddy_that_is_tested() -> None:
    (caddy,) = gateway()["containers"]
    pins = (ROOT / "tools" / "go" / "gateway" / "go.mod").read_text(encoding="utf-8")
    tag = caddy["image"].rpartition(":")[2]
    assert f"github.com/caddyserver/caddy/v2 v{tag}" in pins
