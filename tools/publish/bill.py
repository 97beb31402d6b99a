"""The bill of materials of a release: images that are pulled, packages that the command needs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import NAMESPACE_URL, uuid5

from cyclonedx.model import HashAlgorithm, HashType, Property
from cyclonedx.model.bom import Bom, BomMetaData
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output import make_outputter
from cyclonedx.schema import OutputFormat, SchemaVersion
from packageurl import PackageURL

from gptoss.facts import folders
from gptoss.facts.world import Facts
from gptoss.rules.graph.images import split
from gptoss.text.files import read_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from publish.commit import Commit

LOCK = "requirements/core.txt"
PINNED = re.compile(r"([\w.-]+)==([\w.+!-]+)")
HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")
UNCONFIRMED = Property(name="gptoss:digest", value="none confirmed")


@dataclass(frozen=True, slots=True)
class Locked:
    """A Python package of a lock.

    Attributes:
        name: Its name.
        version: Its version.
        hashes: SHA-256 of each file that may be installed.
    """

    name: str
    version: str
    hashes: tuple[str, ...]


def bill_of_materials(name: str, version: str, source: str, commit: Commit) -> str:
    """The bill of a release as CycloneDX JSON; the same text for the same commit.

    Its parts are the images that chart and ``gptoss render`` name, with the digests that are
    confirmed, and the Python packages that the command is installed with.

    Args:
        name: The chart's name.
        version: Its version.
        source: Address of the repository, as people open it.
        commit: What it is made from.

    Raises:
        InputError: A file cannot be read.
    """
    chart = Component(
        name=name, version=version, type=ComponentType.APPLICATION, bom_ref=f"{name}@{version}"
    )
    parts = [*_images(), *map(_package, locked(read_text(folders.root() / LOCK)))]
    bom = Bom(
        components=parts,
        metadata=BomMetaData(component=chart, timestamp=commit.date),
        serial_number=uuid5(NAMESPACE_URL, f"{source}@{commit.id}"),
    )
    bom.register_dependency(chart, parts)
    made = make_outputter(bom, OutputFormat.JSON, SchemaVersion.V1_6)
    return f"{made.output_as_string(indent=2)}\n"


def locked(text: str) -> list[Locked]:
    """The packages of a lock that ``uv pip compile --generate-hashes`` has written."""
    entries = re.sub(r"\\\n", " ", text).splitlines()
    pinned = [(match, entry) for entry in entries if (match := PINNED.match(entry))]
    return [Locked(m[1], m[2], tuple(HASH.findall(entry))) for m, entry in pinned]


def _images() -> Iterator[Component]:
    for reference, known in Facts().digests.items():
        image = split(reference)
        yield Component(
            name=image.repository,
            version=image.tag,
            type=ComponentType.CONTAINER,
            bom_ref=reference,
            hashes=[_sha256(known.digest.partition(":")[2])] if known.digest else [],
            properties=[] if known.digest else [UNCONFIRMED],
        )


def _package(package: Locked) -> Component:
    address = PackageURL("pypi", name=package.name, version=package.version)
    return Component(
        name=package.name,
        version=package.version,
        type=ComponentType.LIBRARY,
        bom_ref=address.to_string(),
        purl=address,
        hashes=map(_sha256, package.hashes),
    )


def _sha256(content: str) -> HashType:
    return HashType(alg=HashAlgorithm.SHA_256, content=content)
