"""The engine YAML that ``--extra-engine-args`` names, where it is among the manifests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gptoss.deployment.model import Problem
from gptoss.sources.parts.reading import a_map, string
from gptoss.text.errors import InputError
from gptoss.text.yaml_tree import Tree, parse_embedded

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gptoss.sources.parts.pod_spec import ReadPod
    from gptoss.sources.parts.reading import Scope
    from gptoss.text.places import Located, Place


@dataclass(frozen=True, slots=True)
class EngineYaml:
    """An engine YAML.

    Attributes:
        tree: Its root; None when there is none.
        known: False when one is named but not found.
        problems: What is wrong with it.
    """

    tree: Tree | None
    known: bool
    problems: tuple[Problem, ...] = ()


def engine_yaml(
    path: Located[str] | None, read: ReadPod, config_maps: Mapping[str, Tree], scope: Scope
) -> EngineYaml:
    """Finds and reads the engine YAML at a path in the container.

    Args:
        path: The path; None when no file is given.
        read: The worker's pod.
        config_maps: ConfigMaps by name.
        scope: The worker.

    Raises:
        InputError: The file is no YAML map.
    """
    if path is None or not path.value:
        return EngineYaml(None, known=True)
    written = [d for d in read.documents if d.target and d.target.value == path.value]
    if written and not written[-1].known:
        return EngineYaml(None, known=False)
    if written:
        return _read(written[-1].content, scope)
    mount = read.pod.mount_at(path.value)
    config_map = config_maps.get(mount.config_map or "") if mount else None
    if mount is None or config_map is None:
        return EngineYaml(None, known=False)
    data = a_map(config_map.at("data"), "data")
    key = mount.key_at(path.value)
    text = data.at(key) if data and key else None
    if string(text, f"the ConfigMap's {key}") is None or text is None:
        message = f"ConfigMap {mount.config_map} has nothing for {path.value}"
        return EngineYaml(None, False, (Problem("engine-file-missing", message, path.place),))
    return _read(text, scope)


def _read(text: Tree, scope: Scope) -> EngineYaml:
    tree = parse_embedded(text)
    if tree is None:
        place = scope.at("engine", text.where)
        problem = Problem("engine-file-empty", "the engine YAML is empty", place)
        return EngineYaml(Tree({}, text.where), known=True, problems=(problem,))
    if not tree.is_map:
        raise InputError("the engine YAML must be a map of settings", tree.place)
    problems = [repeated_key(key, scope.engine(key, at)) for key, at in repeated_keys(tree)]
    return EngineYaml(tree, True, tuple(problems))


def repeated_keys(tree: Tree, path: str = "") -> list[tuple[str, Place]]:
    """Dotted path and place of every key that its map has twice."""
    found = [(f"{path}{name}", place) for name, place in tree.duplicates]
    for name, value in tree.items():
        if value.is_container:
            found += repeated_keys(value, f"{path}{name}.")
    for element in tree.elements():
        if element.is_container:
            found += repeated_keys(element, path)
    return found


def repeated_key(key: str, place: Place) -> Problem:
    """The problem of a key that is there twice."""
    return Problem("duplicate-key", f"{key} is given twice; the last one counts", place)
