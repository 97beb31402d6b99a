"""ConfigMaps of values that kustomize makes of files, which a HelmRelease names before the hash."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.sources.gitops.given_objects import text_of
from gptoss.text.bounds import found_file
from gptoss.text.files import read_text
from gptoss.text.yaml_tree import Tree, parse_documents

if TYPE_CHECKING:
    from gptoss.sources.gitops.given_objects import Given

KUSTOMIZATION = ("kustomization.yaml", "kustomization.yml")


def generated_values(given: Given, name: str, key: str) -> Tree | None:
    """The values file that the kustomization beside an object makes a key of a ConfigMap of.

    Raises:
        InputError: The kustomization or the file is no YAML, or the file is not there; links lead
            out of the repository.
    """
    for file in (given.file.folder / each for each in KUSTOMIZATION):
        if found_file(file):
            for tree in parse_documents(read_text(file), str(file)):
                return _generated(given, tree, name, key)
    return None


def _generated(given: Given, kustomization: Tree, name: str, key: str) -> Tree | None:
    listed = kustomization.at("configMapGenerator")
    for generator in listed.elements() if listed else []:
        if generator.text("name") != name:
            continue
        files = generator.at("files")
        for element in files.elements() if files else []:
            left, equals, right = text_of(element).partition("=")
            path = right if equals else left
            if (left if equals else path.rpartition("/")[2]) == key:
                found = given.values_file(element, given.file.folder / path)
                documents = parse_documents(read_text(found), str(found))
                return documents[0] if documents else None
    return None
