"""What is known about the outside world, read from ``schema/``."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from gptoss.facts import folders
from gptoss.facts.dynamo_releases import Release as Release
from gptoss.facts.dynamo_releases import releases_of
from gptoss.facts.fact_files import made, read_facts, refuse
from gptoss.facts.image_digests import ImageDigest
from gptoss.facts.known import Known, known_of
from gptoss.facts.models import Model as Model
from gptoss.facts.models import model_of
from gptoss.facts.shapes import HARDWARE, IMAGES, KNOWN, MODEL, RELEASES, SPEED, faults_of
from gptoss.facts.speeds import Speeds, speeds_of
from gptoss.facts.versions import version_number
from gptoss.text.errors import InputError, unknown

if TYPE_CHECKING:
    from pathlib import Path

    from gptoss.facts.shapes import FileShape

GIB = 1024**3


@dataclass(frozen=True, slots=True)
class Gpu:
    """A kind of GPU.

    Attributes:
        key: Its key in ``schema/hardware.yaml``.
        name: Its name.
        sm: Compute capability as TensorRT-LLM writes it, 100 for 10.0.
        memory_gib: Memory of one GPU in GiB.
        per_node: GPUs of one node.
        architecture: CPU architecture of its nodes.
        product_labels: Values of the node label ``nvidia.com/gpu.product``.
        node_cpu: CPUs of one node.
        node_memory: Memory of one node, as Kubernetes writes it.
        node_disk: Disk of one node, as Kubernetes writes it.
    """

    key: str
    name: str
    sm: int
    memory_gib: float
    per_node: int
    architecture: str
    product_labels: tuple[str, ...]
    node_cpu: int
    node_memory: str
    node_disk: str

    @property
    def is_hopper(self) -> bool:
        """Whether it is of the Hopper generation (SM 9.x)."""
        return 90 <= self.sm < 100

    @property
    def is_blackwell(self) -> bool:
        """Whether it is a data-centre Blackwell GPU (SM 10.x)."""
        return 100 <= self.sm < 120


class Facts:
    """All facts, each read when it is first asked for."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or folders.root() / "schema"

    @cached_property
    def releases(self) -> dict[str, Release]:
        """Dynamo releases that can be deployed, by version, oldest first."""
        return releases_of(self._releases["releases"])

    @cached_property
    def older(self) -> dict[str, Release]:
        """Those before them, which are only read and upgraded from."""
        return releases_of(self._releases["older"])

    @cached_property
    def every_release(self) -> dict[str, Release]:
        """All of them by version, oldest first."""
        return self.older | self.releases

    @property
    def default_release(self) -> Release:
        """The release that targets run on unless they say otherwise."""
        return self.release(self._releases["default"])

    @cached_property
    def kv_events_flags(self) -> tuple[str, ...]:
        """The flags by which workers publish KV events, in any release."""
        return tuple(dict.fromkeys(r.kv_events_flag for r in self.releases.values()))

    @property
    def image(self) -> str:
        """Repository of the TensorRT-LLM runtime image."""
        return str(self._releases["image"])

    @property
    def serve_image(self) -> str:
        """Repository of TensorRT-LLM's own image, which has ``trtllm-serve``."""
        return str(self._releases["serveImage"])

    @cached_property
    def digests(self) -> dict[str, ImageDigest]:
        """What is known of the digests of images, by reference with registry and tag."""
        images = self._load("images.yaml", IMAGES)["images"]
        return {
            name: made(ImageDigest, entry, seen=tuple(entry["seen"]))
            for name, entry in images.items()
        }

    @cached_property
    def gpus(self) -> dict[str, Gpu]:
        """GPUs by key."""
        gpus = {}
        for key, entry in self._load("hardware.yaml", HARDWARE)["gpus"].items():
            memory, count = entry["memory"] / 1024, entry["gpusPerNode"]
            gpus[key] = made(Gpu, entry, key=key, memory_gib=memory, per_node=count)
        return gpus

    @cached_property
    def models(self) -> dict[str, Model]:
        """Models by repository id."""
        models = {}
        for path in sorted((self._folder / "models").glob("*.yaml")):
            facts = self._load(f"models/{path.name}", MODEL)
            models[facts["id"]] = model_of(facts)
        return models

    @cached_property
    def known(self) -> dict[str, Known]:
        """What releases are known to do wrong, by name."""
        return known_of(self._load("known.yaml", KNOWN)["known"])

    @cached_property
    def speeds(self) -> Speeds:
        """How long iterations take, in closed form."""
        return speeds_of(self._load("speed.yaml", SPEED))

    @cached_property
    def engine(self) -> dict[str, Any]:
        """Everything known about the engine YAML: fields, stale keys, versions."""
        text = (self._folder / "engine" / "fields.json").read_text(encoding="utf-8")
        loaded: dict[str, Any] = json.loads(text)
        return loaded

    @property
    def engine_fields(self) -> dict[str, Any]:
        """What is known about each key of the engine YAML, by dotted path."""
        fields: dict[str, Any] = self.engine["fields"]
        return fields

    @cached_property
    def engine_defaults(self) -> dict[str, Any]:
        """Default of each key of the engine YAML."""
        return {path: field.get("default") for path, field in self.engine_fields.items()}

    @cache  # noqa: B019 (facts live as long as the command)
    def resource_schema(self, version: str) -> dict[str, Any]:
        """JSON Schema of a DynamoGraphDeployment in an API version such as ``v1beta1``."""
        return self._resource(f"dynamographdeployment_{version}")

    @cached_property
    def kubernetes_schema(self) -> dict[str, Any]:
        """JSON Schemas (``$defs``) of what Kubernetes itself defines.

        ``kinds`` gives the API version of the kinds that are among them.
        """
        schema = self._resource("kubernetes")
        return {**schema, "$defs": self.resource_schema("v1beta1")["$defs"] | schema["$defs"]}

    def release(self, version: str) -> Release:
        """The release that a user names; one of the same minor release stands for 1.2.5.

        Raises:
            InputError: It is not known.
        """
        if found := self.release_of(version):
            return found
        raise unknown("Dynamo release", version, self.every_release)

    def deployable(self, version: str) -> Release:
        """The release that a user names to deploy.

        Raises:
            InputError: It is not known, or too old for that.
        """
        found = self.release(version)
        if found.version in self.releases:
            return found
        oldest = next(iter(self.releases))
        raise InputError(
            f"Dynamo release {found.version} is only read and upgraded from; releases from "
            f"{oldest} on are deployed"
        )

    def gpu(self, key: str) -> Gpu:
        """The GPU that a user names.

        Raises:
            InputError: It is not known.
        """
        if key in self.gpus:
            return self.gpus[key]
        raise unknown("GPU", key, self.gpus)

    def release_of(self, version: str) -> Release | None:
        """The release with a version, else the nearest of the same minor release, else None."""
        if version in self.every_release:
            return self.every_release[version]
        number = version_number(version)
        if len(number) < 2:
            return None
        alike = [r for r in self.every_release.values() if r.number[:2] == number[:2]]
        before = [r for r in alike if r.number <= number]
        return before[-1] if before else next(iter(alike), None)

    def release_of_trtllm(self, version: str) -> Release | None:
        """The release that ships a version of TensorRT-LLM, else None.

        What an image's tag adds to the version (``1.3.0rc14-amd64``) does not matter.
        """
        base = version.partition("-")[0]
        return next((r for r in self.every_release.values() if r.trtllm == base), None)

    def gpu_of(self, product_label: str) -> Gpu | None:
        """The GPU that a ``nvidia.com/gpu.product`` label names, or None."""
        for gpu in self.gpus.values():
            if product_label in gpu.product_labels:
                return gpu
        return None

    def _resource(self, name: str) -> dict[str, Any]:
        path = self._folder / "crds" / "json" / f"{name}.json"
        loaded: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return loaded

    @cached_property
    def _releases(self) -> dict[str, Any]:
        content = self._load("releases.yaml", RELEASES)
        if content["default"] not in content["releases"]:
            told = f"default is {content['default']!r}, which is none of releases"
            refuse("schema/releases.yaml", [told])
        return content

    def _load(self, name: str, shape: FileShape) -> dict[str, Any]:
        file = f"schema/{name}"
        content = read_facts(self._folder / name, file)
        refuse(file, faults_of(content, shape))
        return content
