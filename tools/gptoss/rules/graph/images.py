"""Is every image the one that is meant, and will the operator take its tag?"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from gptoss.deployment.model import Runtime
from gptoss.rules.rule import ANY, Need, Said, Severity, rule
from gptoss.rules.subjects import COMPONENTS, PODS, WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Component, Deployment, Worker
    from gptoss.deployment.pods import Pod
    from gptoss.facts.world import Facts, Release

VERSION = re.compile(r"v?\d+\.\d+\.\d+([-+].*)?$")
NVIDIA_REPOSITORY = "nvcr.io/nvidia/ai-dynamo/"
WRONG_NAMES = ("trtllm-runtime", "tensorrt-llm-runtime", "trt-llm-runtime", "trtllm")
OTHER_ENGINES = ("vllm-runtime", "sglang-runtime")
PLACEHOLDER = re.compile(r"[<>{}$ ]|^(my|your)-registry/|^(example|registry\.example)\.com/")
FLOATING_TAGS = ("latest", "main", "nightly", "dev", "my-tag")


class Image(NamedTuple):
    """The parts of an image reference."""

    repository: str
    tag: str | None
    digest: str | None


def split(reference: str) -> Image:
    """The parts of an image reference; a colon before the last slash belongs to a port."""
    name, _, digest = reference.partition("@")
    folder, slash, last = name.rpartition("/")
    last, _, tag = last.partition(":")
    return Image(folder + slash + last, tag or None, digest or None)


@rule(
    "G020",
    "image-tag-without-version",
    Severity.ERROR,
    of=COMPONENTS,
    needs=(Need.RELEASE,),
)
def image_tag_without_version(component: Component, release: Release) -> Iterator[Said]:
    """An image tag is no version number and ``runtimeVersionOverride`` is not set.

    From release 1.5 on the operator reads the runtime's version from the image tag to choose
    probes and variables, and its webhook refuses a component where it cannot.
    """
    if not release.strict_tags:
        return
    image = component.pod.image
    if image is None or component.runtime_version:
        return
    tag = split(image.value).tag
    if tag is None or not VERSION.match(tag):
        yield Said(
            image,
            f"image {image.value} has no version number as its tag, and the "
            f"operator of release {release.version} refuses it",
            f"write runtimeVersionOverride: {release.version}, or tag the image with a version",
        )


@rule(
    "G021",
    "image-placeholder",
    Severity.ERROR,
    of=PODS,
    runtimes=ANY,
)
def image_placeholder(pod: Pod) -> Iterator[Said]:
    """An image is a placeholder that was never filled in.

    Such a name exists in no registry: the pod waits in ImagePullBackOff.
    """
    if pod.image and PLACEHOLDER.search(pod.image.value):
        yield Said(
            pod.image,
            f"image {pod.image.value} is a placeholder and cannot be pulled",
            "write the image's real registry, repository and tag",
        )


@rule(
    "G022",
    "image-not-pinned",
    Severity.WARNING,
    of=PODS,
    runtimes=ANY,
)
def image_not_pinned(pod: Pod) -> Iterator[Said]:
    """An image has no tag, or one that moves.

    What runs then depends on the day a node pulled it: replicas differ, and going back to what
    worked is not possible.
    """
    if pod.image is None:
        return
    image = split(pod.image.value)
    if image.digest or (image.tag and image.tag not in FLOATING_TAGS):
        return
    tag = f"the tag {image.tag!r}, which moves" if image.tag else "no tag, which means latest"
    yield Said(
        pod.image,
        f"image {pod.image.value} has {tag}",
        "pin a version, as in :1.2.1, or a digest",
    )


@rule(
    "G023",
    "image-cannot-run-trtllm",
    Severity.ERROR,
    of=WORKERS,
    runtimes=ANY,
)
def image_cannot_run_trtllm(worker: Worker, deployment: Deployment, facts: Facts) -> Iterator[Said]:
    """A worker's image from NVIDIA's registry does not exist or holds another engine.

    The image with TensorRT-LLM is called tensorrtllm-runtime. trtllm-runtime does not exist;
    vllm-runtime and sglang-runtime have no dynamo.trtllm to start.
    """
    image = worker.pod.image
    if image is None:
        return
    repository = split(image.value).repository
    name = repository.removeprefix(NVIDIA_REPOSITORY)
    if name == repository or name not in (*WRONG_NAMES, *OTHER_ENGINES):
        return
    why = "holds another engine" if name in OTHER_ENGINES else "does not exist"
    yield Said(
        image,
        f"image {repository} {why}",
        f"write {facts.serve_image if deployment.runtime is Runtime.SERVE else facts.image}",
    )


@rule(
    "G024",
    "images-of-two-versions",
    Severity.WARNING,
)
def images_of_two_versions(deployment: Deployment) -> Iterator[Said]:
    """Frontend and workers run NVIDIA images of different Dynamo versions.

    Discovery records and the wire between frontend and workers are only tested within one
    release. 1.3.0, for one, renamed the component that decode workers register as.
    """
    tagged = []
    for component in deployment.components:
        image = component.pod.image
        tag = split(image.value).tag if image else None
        if image and tag and VERSION.match(tag) and image.value.startswith(NVIDIA_REPOSITORY):
            tagged.append((component, image, tag))
    for component, image, tag in tagged[:-1]:
        other, other_image, other_tag = tagged[-1]
        if _version(tag) != _version(other_tag):
            yield Said(
                image,
                f"{component.name} runs version {tag} and {other.name} {other_tag}",
                "give every component the image of one release",
                also=[(other_image, f"{other.name} runs {other_tag}")],
            )


def _version(tag: str) -> str:
    return re.split(r"[-+]", tag)[0]
