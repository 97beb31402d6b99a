"""Which release an image belongs to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gptoss.facts.dynamo_releases import in_place_of, with_trtllm

if TYPE_CHECKING:
    from gptoss.facts.world import Facts, Release

RUNTIME_IMAGE = "tensorrtllm-runtime"
SERVER_IMAGE = "tensorrt-llm"
CANDIDATE = re.compile(r"\d+\.\d+\.\d+rc\d+")


def release_of_worker(image: str, facts: Facts) -> Release | None:
    """The release of an image that runs ``dynamo.trtllm``.

    A tag of NVIDIA's runtime that names no release that is known is taken for the one before it.
    """
    tag = tag_of(image)
    found = facts.release_of(tag)
    if found is None and RUNTIME_IMAGE in image.partition("@")[0]:
        found = in_place_of(tag, facts.every_release)
    return found


def release_of_server(image: str, facts: Facts) -> Release | None:
    """The release that ships the same TensorRT-LLM as an image that runs ``trtllm-serve``.

    The image is that of TensorRT-LLM, whose tag is its version, or the runtime of Dynamo. Where no
    release ships that version, the facts of the release before it stand for it.
    """
    repository, tag = image.partition("@")[0], tag_of(image)
    if RUNTIME_IMAGE in repository:
        return release_of_worker(image, facts)
    found = facts.release_of_trtllm(tag)
    if found is None and (SERVER_IMAGE in repository or CANDIDATE.match(tag)):
        found = with_trtllm(tag.partition("-")[0], facts.every_release)
    return found


def tag_of(image: str) -> str:
    """The tag of an image reference, or ''."""
    return image.partition("@")[0].rpartition("/")[2].partition(":")[2]
