"""Which release an image belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gptoss.facts.world import Facts, Release

RUNTIME_IMAGE = "tensorrtllm-runtime"


def release_of_server(image: str, facts: Facts) -> Release | None:
    """The release that ships the same TensorRT-LLM as an image that runs ``trtllm-serve``.

    The image is that of TensorRT-LLM, whose tag is its version, or the runtime of Dynamo.
    """
    tag = tag_of(image)
    is_runtime = RUNTIME_IMAGE in image.partition("@")[0]
    return facts.release_of(tag) if is_runtime else facts.release_of_trtllm(tag)


def tag_of(image: str) -> str:
    """The tag of an image reference, or ''."""
    return image.partition("@")[0].rpartition("/")[2].partition(":")[2]
