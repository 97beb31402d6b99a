"""Files of NVIDIA's CI as the deployments that they describe."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from gptoss.sources.load import load
from gptoss.sources.request import Request
from gptoss.text import plain_yaml

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Deployment

REFERENCES = Path(__file__).with_name("ci.yaml")
MODEL = "openai/gpt-oss-120b"
# What a benchmark of perf-sanity says beside the settings of its server.
NOT_ENGINE = {"name", "model_name", "client_configs", "server_env_var"}
SECTIONS = ("context_servers", "generation_servers")
# What a test of disaggregation hands to its server, and not to the workers.
NOT_WORKER = {"model", "hostname", "port", "conditional_disagg_config", *SECTIONS}


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
    return [Reference(**row) for row in plain_yaml.load(REFERENCES.read_text(encoding="utf-8"))]


def deployments_of(reference: Reference, file: Path, scratch: Path) -> list[Deployment]:
    """The deployments in a file; a server of each benchmark is one.

    Args:
        reference: What is known about it.
        file: The file itself.
        scratch: A folder for the files that it is taken apart into.
    """
    files = [str(file)]
    if reference.form in {"perf", "serve"}:
        files = [*written(plain_yaml.load(file.read_text(encoding="utf-8")), scratch)]
    given = (Request((name,), release=reference.release, gpu=reference.gpu) for name in files)
    return [deployment for request in given for deployment in load(request).deployments]


def written(held: dict[str, Any], scratch: Path) -> Iterator[str]:
    """Write what a test starts: servers of both roles, or an engine YAML a benchmark.

    A test of disaggregation starts the workers by themselves, each with what stands at the top of
    the file, under what stands in its section.
    """
    if "context_servers" in held:
        top = {key: value for key, value in held.items() if key not in NOT_WORKER}
        sections = {key: {**top, **held[key]} for key in SECTIONS}
        rest = {key: value for key, value in held.items() if key in NOT_WORKER}
        yield _write(scratch / "disaggregated.yaml", rest | {"model": MODEL} | sections)
        return
    if "worker_config" in held:
        workers = held["worker_config"]
        pair = {
            "model": MODEL,
            "context_servers": {"num_instances": 1, **workers["ctx"]},
            "generation_servers": {"num_instances": 1, **workers["gen"]},
        }
        yield _write(scratch / "disaggregated.yaml", pair)
        return
    for server in held["server_configs"]:
        engine = {key: value for key, value in server.items() if key not in NOT_ENGINE}
        yield _write(scratch / f"{server['name']}.yaml", {"model": MODEL, **engine})


def _write(path: Path, content: dict[str, Any]) -> str:
    path.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    return str(path)
