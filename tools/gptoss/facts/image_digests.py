"""Digests of images that others have published (``schema/images.yaml``)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ImageDigest:
    """What is known of the digest of an image.

    Attributes:
        date: When it was looked up.
        seen: Where it stands; two who have nothing to do with each other, where it is confirmed.
        digest: ``sha256:…`` that the tag led to; None where none could be confirmed.
    """

    date: str
    seen: tuple[str, ...]
    digest: str | None = None


def full_name(reference: str) -> str:
    """An image's reference with its registry, ``docker.io/library/nats:2.11`` for ``nats:2.11``."""
    first, slash, _ = reference.partition("/")
    if slash and ("." in first or ":" in first or first == "localhost"):
        return reference
    return f"docker.io/{reference}" if slash else f"docker.io/library/{reference}"
