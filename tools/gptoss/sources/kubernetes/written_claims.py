"""Claims, with what of them cannot be changed and who has written it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from gptoss.deployment.objects import Claim
from gptoss.sources.kubernetes.unchangeable import is_stored
from gptoss.sources.parts.reading import a_map, is_on, quantity
from gptoss.text.places import Located

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gptoss.sources.parts.reading import Scope
    from gptoss.text.yaml_tree import Tree

FIXED_OF_CLAIM = ("storageClassName", "accessModes", "volumeMode", "volumeName")
GROWS = "allowVolumeExpansion"
# It binds claims, and gives those without a class the default one.
CONTROLLER = "kube-controller-manager"


def read_claim(tree: Tree, name: str, root: Scope, classes: Mapping[str, bool]) -> Claim:
    """A claim with what it asks for.

    Args:
        tree: The object.
        name: Its name.
        root: Gives the places to show.
        classes: Storage classes that are known, and whether their claims can grow.
    """
    locate = partial(root.part(root.path.entry("claims", name)).entry, "fields")
    spec = a_map(tree.at("spec"), "spec")
    fixed = {}
    for field_name in FIXED_OF_CLAIM:
        found = spec.at(field_name) if spec else None
        if found is not None and found.value is not None:
            words = found.elements() or [found]
            text = ", ".join(sorted(str(word.value) for word in words))
            fixed[field_name] = Located(text, locate(field_name, found.where))
    asked = spec.at("resources", "requests", "storage") if spec else None
    size = quantity(asked, "storage")
    located = Located(size, locate("storage", asked.where)) if asked and size else None
    return Claim(
        name,
        located,
        fixed,
        root.entry("claims", name, tree.place),
        _written_by_author(tree, fixed),
        is_stored(tree),
        _grows(tree, classes),
    )


def _grows(claim: Tree, classes: Mapping[str, bool]) -> bool | None:
    """Whether a claim can grow; None where that is not known. One without a class cannot."""
    name = claim.text("spec", "storageClassName")
    if name is None:
        return False if is_stored(claim) else None
    return classes.get(name) if name else False


def storage_classes(trees: Iterable[Tree]) -> dict[str, bool]:
    """The storage classes among objects, and whether their claims can grow."""
    return {
        tree.text("metadata", "name") or "": is_on(tree.at(GROWS), GROWS) or False
        for tree in trees
        if tree.text("kind") == "StorageClass"
    }


def _written_by_author(tree: Tree, fields: Iterable[str]) -> frozenset[str]:
    """Those of some fields of a spec that its author wrote and the cluster did not fill in.

    The API server notes in managedFields who sent a field, and what its admission adds it notes
    for nobody. Of a stored object without them nothing is known.
    """
    if not is_stored(tree):
        return frozenset(name for name in fields if tree.at("spec", name) is not None)
    managers = tree.at("metadata", "managedFields")
    entries = managers.elements() if managers is not None else []
    authors = [entry for entry in entries if entry.text("manager") != CONTROLLER]
    return frozenset(
        name
        for name in fields
        if any(entry.at("fieldsV1", "f:spec", f"f:{name}") is not None for entry in authors)
    )
