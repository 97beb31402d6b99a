"""An OCI registry at 127.0.0.1 with one user: Distribution, as many registries run it."""

from __future__ import annotations

import urllib.error
import urllib.request
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import yaml

from testcluster.control_plane import BIN
from testcluster.programs import HOST, free_ports, programs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

USER, PASSWORD = "ci", "let-me-in"
HASH = "$2a$04$OkPKtnczom9fxwza4jDuNuMxCa2rUJeqZnODQZ.0gg9htuT9AMA.q"
UNAUTHORIZED = 401


@contextmanager
def registry(folder: Path, *, public: bool = False) -> Iterator[str]:
    """Its host and port; who pushes or pulls has to log in unless it is public."""
    (port,) = free_ports(1)
    users = folder / "users"
    users.write_text(f"{USER}:{HASH}\n", encoding="utf-8")
    config = folder / "registry.yaml"
    settings: dict[str, Any] = {
        "version": 0.1,
        "storage": {"filesystem": {"rootdirectory": str(folder / "storage")}},
        "http": {"addr": f"{HOST}:{port}"},
    }
    if not public:
        settings["auth"] = {"htpasswd": {"realm": "charts", "path": str(users)}}
    config.write_text(yaml.safe_dump(settings), encoding="utf-8")
    with programs(folder) as running:
        running.start("registry", BIN / "registry", "serve", str(config))
        running.wait_until("the registry answers", lambda: _answers(port))
        yield f"{HOST}:{port}"


def _answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://{HOST}:{port}/v2/"):
            return True
    except urllib.error.HTTPError as error:
        return error.code == UNAUTHORIZED
    except OSError:
        return False
