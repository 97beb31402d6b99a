"""Where pods of other charts run: kind of GPU, labels of nodes and taints."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gptoss.importing.charts.shared_values import GPU, text_of
from gptoss.importing.gpu_kind import names_gpu
from gptoss.importing.pods import PLACEMENT, TAINTS
from gptoss.sources.parts.workers import GPU_LABEL
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gptoss.facts.world import Gpu
    from gptoss.importing.charts.carrying import Carrying
    from gptoss.text.places import Place
    from gptoss.text.yaml_tree import Tree


class Label(NamedTuple):
    """A label of nodes that pods ask for."""

    key: str
    values: tuple[str, ...]
    place: Place


def carry_gpu(labels: Sequence[Label], carrying: Carrying) -> None:
    """Puts the kind of GPU: the one asked for, else the one that a label of nodes names.

    Raises:
        InputError: Nothing names one.
    """
    if carrying.gpu:
        carrying.choose("hardware.gpu", carrying.gpu.key, "--gpu")
        return
    for label in labels:
        if found := _gpu(label, list(carrying.facts.gpus.values())):
            why = f"{label.place.file}:{label.place.line} {label.key}"
            carrying.choose("hardware.gpu", found.key, why)
            return
    kinds = " or ".join(carrying.facts.gpus)
    raise InputError(
        f"nothing in it tells the kind of GPU; give --gpu {kinds}", carrying.tree.place
    )


def _gpu(label: Label, gpus: list[Gpu]) -> Gpu | None:
    if label.key == GPU_LABEL:
        exact = (gpu for gpu in gpus if set(label.values) & set(gpu.product_labels))
        if found := next(exact, None):
            return found
    return next((gpu for gpu in gpus if label.values and names_gpu(gpu.key, label.values)), None)


def labels_of(selector: Tree | None) -> list[Label]:
    """The labels of a ``nodeSelector``."""
    items = selector.items() if selector is not None else ()
    return [Label(key, (text_of(tree),), tree.where) for key, tree in items]


def labels_of_terms(terms: Tree | None) -> list[Label]:
    """The labels of ``nodeSelectorTerms``."""
    found = []
    for term in terms.elements() if terms is not None else ():
        expressions = term.at("matchExpressions")
        for each in expressions.elements() if expressions is not None else ():
            values = each.at("values")
            words = tuple(text_of(value) for value in values.elements()) if values else ()
            found.append(Label(text_of(each.at("key")), words, each.place))
    return found


def carry_selector(selector: Tree | None, carrying: Carrying) -> None:
    """Puts labels of nodes beyond those that the chart asks for itself."""
    if selector is None or not selector.is_map:
        return
    own = {key: text_of(tree) for key, tree in selector.items() if key not in PLACEMENT}
    if own:
        gpu = carrying.facts.gpus[_chosen_gpu(carrying)]
        derived = {PLACEMENT[0]: gpu.architecture, GPU_LABEL: gpu.product_labels[0]}
        carrying.carry(selector, "hardware.nodeSelector", derived | own)
    carrying.done(selector)


def carry_tolerations(trees: Sequence[Tree | None], carrying: Carrying) -> None:
    """Puts the taints that pods tolerate, with those of GPU nodes that the chart tolerates."""
    given = [tree for tree in trees if tree is not None]
    found = [each.plain() for tree in given for each in tree.elements() if each.is_map]
    named = {str(each.get("key", "")) for each in found}
    if named.difference(TAINTS):
        gpu = carrying.facts.gpus[_chosen_gpu(carrying)]
        own = [{"key": GPU, "operator": "Exists", "effect": "NoSchedule"}]
        if gpu.architecture == "arm64":
            own.append({"key": PLACEMENT[0], "operator": "Equal", "value": "arm64"})
        whole = found + [each for each in own if each["key"] not in named]
        carrying.carry(given[-1], "hardware.tolerations", whole)
    carrying.done(*given)


def _chosen_gpu(carrying: Carrying) -> str:
    hardware = carrying.values["hardware"]
    assert isinstance(hardware, dict)  # noqa: S101 (carry_gpu puts it)
    gpu = hardware["gpu"]
    assert not isinstance(gpu, dict)  # noqa: S101
    return str(gpu.value)
