"""Dynamo releases, and what is taken for one that is not known."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from gptoss.facts.fact_files import made
from gptoss.facts.versions import trtllm_number, version_number

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Release:
    """A Dynamo release; the fields are those of ``schema/releases.yaml``."""

    version: str
    trtllm: str
    api_versions: tuple[str, ...]
    aggregated_mode: str
    kv_events_flag: str
    repeated_sizes: tuple[str, ...]
    enforce_disagg: str
    router_modes: tuple[str, ...]
    event_plane: str
    prefill_drain: int
    strict_tags: bool
    cuda: str | None = None
    driver: int | None = None

    @property
    def number(self) -> tuple[int, ...]:
        """The version as numbers, to compare with."""
        return version_number(self.version)


def releases_of(entries: Mapping[str, Mapping[str, Any]]) -> dict[str, Release]:
    """The releases of entries of ``schema/releases.yaml``, by version."""
    return {version: made(Release, entry, version=version) for version, entry in entries.items()}


def in_place_of(version: str, known: Mapping[str, Release]) -> Release | None:
    """What is taken for a release that is not known: the facts of the one before it.

    Before all that are known it is the oldest. None where it is no version.

    Args:
        version: Its version.
        known: Those that are known, oldest first.
    """
    number = version_number(version)
    if len(number) < 2:
        return None
    before = [release for release in known.values() if release.number <= number]
    found = before[-1] if before else next(iter(known.values()))
    return replace(found, version=".".join(str(part) for part in number))


def with_trtllm(version: str, known: Mapping[str, Release]) -> Release | None:
    """What is taken for a release with a TensorRT-LLM that none ships.

    It has the facts of the one that ships the version before it. None where it is no version.

    Args:
        version: The version of TensorRT-LLM.
        known: Releases that are known, oldest first.
    """
    number = trtllm_number(version)
    if not number:
        return None
    before = [release for release in known.values() if trtllm_number(release.trtllm) <= number]
    found = before[-1] if before else next(iter(known.values()))
    return replace(found, trtllm=version)
