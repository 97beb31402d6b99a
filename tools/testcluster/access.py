"""Keys of a control plane's servers, and its administrator."""

from __future__ import annotations

import secrets
import subprocess
from typing import TYPE_CHECKING

import yaml

from testcluster.programs import HOST

if TYPE_CHECKING:
    from pathlib import Path


def make_keys(folder: Path) -> None:
    """One certificate for every server, whose key also signs service accounts' tokens."""
    kind = ("-x509", "-nodes", "-newkey", "rsa:2048", "-days", "365", "-subj", "/CN=gpt-oss")
    names = ("-addext", f"subjectAltName=IP:{HOST}", "-keyout", "key.pem", "-out", "cert.pem")
    subprocess.run(
        ["openssl", "req", *kind, *names],
        cwd=folder,
        check=True,
        capture_output=True,
    )


def kubeconfig(folder: Path, api: int) -> Path:
    """Writes how an administrator reaches the API server, and lets him in there."""
    token = secrets.token_hex(16)
    (folder / "tokens.csv").write_text(f"{token},admin,admin,system:masters\n", encoding="utf-8")
    server = {"server": f"https://{HOST}:{api}", "certificate-authority": str(folder / "cert.pem")}
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "test", "cluster": server}],
        "users": [{"name": "admin", "user": {"token": token}}],
        "contexts": [{"name": "test", "context": {"cluster": "test", "user": "admin"}}],
        "current-context": "test",
    }
    path = folder / "kubeconfig"
    path.touch(mode=0o600)
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    return path
