"""Files of NVIDIA's CI as the deployments that they describe."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from gptoss.sources.load import load
from gptoss.sources.request import Request

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Deployment

REFERENCES = Path(__file__).with_name("ci.yaml")
MODEL = "openai/gpt-oss-120b"
# What a benchmark of perf-sanity says beside the settings of its server.
NOT_ENGINE = {"name", "model_name", "client_configs", "server_env_var"}


@dataclass(frozen=True, slots=True)
class Reference:
    """A file of NVIDIA's; ``ci.yaml`` says what each key means."""

    repository: str
    folder: str
    name: str
    commit: str
    form: str
    release: str | None = None
    gpu: str | None = None
    errors: dict[str, str] = field(default_factory=dict)
    warnings: dict[str, str] = field(default_factory=dict)

    @property
    def path(self) -> str:
        """Where it stands in its repository."""
        return f"{self.folder}/{self.name}"

    @property
    def label(self) -> str:
        """Its name and commit, as in ``deploy.yaml@04521f4``."""
        return f"{self.name}@{self.commit[:7]}"

    @property
    def place(self) -> Path:
        """Where it stands in a folder of such files."""
        return Path(self.repository, self.commit[:7], self.path)


def references() -> list[Reference]:
    """All files of the corpus."""
    return [Reference(**row) for row in yaml.safe_load(REFERENCES.read_text(encoding="utf-8"))]


def deployments_of(reference: Reference, file: Path, scratch: Path) -> list[Deployment]:
    """The deployments in a file; a server of each benchmark is one.

    Args:
        reference: What is known about it.
        file: The file itself.
        scratch: A folder for the engine YAMLs in it.
    """
    if reference.form != "perf":
        given = Request((str(file),), release=reference.release, gpu=reference.gpu)
        return load(given).deployments
    found = []
    for names in engine_files(yaml.safe_load(file.read_text(encoding="utf-8")), scratch):
        found += load(Request(names, release=reference.release, gpu=reference.gpu)).deployments
    return found


def engine_files(held: dict[str, Any], scratch: Path) -> Iterator[tuple[str, ...]]:
    """Write the engine YAMLs of a perf-sanity test; yields the files of each deployment.

    A file named after a role is read as that worker's.
    """
    if "worker_config" in held:
        workers = held["worker_config"]
        pair = {"prefill": workers["ctx"], "decode": workers["gen"]}
        yield tuple(_write(scratch / f"{role}.yaml", engine) for role, engine in pair.items())
        return
    for server in held["server_configs"]:
        engine = {key: value for key, value in server.items() if key not in NOT_ENGINE}
        yield (_write(scratch / f"{server['name']}.yaml", engine),)


def _write(path: Path, engine: dict[str, Any]) -> str:
    path.write_text(yaml.safe_dump({"model": MODEL, **engine}, sort_keys=False), encoding="utf-8")
    return str(path)
