"""Every image that a deployment pulls, with its digest where one is known, and what runs it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from gptoss.facts.image_digests import full_name
from gptoss.facts.world import Facts
from gptoss.sources.chart.build import build_chart
from gptoss.sources.chart.helm import find_helm, render
from gptoss.sources.request import plan_of
from gptoss.text.as_json import json_text
from gptoss.text.columns import columns
from gptoss.text.errors import InputError
from gptoss.text.yaml_tree import parse_documents

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gptoss.sources.chart.helm import Rendering
    from gptoss.sources.request import Request

HOOK = "helm.sh/hook"
# Where an object holds what has a name of its own: services, components, and those of compose.
PARTS = ("services", "components")


@dataclass(frozen=True, slots=True)
class Image:
    """An image.

    Attributes:
        image: Its reference.
        digest: What the reference leads to, ``sha256:…``: said by itself, or as others have
            published it; None where no digest could be confirmed.
        seen: Who has published it.
        used_by: What runs it or mounts it: components and objects.
    """

    image: str
    digest: str | None
    seen: tuple[str, ...]
    used_by: tuple[str, ...]


def read_images(request: Request) -> list[Image]:
    """The images of targets, manifests and compose files, by their references.

    Those of init containers, sidecars, volumes and ``helm test`` are among them, and that of the
    benchmark even where it is off.

    Raises:
        InputError: A source is unknown or cannot be read, or the chart refuses it.
    """
    plan = plan_of(request)
    found: dict[str, dict[str, None]] = {}
    for each in (*_rendered(plan.charts), *(tree.plain() for f in plan.files for tree in f.trees)):
        for image, user in _of_object(each):
            found.setdefault(image, {})[user] = None
    if not found:
        raise InputError("no image is named in what was given")
    facts = Facts()
    return [_image(image, tuple(sorted(users)), facts) for image, users in sorted(found.items())]


def _image(reference: str, users: tuple[str, ...], facts: Facts) -> Image:
    if digest := reference.partition("@")[2]:
        return Image(reference, digest, (), users)
    known = facts.digests.get(full_name(reference))
    if known is None or known.digest is None:
        return Image(reference, None, (), users)
    return Image(reference, known.digest, known.seen, users)


def as_json(images: Iterable[Image]) -> str:
    """The images as JSON."""
    return json_text([asdict(image) for image in images])


def as_text(images: Iterable[Image]) -> str:
    """The images one a line, each followed by its digest and by what uses it."""
    rows = [(i.image, i.digest or "no digest confirmed", ", ".join(i.used_by)) for i in images]
    return "\n".join(columns(rows))


def _rendered(charts: Iterable[Any]) -> Iterator[Any]:
    """What Helm renders for targets, ``helm test`` included."""
    with ThreadPoolExecutor() as pool:
        helm = find_helm() if charts else ""
        renderings = [pool.submit(render, chart, helm) for chart in charts]
        for rendering in renderings:
            yield from _objects(rendering.result())


def _objects(rendering: Rendering) -> Iterator[Any]:
    if rendering.refused:
        problem = build_chart(rendering, Facts()).problems[0]
        raise InputError(problem.message, problem.place)
    label = f"helm template {rendering.source.label}"
    return (tree.plain() for tree in parse_documents(rendering.output, label))


def _of_object(value: Any) -> Iterator[tuple[str, str]]:
    """The images of an object, or of those of a List, with what uses each."""
    if not isinstance(value, dict):
        return
    if isinstance(value.get("items"), list):
        for item in value["items"]:
            yield from _of_object(item)
        return
    spec = value.get("spec", value)
    parts = {key: spec[key] for key in PARTS if isinstance(spec, dict) and key in spec}
    for part in parts.values():
        named = part.items() if isinstance(part, dict) else ((c.get("name"), c) for c in part)
        for name, component in named:
            yield from ((image, str(name)) for image in _within(component))
    if not parts:
        yield from ((image, _called(value)) for image in _within(value))


def _called(value: dict[str, Any]) -> str:
    metadata = value.get("metadata") or {}
    name = f"{value.get('kind')} {metadata.get('name')}"
    return f"{name} (helm test)" if HOOK in (metadata.get("annotations") or {}) else name


def _within(value: Any) -> Iterator[str]:
    """Every image that a value names: of a container, or of a volume by its reference."""
    if isinstance(value, dict):
        image = value.get("image")
        named = image.get("reference") if isinstance(image, dict) else image
        if isinstance(named, str):
            yield named
    for inside in (
        value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    ):
        yield from _within(inside)
